"""The kit passes a bot that follows the protocol, and each clause fails a bot that violates it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.conformance.clauses import CLAUSES, ORGANISER_CLAUSES

BREAKERS = {
    "hello-comes-first": "long version",
    "pings-are-answered": "no pong",
    "turn-is-answered": "illegal",
    "pings-are-answered-during-a-turn": "deaf while it thinks",
    "concurrent-matches": "reads one item",
    "two-seats-of-one-match": "one seat",
    "whole-match": "a verdict is enough",
    "every-game": "one game",
    "simultaneous-turns": "nothing sealed",
    "large-turn": "reads little",
    "turn-with-a-draw-offer": "no offers",
    "nonce-request": "is predictable",
    "repeated-turn": "thinks anew",
    "disconnect-before-the-answer": "stays away",
    "disconnect-before-the-verdict": "forgets",
    "same-version-after-reconnect": "new version",
    "rejected-move": "one attempt",
    "retry-after": "retries at once",
    "malformed-retry-after": "retries at once if it is malformed",
    "stale-answer": "no stale",
    "repeated-verdict": "no repeats",
    "verdict-with-the-next-turn": "waits for verdicts",
    "expired-turn": "no lapses",
    "match-end-during-a-turn": "no ends",
    "end-of-an-unknown-match": "only known matches",
    "unknown-items": "only known items",
    "unknown-fields": "only known fields",
    "unknown-values": "only known values",
    "draining": "hurries",
    "reconnect-backoff": "a welcome is enough",
    "heartbeat-timeout": "waits for ever",
    "token-file": "reads no file",
    "settings": "ignores its settings",
    "invalid-setting": "any status",
    "untrusted-server": "trusts others",
    "stop-on-sigterm": "ends badly",
    "session-taken-over": "comes back",
    "rejected-token": "wrong status",
}
"""For each clause, a fault that it must detect."""


ORGANISER_BREAKERS = {
    "organised-match": "another clock",
    "new-request-ids": "one id for ever",
    "created-once": "another id",
    "rejection-is-final": "gives no reason",
    "interrupted-watch": "watches from the beginning",
    "slow-watch": "no slow watch",
    "silent-watch": "waits for ever",
    "interrupted-reads": "counts twice",
    "hidden-and-later-entries": "skips hidden entries",
}
"""The same for organisers."""


def run_organiser_kit(*options: str, fault: tuple[str, ...] = ()) -> Result:
    program = (sys.executable, "-m", "tests.conformance.organiser", *fault)
    return CliRunner().invoke(main, ["conformance", "--organiser", *options, "--", *program])


def run_kit(*options: str, bot: tuple[str, ...] = ()) -> Result:
    return CliRunner().invoke(
        main, ["conformance", *options, "--", sys.executable, "-m", "tests.conformance.bot", *bot]
    )


@pytest.mark.slow
def test_a_bot_that_follows_the_protocol_passes_every_clause() -> None:
    result = run_kit("--json", "--tls", "--patience", "120")

    results = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["clause"] for one in results] == [clause.name for clause in CLAUSES]
    assert [one for one in results if not one["passed"] or one["why"]] == []
    assert result.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("clause", [clause.name for clause in CLAUSES])
def test_every_clause_fails_a_bot_that_violates_it(clause: str) -> None:
    tls = ("--tls",) if clause == "untrusted-server" else ()
    result = run_kit(*tls, "--patience", "3", "--only", clause, bot=(BREAKERS[clause],))

    assert result.exit_code == 1, result.output
    assert f"FAIL  {clause}" in result.stdout


@pytest.mark.slow
def test_an_organiser_that_follows_the_protocol_passes_every_clause() -> None:
    result = run_organiser_kit("--json", "--patience", "120")

    results = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["clause"] for one in results] == [clause.name for clause in ORGANISER_CLAUSES]
    assert [one for one in results if not one["passed"] or one["why"]] == []
    assert result.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("clause", [clause.name for clause in ORGANISER_CLAUSES])
def test_every_organiser_clause_fails_an_organiser_that_violates_it(clause: str) -> None:
    patience = "5" if clause == "silent-watch" else "120"
    result = run_organiser_kit("--patience", patience, "--only", clause, fault=(ORGANISER_BREAKERS[clause],))

    assert result.exit_code == 1, result.output
    assert f"FAIL  {clause}" in result.stdout


def test_an_organiser_that_does_not_end_fails() -> None:
    sleeps = (sys.executable, "-c", "import time; time.sleep(600)")

    result = CliRunner().invoke(
        main, ["conformance", "--organiser", "--patience", "0.1", "--only", "organised-match", "--", *sleeps]
    )

    assert result.exit_code == 1
    assert "still running after 0.1 s" in result.stdout


def test_the_task_of_an_organiser_is_listed_with_its_clauses() -> None:
    result = CliRunner().invoke(main, ["conformance", "--organiser", "--list"])

    assert "print `entry N`" in result.stdout
    assert "created-once" in result.stdout


def test_the_kit_for_organisers_needs_a_command() -> None:
    result = CliRunner().invoke(main, ["conformance", "--organiser", "--connect"])

    assert result.exit_code == 2
    assert "--connect is for bots" in result.stderr


@pytest.mark.slow
def test_a_bot_passes_over_tls() -> None:
    bot = (sys.executable, "-m", "referee_client", "random")

    result = CliRunner().invoke(
        main, ["conformance", "--tls", "--patience", "120", "--only", "turn-is-answered", "--", *bot]
    )

    assert result.exit_code == 0, result.output


def test_a_program_that_cannot_start_is_named() -> None:
    result = CliRunner().invoke(main, ["conformance", "--", "./no-such-program"])

    assert result.exit_code == 1
    assert "cannot start './no-such-program'" in result.stderr


def test_a_program_that_exits_at_once_is_reported_with_its_output() -> None:
    dies = (sys.executable, "-c", "import sys; sys.exit('no referee for me')")

    result = CliRunner().invoke(main, ["conformance", "--only", "turn-is-answered", "--", *dies])

    assert result.exit_code == 1
    assert "the program exited: exit status 1" in result.stdout
    assert "no referee for me" in result.stdout


def test_the_kit_needs_a_command_or_a_connection() -> None:
    for arguments in ([], ["--connect", "--", "./bot"]):
        result = CliRunner().invoke(main, ["conformance", *arguments])
        assert result.exit_code == 2
        assert "either the command" in result.stderr


@pytest.mark.parametrize("address", ["garbage", ""])
def test_an_unusable_listen_address_is_explained(address: str) -> None:
    result = CliRunner().invoke(main, ["conformance", "--listen", address, "--", "./bot"])

    assert result.exit_code == 2
    assert f"cannot listen on '{address}'" in result.stderr


def test_the_clauses_are_listed_with_their_descriptions() -> None:
    result = CliRunner().invoke(main, ["conformance", "--list"])

    assert result.exit_code == 0
    for clause in CLAUSES:
        assert clause.name in result.stdout
        assert clause.promise.endswith("."), clause.name
        assert clause.promise in result.stdout


@pytest.mark.slow
def test_sigterm_ends_the_kit_and_the_program_that_it_started(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    script = f"import os, pathlib, time; pathlib.Path({str(file)!r}).write_text(str(os.getpid())); time.sleep(1000)"
    os.mkfifo(file)
    command = [sys.executable, "-m", "referee", "conformance", "--", sys.executable, "-c", script]
    with subprocess.Popen(command) as kit:
        pid = int(file.read_text())
        kit.terminate()
        assert kit.wait(60) == 130
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
