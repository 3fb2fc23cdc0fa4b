"""UCI and GTP engines in the lab: the same words as in arenas, and what follows if they end, hang or never answer."""

import asyncio
import re
import shlex
import sys
from pathlib import Path

import pytest

from referee import lab
from referee.lab import engine_program
from referee.lab.lab_bots import LabBotRefused
from referee.lab.lab_match import LabResult
from referee.lab.lab_turn import LabTurn
from referee.local.entrant import WrongGame
from referee.match.result import EndCause
from tests.lab.test_lab_command import lab as run_lab
from tests.lab.test_lab_command import results
from tests.lab.test_line_program import children
from tests.local.test_game_engines import PROGRAMS, scripted_engine

pytestmark = pytest.mark.slow

NINE = {"size": 9}


def watched_engine(folder: Path, name: str, protocol: str = "uci") -> str:
    """Return the notation of an engine; all lines to it are in `folder/name`, and the starts in `folder/starts`."""
    program = shlex.join([sys.executable, str(PROGRAMS / f"{protocol}_program.py"), "good"])
    script = f"echo {name} >> {folder}/starts; tee -a {folder}/{name} | {program}"
    return f"{name}={protocol}:sh -c {shlex.quote(script)}"


def play(first: str, second: str, terms: object, matches: int = 1) -> list[LabResult]:
    return list(lab.play([first, second], terms, matches, 0))  # type: ignore[arg-type]  # Words of a plan.


def lines_to(folder: Path, name: str, command: str) -> list[str]:
    return [line for line in (folder / name).read_text().splitlines() if line.startswith(command)]


def test_a_uci_engine_is_told_the_clocks_and_all_moves_and_asked_to_quit(tmp_path: Path) -> None:
    before = children()
    terms = lab.terms("chess", clock="600+7", adjudication={"max_plies": 6})
    (result,) = play(watched_engine(tmp_path, "one"), watched_engine(tmp_path, "two"), terms)
    assert result.result.reason == "max_plies"
    assert all(line.endswith("winc 7000 binc 7000") for line in lines_to(tmp_path, "one", "go wtime "))
    positions = lines_to(tmp_path, "two", "position")
    assert [len(line.split()) for line in positions] == [8, 11, 13]  # Two moves more in each turn, after `moves`.
    assert (tmp_path / "one").read_text().endswith("\nquit\n")
    assert children() <= before


def test_each_worker_runs_one_process_of_an_engine_for_all_its_matches(tmp_path: Path) -> None:
    terms = lab.terms("chess", adjudication={"max_plies": 2}, clock="600")
    bots = [watched_engine(tmp_path, "one"), watched_engine(tmp_path, "two")]
    assert len(list(lab.play(bots, terms, 4, 1))) == 4
    # Once to see whether it speaks UCI, and once in the worker.
    assert sorted((tmp_path / "starts").read_text().split()) == ["one", "one", "two", "two"]
    assert len(lines_to(tmp_path, "one", "ucinewgame")) == 4


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_an_engine_that_does_not_answer_loses_on_time(protocol: str) -> None:
    bad, good = scripted_engine(protocol, "bad", "hangs"), scripted_engine(protocol, "good", "good")
    first, second = play(bad, good, lab.terms(*GAMES[protocol], options=OPTIONS[protocol], clock="1"), 2)
    assert [(forfeit.seat, forfeit.cause) for forfeit in first.result.forfeits] == [(0, "time")]
    assert (1, "time") in [(forfeit.seat, forfeit.cause) for forfeit in second.result.forfeits]


GAMES = {"uci": ["chess"], "gtp": ["go"]}
OPTIONS: dict[str, dict[str, int]] = {"uci": {}, "gtp": NINE}


def interrupt() -> None:
    raise KeyboardInterrupt


