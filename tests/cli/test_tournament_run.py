"""`referee tournament run`, `referee sprt` and `referee report` as a person runs them: real processes, real bots."""

import json
import os
import resource
import select
import signal
import subprocess
from pathlib import Path
from typing import IO

import pytest

from tests.e2e.contests import ROUND_ROBIN, match_terms
from tests.e2e.organiser import call_method
from tests.e2e.server import register_bots, run_server
from tests.local.test_commands import ADDRESS, WITHIN_S, bots_of, program, referee, running

pytestmark = pytest.mark.slow


def cup(folder: Path, form: str, *bots: str, more: str = "") -> Path:
    file = folder / "cup.toml"
    named = "\n".join(f'{name} = "{given}"' for name, given in (bot.split("=", 1) for bot in bots))
    file.write_text(f'game = "alquerque"\n{form}\nparallel = 2\n{more}\n[bots]\n{named}\n', encoding="utf-8")
    return file


def honest(*names: str) -> list[str]:
    return [f"{name}={program()}" for name in names]


def pairings_in(folder: Path) -> list[str]:
    """Their ids."""
    told = json.loads((folder / "tournament.json").read_text(encoding="utf-8"))
    return [one["id"] for one in told["pairings"]]


def test_a_tournament_is_played_to_its_end_and_everything_is_kept_apart_from_any_other(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = cup(tmp_path, "round_robin = { cycles = 1 }", *honest("anna", "bert", "carl", "dora"))
    played = referee("tournament", "run", str(file), "--out", str(out))
    assert played.returncode == 0, played.stderr
    assert "6/6" in played.stdout
    for name in ("report.html", "standings.csv", "tournament.json", "tournament.trf", "bots/anna.log"):
        assert (out / name).exists(), name
    assert len(list(out.glob("records/*.jsonl"))) == 6
    assert referee("verify", *map(str, out.glob("records/*"))).returncode == 0

    again = referee("tournament", "run", str(file), "--out", str(out))
    assert again.returncode == 0, again.stderr
    assert "6 of 6 pairings are already played" in again.stdout
    text, html = referee("report", str(out)), referee("report", str(out), "--html")
    assert "1 " in text.stdout
    assert text.returncode == 0
    assert html.stdout == (out / "report.html").read_text(encoding="utf-8")

    other = cup(tmp_path, "round_robin = { cycles = 2 }", *honest("anna", "bert"))
    refused = referee("tournament", "run", str(other), "--out", str(out))
    assert refused.returncode == 2
    assert "other terms" in refused.stderr.replace("\n", " ")


def test_an_interrupted_tournament_leaves_no_process_and_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = cup(tmp_path, "round_robin = { cycles = 4 }", *honest("anna", "bert", "carl", "dora"))
    words = ("tournament", "run", str(file), "--out", str(out))
    with running(*words) as process:
        assert process.stdout
        found = ADDRESS.match(process.stdout.readline())
        assert found, process.communicate()[1]
        assert process.stdout.readline().lstrip().startswith("1/24")
        assert len(bots_of(found[1])) >= 4
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=WITHIN_S)
        assert process.returncode == 128 + signal.SIGTERM, errors
        assert bots_of(found[1]) == []
    kept = {file: file.stat().st_mtime_ns for file in out.glob("records/*")}
    again = referee(*words)
    assert again.returncode == 0, again.stderr
    assert "of 24 pairings are already played" in again.stdout
    assert {file: file.stat().st_mtime_ns for file in kept} == kept
    assert len(list(out.glob("records/*.jsonl"))) == 24
    assert len(set(pairings_in(out))) == 24


@pytest.mark.parametrize("command", ["tournament", "match", "sprt"])
def test_who_is_killed_leaves_nothing_behind(tmp_path: Path, command: str) -> None:
    bots = [f"anna={program('parent')}", *honest("bert", "carl")]
    words = {
        "tournament": ("tournament", "run", str(cup(tmp_path, "round_robin = { cycles = 9 }", *bots))),
        "match": ("match", *bots[:2], "--games", "99"),
        "sprt": ("sprt", *bots[:2], "--elo1", "1"),
    }[command]
    with running(*words, "--out", str(tmp_path / "out")) as process:
        assert process.stdout
        found = ADDRESS.match(process.stdout.readline())
        assert found, process.communicate()[1]
        assert process.stdout.readline()
        left = [os.pidfd_open(int(one)) for one in bots_of(found[1])]
        assert len(left) > 4, "anna, her child, and bert; two supervisors"
        process.kill()
        for one in left:
            assert select.select([one], [], [], WITHIN_S)[0]
            os.close(one)


