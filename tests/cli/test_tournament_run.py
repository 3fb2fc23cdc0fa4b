"""`referee tournament run`, `referee sprt` and `referee report` as a person runs them: real processes, real bots."""

import os
import resource
import select
import subprocess
from pathlib import Path
from typing import IO

import pytest

from tests.e2e.contests import ROUND_ROBIN, match_terms
from tests.e2e.organiser import call_method
from tests.e2e.server import register_bots, run_server
from tests.local.test_commands import ADDRESS, TIMEOUT_S, bot_processes_of, program, referee, start_referee

pytestmark = pytest.mark.slow


def write_plan(folder: Path, form: str, *bots: str, more: str = "") -> Path:
    file = folder / "cup.toml"
    bot_lines = "\n".join(f'{name} = "{command}"' for name, command in (bot.split("=", 1) for bot in bots))
    terms = f'game = "alquerque"\nmax_concurrent_matches = 2\n{form}\n{more}'
    file.write_text(f"{terms}\n[bots]\n{bot_lines}\n", encoding="utf-8")
    return file


def honest_bots(*names: str) -> list[str]:
    return [f"{name}={program()}" for name in names]


def test_a_tournament_is_played_to_its_end_and_its_folder_belongs_to_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = write_plan(tmp_path, "round_robin = { cycles = 1 }", *honest_bots("anna", "bert", "carl", "dora"))
    completed = referee("tournament", "run", str(file), "--out", str(out))
    assert completed.returncode == 0, completed.stderr
    assert "6/6" in completed.stdout
    for name in ("report.html", "standings.csv", "tournament.json", "tournament.trf", "bots/anna.log"):
        assert (out / name).exists(), name
    assert len(list(out.glob("records/*.jsonl"))) == 6
    assert referee("verify", *map(str, out.glob("records/*"))).returncode == 0

    repeated = referee("tournament", "run", str(file), "--out", str(out))
    assert repeated.returncode == 0, repeated.stderr
    assert "6 of 6 pairings are already played" in repeated.stdout
    text, html = referee("report", str(out)), referee("report", str(out), "--html")
    assert "1 " in text.stdout
    assert text.returncode == 0
    assert html.stdout == (out / "report.html").read_text(encoding="utf-8")

    other = write_plan(tmp_path, "round_robin = { cycles = 2 }", *honest_bots("anna", "bert"))
    failed = referee("tournament", "run", str(other), "--out", str(out))
    assert failed.returncode == 2
    assert "other terms" in failed.stderr.replace("\n", " ")


@pytest.mark.parametrize("command", ["tournament", "match", "sprt"])
def test_a_killed_command_leaves_no_process(tmp_path: Path, command: str) -> None:
    bots = [f"anna={program('parent')}", *honest_bots("bert", "carl")]
    arguments = {
        "tournament": ("tournament", "run", str(write_plan(tmp_path, "round_robin = { cycles = 9 }", *bots))),
        "match": ("match", *bots[:2], "--games", "99"),
        "sprt": ("sprt", *bots[:2], "--elo1", "1"),
    }[command]
    with start_referee(*arguments, "--out", str(tmp_path / "out")) as process:
        assert process.stdout
        found = ADDRESS.match(process.stdout.readline())
        assert found, process.communicate()[1]
        assert process.stdout.readline()
        bot_handles = [os.pidfd_open(int(process_id)) for process_id in bot_processes_of(found[1])]
        assert len(bot_handles) > 4, "anna, her child, and bert; two supervisors"
        process.kill()
        for handle in bot_handles:
            assert select.select([handle], [], [], TIMEOUT_S)[0]
            os.close(handle)