def test_an_interruption_while_an_engine_thinks_ends_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_turn(turn: LabTurn) -> object:
        asyncio.get_running_loop().call_soon(interrupt)
        return engine_turn(turn)

    engine_turn = engine_program.engine_turn
    monkeypatch.setattr(engine_program, "engine_turn", interrupted_turn)
    before = children()
    with pytest.raises(KeyboardInterrupt):
        play(watched_engine(tmp_path, "one"), "random", lab.terms("chess", clock="none"))
    assert (tmp_path / "starts").read_text() == "one\n"
    assert children() <= before


@pytest.mark.parametrize(("protocol", "told"), [("uci", "UCI"), ("gtp", "GTP")])
def test_an_engine_that_never_answers_is_refused_before_the_first_match(
    protocol: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_program, "GREETING_TIMEOUT_S", 0.1)
    before = children()
    with pytest.raises(LabBotRefused) as refused:
        play(f"mute={protocol}:sleep 3600", "random", lab.terms(*GAMES[protocol]))
    why = f"it does not speak {told}: it has not answered the first commands within 0.1 s"
    assert str(refused.value) == f"the lab cannot run the bot mute: {why}"
    assert children() <= before


def test_an_engine_that_ends_at_its_start_is_refused_with_the_end_of_its_standard_error(tmp_path: Path) -> None:
    plan = f"{CHESS}one = 'uci:sh -c \"echo no library >&2; exit 3\"'\ntwo = 'random'\n"
    for workers in ("0", "1"):
        done = run_lab(tmp_path, plan, "--workers", workers, out=workers)
        assert done.exit_code == 2
        said = " ".join(done.stderr.split())
        assert "it does not speak UCI: `sh -c 'echo no library >&2; exit 3'`: it closed its output, exit st" in said
        assert said.endswith("no library")


CHESS = """
game = "chess"
clock = "600"
round_robin = { cycles = 1 }
adjudication = { max_plies = 8 }

[bots]
"""


def test_a_tournament_of_engines_keeps_their_standard_error_and_what_the_bridge_reports(tmp_path: Path) -> None:
    engines = (
        scripted_engine("uci", "good", "good"),
        scripted_engine("uci", "bad", "crashes").replace("uci:", "uci:Hash=32 'No Such=1' "),
    )
    text = CHESS + "".join(f'{name} = "{run}"\n' for name, _, run in (engine.partition("=") for engine in engines))
    done = run_lab(tmp_path, text)
    assert done.exit_code == 0, done.output
    assert {result.result.cause for result in results(tmp_path)} == {EndCause.RESIGNATION}
    log = (tmp_path / "out" / "bots" / "bad.log").read_text()
    assert log.count("no memory\n") == 3
    assert "the engine has no option 'No Such'; it is set anyway" in log
    assert "Hash" not in log
    assert "the program has ended: it closed its output" in log
    assert "the bot failed, and resigned" in log
    assert not (tmp_path / "out" / "bots" / "good.log").exists()


@pytest.mark.parametrize(
    ("bot", "why"),
    [
        ("uci:./no-such-engine", "the lab cannot run the bot one: ./no-such-engine: No such file or directory"),
        ("gtp:gnugo --mode gtp", "the bot one plays only go, not chess"),
        (f"grpc:{sys.executable} -m referee_client.bridge --uci --no-such -- cat", "--no-such"),
        (f"grpc:{sys.executable} -m referee_client.bridge --uci --option Hash -- cat", "takes NAME=VALUE, not 'Hash'"),
        (f"grpc:{sys.executable} -m referee_client.bridge --sandbox -- cat", "not programs with a network"),
    ],
)
def test_an_engine_that_cannot_play_is_refused(tmp_path: Path, bot: str, why: str) -> None:
    for plan in (f"{CHESS}one = '{bot}'\ntwo = 'random'\n", ARENA.replace("BOTS", f"one = '{bot}'")):
        done = run_lab(tmp_path, plan, out=str(len(plan)))
        assert done.exit_code == 2
        assert why in " ".join(done.stderr.split())
    with pytest.raises((LabBotRefused, WrongGame), match=re.escape(why)):
        play(f"one={bot}", "random", lab.terms("chess"))


ARENA = """
clock = "600"

[bots]
BOTS
two = "random"

[[games]]
game = "chess"
"""