def test_who_would_not_start_is_out_and_the_others_play_on(tmp_path: Path) -> None:
    file = cup(
        tmp_path,
        "swiss = { rounds = 2 }",
        *honest("anna", "bert", "carl"),
        "none=grpc:./there-is-no-such-bot",
        f"bad={program('dies-at-once')}",
    )
    played = referee("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    assert played.returncode == 4, played.stderr
    assert "none could not be started: ./there-is-no-such-bot: No such file" in played.stderr
    assert "I will not play" in played.stderr
    assert "2/2" in played.stdout


def test_a_bot_that_dies_in_its_matches_loses_them_and_the_tournament_ends(tmp_path: Path) -> None:
    file = cup(tmp_path, "round_robin = { cycles = 1 }", *honest("anna", "bert"), f"bad={program('dies')}")
    played = referee("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    assert played.returncode == 3, played.stderr + played.stdout
    assert "disconnected" in played.stdout


@pytest.mark.parametrize(
    "form",
    [
        "elimination = { third_place_match = true }",
        "elimination = { double_elimination = true }",
        'gauntlet = { challengers = ["anna"] }',
    ],
)
def test_other_formats_end_too(tmp_path: Path, form: str) -> None:
    file = cup(tmp_path, form, *honest("anna", "bert", "carl", "dora"))
    played = referee("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    assert played.returncode == 0, played.stderr + played.stdout
    assert not (tmp_path / "out" / "tournament.trf").exists()


WRONG = [
    ("swiss = { rounds = 9 }", "", "takes 10 to 1000 entrants"),
    ("round_robin = {}", 'entrants = ["zed"]', "no bot 'zed'"),
    ("round_robin = {}", f'title = "{"x" * 201}"', "the limit is 200"),
]
"""Format, other terms, and what the refusal says."""


def test_what_could_not_begin_leaves_the_folder_to_what_can(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "out"))
    for form, more, right in WRONG:
        wrong = cup(tmp_path, form, *honest("anna", "bert"), more=more)
        refused = referee("tournament", "run", str(wrong), *out)
        assert refused.returncode == 2, refused.stderr
        assert right in " ".join(refused.stderr.split())

    mended = cup(tmp_path, "round_robin = { cycles = 2 }", *honest("anna", "bert"))
    assert referee("tournament", "run", str(mended), *out).returncode == 0


def test_where_too_few_come_it_is_told_who_did_not_and_the_same_command_tries_again(tmp_path: Path) -> None:
    late = tmp_path / "late.sh"
    file = cup(tmp_path, "round_robin = {}", *honest("anna"), f"late=grpc:{late}")
    words = ("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    alone = referee(*words)
    assert alone.returncode == 4, alone.stderr
    assert "it cannot start: this tournament takes 2 to 447 entrants, not 1" in alone.stderr
    assert f"late could not be started: {late}: No such file" in alone.stderr

    late.write_text(f"#!/bin/sh\nexec {program().removeprefix('grpc:')}\n", encoding="utf-8")
    late.chmod(0o700)
    together = referee(*words)
    assert together.returncode == 0, together.stderr
    assert "1/1" in together.stdout


def test_where_too_few_come_back_it_is_over_and_told_as_any_other(tmp_path: Path) -> None:
    out, names = tmp_path / "out", ("anna", "late")
    (out / "referee").mkdir(parents=True)
    with run_server(tmp_path, "--data-dir", str(out / "referee")) as server, server.channel() as channel:
        register_bots(channel, server.admin_token, *names)
        asked = {
            "request_id": "cup",
            "name": "cup",
            "terms": {"match_terms": match_terms(), **ROUND_ROBIN},
            "entrants": [{"bots": [{"bot": name}]} for name in names],
        }
        call_method(channel, "TournamentService/CreateTournament", server.admin_token, **asked)
        call_method(channel, "TournamentService/StartTournament", server.admin_token, name="cup")
        (out / "referee" / "token").write_text(server.admin_token, encoding="utf-8")
    file = cup(tmp_path, "round_robin = {}", *honest("anna"), "late=./there-is-no-such-bot")
    played = referee("tournament", "run", str(file), "--out", str(out))
    assert played.returncode == 4, played.stderr
    assert "late could not be started: exit status 2" in played.stderr
    assert "state: finished" in played.stdout


@pytest.mark.parametrize("blocked", ["report-data.json.part", "records/1.1.1.jsonl.part"])
def test_a_folder_that_cannot_be_written_is_told_in_a_sentence_and_the_rest_is_played_later(
    tmp_path: Path, blocked: str
) -> None:
    out = tmp_path / "out"
    (out / blocked).mkdir(parents=True)
    words = ("tournament", "run", str(cup(tmp_path, "round_robin = {}", *honest("anna", "bert"))), "--out", str(out))
    broken = referee(*words)
    assert (broken.returncode, broken.stderr.count("\n")) == (1, 1), broken.stderr
    assert "Is a directory; to play the rest, run the same command with the same --out" in broken.stderr

    (out / blocked).rmdir()
    assert referee(*words).returncode == 0
    assert len(list(out.glob("records/*.jsonl"))) == 1


def test_a_full_disk_is_told_at_once_and_the_tournament_goes_on_when_there_is_room(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = cup(tmp_path, "round_robin = { cycles = 9 }", *honest("anna", "bert"))
    with running("tournament", "run", str(file), "--out", str(out)) as process:
        assert process.stdout
        assert process.stderr
        while not process.stdout.readline().lstrip().startswith("1/9"):
            assert process.poll() is None
        usual = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        full = (out / "referee" / "referee.db-wal").stat().st_size
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (full, usual[1]))
        assert "clocks are stopped until" in told(process.stderr)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, usual)
        assert "can be written again; the tournament continues" in told(process.stderr)
        shown, _ = process.communicate(timeout=WITHIN_S)
        assert process.returncode == 0
        assert "9/9" in shown
    assert len(list(out.glob("records/*.jsonl"))) == 9


def test_records_for_which_there_is_no_room_are_kept_when_there_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = cup(tmp_path, "round_robin = { cycles = 3 }", *honest("anna", "bert"))
    (out / "records").mkdir(parents=True)
    part = out / "records" / "1.1.1.jsonl.part"
    part.symlink_to("/dev/full")
    with running("tournament", "run", str(file), "--out", str(out)) as process:
        assert process.stderr
        assert "cannot write the records of 1.1: No space left on device" in told(process.stderr)
        part.unlink()
        process.communicate(timeout=WITHIN_S)
        assert process.returncode == 0
    assert len(list(out.glob("records/*.jsonl"))) == 3


def told(errors: IO[str]) -> str:
    """The next line that says anything."""
    return next(line for line in errors if line.strip())


def test_bots_and_folders_that_are_missing_are_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('game = "trox"\n')
    refused = referee("tournament", "run", str(file))
    assert (refused.returncode, "below [bots]" in refused.stderr) == (2, True)
    refused = referee("report", str(tmp_path))
    assert (refused.returncode, "is not the folder of a tournament run" in refused.stderr) == (1, True)


def sprt(out: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return referee("sprt", *words, "--clock", "20+0.1", "--out", str(out))


def test_a_test_stops_as_soon_as_it_knows_and_its_exit_status_is_the_verdict(tmp_path: Path) -> None:
    passed = sprt(tmp_path / "up", "greedy", "random", "--elo1", "200", "--parallel", "2")
    assert passed.returncode == 0, passed.stderr
    assert "passed: LLR" in passed.stdout
    failed = sprt(tmp_path / "down", "random", "greedy", "--elo1", "200")
    assert failed.returncode == 6, failed.stderr
    undecided = sprt(tmp_path / "even", "random", "other=random", "--elo1", "2", "--max-matches", "4")
    assert undecided.returncode == 7, undecided.stderr
    assert "undecided: LLR" in undecided.stdout


def test_single_matches_can_be_counted_and_openings_given(tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("# the usual one\nbbbbb/bbbbb/bb1ww/wwwww/wwwww w 0\n")
    words = ("greedy", "random", "--model", "trinomial", "--elo1", "300", "--openings", str(openings))
    passed = sprt(tmp_path / "out", *words)
    assert passed.returncode == 0, passed.stderr + passed.stdout
    refused = sprt(tmp_path / "none", "greedy", "random", "--openings", str(tmp_path / "nowhere"))
    assert refused.returncode == 2