def test_bots_that_do_not_start_are_reported_and_the_others_play(tmp_path: Path) -> None:
    file = write_plan(
        tmp_path,
        "swiss = { rounds = 2 }",
        *honest_bots("anna", "bert", "carl"),
        "none=grpc:./there-is-no-such-bot",
        f"bad={program('dies-at-once')}",
    )
    completed = referee("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    assert completed.returncode == 4, completed.stderr
    assert "none could not be started: ./there-is-no-such-bot: No such file" in completed.stderr
    assert "I will not play" in completed.stderr
    assert "2/2" in completed.stdout


INVALID_PLANS = [
    ("swiss = { rounds = 9 }", "", "takes 10 to 1000 entrants"),
    ("round_robin = {}", 'entrants = ["zed"]', "no bot 'zed'"),
    ("round_robin = {}", f'title = "{"x" * 201}"', "the limit is 200"),
]
"""Format, other terms, and a part of the error message."""


def test_an_invalid_plan_leaves_the_folder_usable(tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "out"))
    for form, more, hint in INVALID_PLANS:
        plan = write_plan(tmp_path, form, *honest_bots("anna", "bert"), more=more)
        failed = referee("tournament", "run", str(plan), *out)
        assert failed.returncode == 2, failed.stderr
        assert hint in " ".join(failed.stderr.split())

    valid_plan = write_plan(tmp_path, "round_robin = { cycles = 2 }", *honest_bots("anna", "bert"))
    assert referee("tournament", "run", str(valid_plan), *out).returncode == 0


def test_a_tournament_with_too_few_bots_can_be_started_again_by_the_same_command(tmp_path: Path) -> None:
    late_bot = tmp_path / "late.sh"
    file = write_plan(tmp_path, "round_robin = {}", *honest_bots("anna"), f"late=grpc:{late_bot}")
    arguments = ("tournament", "run", str(file), "--out", str(tmp_path / "out"))
    first_run = referee(*arguments)
    assert first_run.returncode == 4, first_run.stderr
    assert "cup cannot start, since bots are missing" in first_run.stderr
    assert f"late could not be started: {late_bot}: No such file" in first_run.stderr

    late_bot.write_text(f"#!/bin/sh\nexec {program().removeprefix('grpc:')}\n", encoding="utf-8")
    late_bot.chmod(0o700)
    second_run = referee(*arguments)
    assert second_run.returncode == 0, second_run.stderr
    assert "1/1" in second_run.stdout


def test_a_resumed_tournament_with_too_few_bots_ends_and_is_reported(tmp_path: Path) -> None:
    out, names = tmp_path / "out", ("anna", "late")
    (out / "referee").mkdir(parents=True)
    with run_server(tmp_path, "--data-dir", str(out / "referee")) as server, server.channel() as channel:
        register_bots(channel, server.admin_token, *names)
        request = {
            "request_id": "cup",
            "name": "cup",
            "terms": {"match_terms": match_terms(), **ROUND_ROBIN},
            "entrants": [{"bots": [{"bot": name}]} for name in names],
        }
        call_method(channel, "TournamentService/CreateTournament", server.admin_token, **request)
        call_method(channel, "TournamentService/StartTournament", server.admin_token, name="cup")
        (out / "referee" / "token").write_text(server.admin_token, encoding="utf-8")
    file = write_plan(tmp_path, "round_robin = {}", *honest_bots("anna"), "late=./there-is-no-such-bot")
    completed = referee("tournament", "run", str(file), "--out", str(out))
    assert completed.returncode == 4, completed.stderr
    assert "late could not be started: exit status 2" in completed.stderr
    assert "state: finished" in completed.stdout


@pytest.mark.parametrize("blocked", ["report-data.json.part", "records/1.1.1.jsonl.part"])
def test_a_folder_that_cannot_be_written_is_reported_and_the_rest_is_played_later(tmp_path: Path, blocked: str) -> None:
    out = tmp_path / "out"
    (out / blocked).mkdir(parents=True)
    arguments = (
        "tournament",
        "run",
        str(write_plan(tmp_path, "round_robin = {}", *honest_bots("anna", "bert"))),
        "--out",
        str(out),
    )
    failed_run = referee(*arguments)
    assert (failed_run.returncode, failed_run.stderr.count("\n")) == (1, 1), failed_run.stderr
    assert "Is a directory; to play the rest, run the same command with the same --out" in failed_run.stderr

    (out / blocked).rmdir()
    assert referee(*arguments).returncode == 0
    assert len(list(out.glob("records/*.jsonl"))) == 1


