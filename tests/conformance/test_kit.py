"""The kit passes programs that follow the specification, and fails one for each rule that breaks this rule."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.conformance.clauses import CLAUSES, ORGANISER_CLAUSES
from tests.clients.vectors import rules_with_clauses
from tests.conformance.wrong_bots import WRONG_BOTS

ORGANISER_FAULTS = {
    "another clock": ("", "organised-match"),
    "no token": ("ORG-1", "organised-match"),
    "one id for ever": ("ORG-2", "new-request-ids"),
    "another id": ("ORG-2", "created-once"),
    "gives up": ("ORG-3", "created-once"),
    "hurries": ("ORG-4", "created-once"),
    "asks again": ("ORG-5", "rejection-is-final"),
    "gives no reason": ("ORG-5", "rejection-is-final"),
    "watches from the beginning": ("ORG-6", "interrupted-watch"),
    "no slow watch": ("ORG-6", "slow-watch"),
    "skips hidden entries": ("ORG-7", "hidden-and-later-entries"),
    "counts twice": ("ORG-8", "interrupted-reads"),
    "waits for ever": ("ORG-9", "silent-watch"),
}
"""For each wrong organiser, the rule that it breaks and the clause that must fail it."""
RULES = {rule: clauses for rule, clauses in rules_with_clauses().items() if clauses}


def run_organiser_kit(*options: str, fault: tuple[str, ...] = ()) -> Result:
    program = (sys.executable, "-m", "tests.conformance.organiser", *fault)
    return CliRunner().invoke(main, ["conformance", "--organiser", *options, "--", *program])


def run_kit(*options: str, bot: tuple[str, ...] = ("bot",)) -> Result:
    module, *arguments = bot
    program = (sys.executable, "-m", f"tests.conformance.{module}", *arguments)
    return CliRunner().invoke(main, ["conformance", *options, "--", *program])


@pytest.mark.slow
def test_a_bot_that_follows_the_protocol_passes_every_clause() -> None:
    result = run_kit("--json", "--tls", "--patience", "120")

    results = [json.loads(line) for line in result.stdout.splitlines()]
    assert [outcome["clause"] for outcome in results] == [clause.name for clause in CLAUSES]
    assert [outcome for outcome in results if not outcome["passed"] or outcome["why"]] == []
    assert result.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG_BOTS)
def test_a_bot_that_breaks_a_rule_fails_the_clause_of_the_rule(name: str) -> None:
    wrong = WRONG_BOTS[name]
    tls = ("--tls",) if wrong.clause == "untrusted-server" else ()
    options = (*tls, "--patience", str(wrong.patience_s), "--only", wrong.clause)
    result = run_kit(*options, bot=("wrong_bots", name))

    assert result.exit_code == 1, result.output
    assert f"FAIL  {wrong.clause}" in result.stdout
    assert wrong.said in result.stdout


def test_there_is_a_wrong_program_for_each_rule_and_each_clause() -> None:
    broken = {(wrong.rule, wrong.clause) for wrong in WRONG_BOTS.values()} | set(ORGANISER_FAULTS.values())

    assert {rule for rule, _ in broken} - {""} == set(RULES)
    assert {clause for _, clause in broken} == {clause.name for clause in (*CLAUSES, *ORGANISER_CLAUSES)}
    assert [(rule, clause) for rule, clause in broken if rule and clause not in RULES[rule]] == []


@pytest.mark.slow
def test_an_organiser_that_follows_the_protocol_passes_every_clause() -> None:
    result = run_organiser_kit("--json", "--patience", "120")

    results = [json.loads(line) for line in result.stdout.splitlines()]
    assert [outcome["clause"] for outcome in results] == [clause.name for clause in ORGANISER_CLAUSES]
    assert [outcome for outcome in results if not outcome["passed"] or outcome["why"]] == []
    assert result.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("fault", ORGANISER_FAULTS)
def test_an_organiser_that_breaks_a_rule_fails_the_clause_of_the_rule(fault: str) -> None:
    _, clause = ORGANISER_FAULTS[fault]
    patience = "5" if clause == "silent-watch" else "120"
    result = run_organiser_kit("--patience", patience, "--only", clause, fault=(fault,))

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


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "either the command"),
        (("--connect", "--", "./bot"), "either the command"),
        (("--organiser", "--connect"), "--connect is for bots"),
        (("--listen", "garbage", "--", "./bot"), "cannot listen on 'garbage'"),
        (("--listen", "", "--", "./bot"), "cannot listen on ''"),
    ],
)
def test_the_kit_says_which_arguments_it_cannot_use(arguments: tuple[str, ...], why: str) -> None:
    result = CliRunner().invoke(main, ["conformance", *arguments])

    assert result.exit_code == 2
    assert why in result.stderr


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