def test_a_full_disk_is_reported_at_once_and_the_tournament_continues_later(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = write_plan(tmp_path, "round_robin = { cycles = 9 }", *honest_bots("anna", "bert"))
    with start_referee("tournament", "run", str(file), "--out", str(out)) as process:
        assert process.stdout
        assert process.stderr
        while not process.stdout.readline().lstrip().startswith("1/9"):
            assert process.poll() is None
        limit = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        current_size = (out / "referee" / "referee.db-wal").stat().st_size
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (current_size, limit[1]))
        assert "clocks are stopped until" in next_error_line(process.stderr)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limit)
        assert "can be written again; the tournament continues" in next_error_line(process.stderr)
        shown, _ = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0
        assert "9/9" in shown
    assert len(list(out.glob("records/*.jsonl"))) == 9


def test_records_that_could_not_be_written_are_written_later(tmp_path: Path) -> None:
    out = tmp_path / "out"
    file = write_plan(tmp_path, "round_robin = { cycles = 3 }", *honest_bots("anna", "bert"))
    (out / "records").mkdir(parents=True)
    part = out / "records" / "1.1.1.jsonl.part"
    part.symlink_to("/dev/full")
    with start_referee("tournament", "run", str(file), "--out", str(out)) as process:
        assert process.stderr
        assert "cannot write the records of 1.1: No space left on device" in next_error_line(process.stderr)
        part.unlink()
        process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 0
    assert len(list(out.glob("records/*.jsonl"))) == 3


def next_error_line(errors: IO[str]) -> str:
    """Return the next line that is not empty."""
    return next(line for line in errors if line.strip())


def test_missing_bots_and_folders_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('game = "trox"\n')
    failed = referee("tournament", "run", str(file))
    assert (failed.returncode, "below [bots]" in failed.stderr) == (2, True)
    failed = referee("report", str(tmp_path))
    assert (failed.returncode, "is not the folder of a tournament run" in failed.stderr) == (1, True)


def sprt(out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return referee("sprt", *arguments, "--clock", "20+0.1", "--out", str(out))


def test_an_sprt_stops_at_its_verdict_and_exits_with_its_status(tmp_path: Path) -> None:
    passed = sprt(tmp_path / "up", "greedy", "random", "--elo1", "200", "--parallel", "2")
    assert passed.returncode == 0, passed.stderr
    assert "passed: LLR" in passed.stdout
    failed = sprt(tmp_path / "down", "random", "greedy", "--elo1", "200")
    assert failed.returncode == 6, failed.stderr
    undecided = sprt(tmp_path / "even", "random", "other=random", "--elo1", "2", "--max-matches", "4")
    assert undecided.returncode == 7, undecided.stderr
    assert "undecided: LLR" in undecided.stdout


def test_a_run_prints_that_bots_without_randomness_repeat_their_games(tmp_path: Path) -> None:
    for name, place in (("first", 0), ("last", -1)):
        (tmp_path / f"{name}.py").write_text(f"def choose(turn):\n    return turn.legal_moves[{place}]\n")
    bots = [f"python:{tmp_path}/{name}.py:choose" for name in ("first", "last")]
    undecided = sprt(tmp_path / "out", *bots, "--elo1", "20")
    assert undecided.returncode == 7, undecided.stderr
    assert ", 20 repeated matches not counted" in undecided.stdout
    assert ", 20 repeated matches of 22" in undecided.stdout
    arena = referee("match", *bots, "--games", "6", "--out", str(tmp_path / "match"))
    assert arena.returncode == 0, arena.stderr
    assert "4 repeated matches: same seats and moves as another" in arena.stdout


def test_an_sprt_can_count_single_matches_and_use_openings(tmp_path: Path) -> None:
    openings = tmp_path / "openings.txt"
    openings.write_text("# the usual one\nbbbbb/bbbbb/bb1ww/wwwww/wwwww w 0\n")
    arguments = ("greedy", "random", "--model", "trinomial", "--elo1", "300", "--openings", str(openings))
    passed = sprt(tmp_path / "out", *arguments)
    assert passed.returncode == 0, passed.stderr + passed.stdout
    failed = sprt(tmp_path / "none", "greedy", "random", "--openings", str(tmp_path / "nowhere"))
    assert failed.returncode == 2
