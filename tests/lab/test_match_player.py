"""One match in this process, by a clock of the test: policies, clocks and rejected answers are those of the server."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from msgspec import UnsetType, structs
from referee_client import ACCEPT_DRAW, CLAIM_DRAW, RESIGN, Choice, Turn
from referee_values import ForfeitCause

from engines.registry import find
from referee.lab import terms
from referee.lab.lab_bots import PythonBot
from referee.lab.lab_turn import LabTurn
from referee.lab.match_player import MAX_REJECTED, PlayedMatch, TimeOver, play_match
from referee.match.clock import SECOND
from referee.match.events import (
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    MoveSource,
    PlayEnded,
    PlayStarted,
    SeatTaken,
)
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player, Setup
from referee.match.state import MatchPhase, create_match, evolve
from referee.records.record_reader import read_record
from referee.records.short_record import write_short
from tests.lab import bots

Choose = Callable[[Any], Any]


class FakeClock:
    """Nanoseconds that pass only when a bot takes them."""

    def __init__(self) -> None:
        self.ns = 5_000_000_000

    def __call__(self) -> int:
        self.ns += 1_000  # The referee itself takes a microsecond between two looks at the clock.
        return self.ns

    def thinking(self, seconds: float, choose: Choose = bots.last) -> Choose:
        def choose_later(turn: Any) -> Any:
            self.ns += round(seconds * 1e9)
            return choose(turn)

        return choose_later


def setup_of(game: str, seats: int, **words: Any) -> Setup:
    engine = find(game)
    complete = terms(game, **words).with_defaults(engine, SECOND)
    setup = Setup("m1", engine.version, complete, tuple(Player(f"bot-{seat}") for seat in range(seats)), bytes(32))
    setup.check(engine)
    return setup


def play(*choosers: Choose, clock: FakeClock | None = None, game: str = "alquerque", **words: Any) -> PlayedMatch:
    words = {name.rstrip("_"): word for name, word in words.items()}  # `clock` is the clock of the test.
    setup = setup_of(game, len(choosers), **words)
    seats = [PythonBot(choose).seat(setup, seat) for seat, choose in enumerate(choosers)]
    return play_match(setup, find(game), seats, clock or FakeClock())


def events_of(kind: type, finished: PlayedMatch) -> list[Any]:
    return [event for event in finished.events if type(event) is kind]


def forfeits(finished: PlayedMatch) -> list[tuple[int, ForfeitCause]]:
    assert finished.match.result
    return [(forfeit.seat, forfeit.cause) for forfeit in finished.match.result.forfeits]


@pytest.mark.parametrize("game", ["alquerque", "trox", "troke", "toc"])
def test_a_match_ends_by_the_rules_and_its_events_fold_to_its_state(game: str) -> None:
    options = {"max_plies": 60} if game == "troke" else {}
    seats = len(find(game).table(find(game).settings(options)).seats)
    finished = play(*[bots.fixed] * seats, game=game, options=options, clock=FakeClock())
    first, *others = finished.events
    assert isinstance(first, MatchCreated)
    assert reduce(evolve, others, create_match(first, find(game))) == finished.match
    assert finished.match.phase is MatchPhase.OVER
    assert isinstance(finished.events[-1], PlayEnded)
    assert not finished.failures


def test_a_lab_turn_has_every_attribute_of_a_turn_of_the_client_library() -> None:
    seen: list[dict[str, Any]] = []
    names = [field.name for field in fields(Turn) if not field.name.startswith(("listed_", "received_"))]
    names += [name for name, member in vars(Turn).items() if isinstance(member, property) and name != "time_left_now"]
    names += ["legal_moves", "view", "time_left_now"]

    def choose(turn: Any) -> str:
        seen.append({name: getattr(turn, name) for name in names})
        return str(turn.legal_moves[0])

    play(choose, choose, clock=FakeClock())
    first, second = seen[:2]
    assert (first["seat"], first["ply"], first["history"], first["time_left"]) == (
        0,
        0,
        (),
        60.1,
    )  # With the network credit of a move.
    assert first["position"] == "bbbbb/bbbbb/bb1ww/wwwww/wwwww w 0"
    assert [(played.seat, played.move) for played in second["history"]] == [(0, first["legal_moves"][0])]
    assert (second["clocks"][0].running, second["clocks"][1].running) == (False, True)


def test_a_turn_tells_the_same_whenever_it_is_asked() -> None:
    at_once: list[tuple[Any, ...]] = []
    kept: list[LabTurn] = []

    def facts(turn: Any) -> tuple[Any, ...]:
        counted = turn.ply, turn.position, turn.history, turn.simultaneous, turn.attempts_left, turn.draw_offers
        return (*counted, [(clock.seat, clock.running) for clock in turn.clocks])

    def asking(turn: Any) -> str:
        at_once.append(facts(turn))
        return bots.fixed(turn)

    def keeping(turn: Any) -> str:
        kept.append(turn)
        return bots.fixed(turn)

    asked, silent = play(asking, asking), play(keeping, keeping)
    assert asked == silent
    assert len(kept) == asked.match.ply > 20
    assert list(map(facts, reversed(kept))) == at_once[::-1]


def test_a_bot_that_gives_only_illegal_moves_forfeits_after_three_and_is_told_why() -> None:
    told = []

    def choose(turn: Any) -> str:
        told.append((turn.attempts_left, str(turn.rejection)))
        return "c2-c9"

    finished = play(choose, bots.last)
    assert forfeits(finished) == [(0, "illegal_move")]
    assert [attempts for attempts, _ in told] == [3, 2, 1]
    assert told[0][1] == "None"
    assert "c2-c9" in told[1][1]
    assert len(events_of(MoveRejected, finished)) == 3


def test_a_late_move_loses_on_time() -> None:
    clock = FakeClock()
    finished = play(clock.thinking(7), bots.last, clock=clock, clock_="20")
    assert forfeits(finished) == [(0, "time")]
    assert [len(events_of(kind, finished)) for kind in (MovePlayed, FlagFell)] == [4, 1]


def test_a_move_that_does_not_come_is_replaced_as_the_policy_says() -> None:
    def silent(turn: Any) -> str:
        clock.ns += round(turn.time_left * 1e9) + 10_000
        raise TimeOver

    clock = FakeClock()
    setup = setup_of("alquerque", 2, clock="5/move", policies={"timeout": "random_move"})
    finished = play_match(setup, find("alquerque"), [silent, PythonBot(bots.last).seat(setup, 1)], clock)
    assert {event.source for event in events_of(MovePlayed, finished) if event.seat == 0} == {MoveSource.RANDOM}
    assert finished.match.result
    assert finished.match.result.kind is EndKind.PLAYED


def test_a_seat_is_not_charged_for_the_time_in_which_another_bot_thinks() -> None:
    clock = FakeClock()
    slow, quick = clock.thinking(3, bots.fixed), bots.fixed
    finished = play(slow, quick, quick, quick, game="toc", clock=clock)
    charged = dict.fromkeys(range(4), 0)
    for event in events_of(MovePlayed, finished)[:8]:
        charged[event.seat] += event.row.charged_us
    assert charged[0] >= 3 * SECOND
    assert max(charged[1], charged[2], charged[3]) < 100


def test_a_bot_that_fails_resigns_and_its_error_is_kept() -> None:
    finished = play(bots.last, bots.failing)
    assert finished.match.result
    assert (finished.match.result.cause, finished.match.result.ranks) == (EndCause.RESIGNATION, (1, 2))
    ((seat, why),) = finished.failures
    assert seat == 1
    assert why.endswith("ZeroDivisionError: it divides by zero\n")


@pytest.mark.parametrize("failure", [GeneratorExit, SystemExit, bots.Stopping])
def test_a_bot_that_raises_what_is_no_error_resigns_too(failure: type[BaseException]) -> None:
    def choose(_: Any) -> str:
        raise failure("by the bot")

    ((seat, why),) = play(bots.last, choose).failures
    assert (seat, "by the bot" in why) == (1, True)


def test_an_interruption_is_no_failure_of_the_bot_that_it_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt):
        play(bots.last, bots.interrupting)


def test_an_answer_that_cannot_be_shown_is_a_failure_of_the_bot() -> None:
    class Unshown:
        def __repr__(self) -> str:
            raise ZeroDivisionError("no text")

    ((_, why),) = play(lambda _: Unshown(), bots.last).failures
    assert "no text" in why


@pytest.mark.parametrize("answer", [None, 3, b"c2-c3"])
def test_an_answer_that_is_no_answer_is_a_failure_of_the_bot(answer: object) -> None:
    finished = play(lambda _: answer, bots.last)
    assert "TypeError" in finished.failures[0][1]


def test_an_offered_draw_can_be_accepted() -> None:
    def offer(turn: Any) -> Choice:
        return Choice(turn.legal_moves[0], offer_draw=True)

    finished = play(offer, lambda turn: ACCEPT_DRAW if turn.draw_offers == (0,) else RESIGN)
    assert finished.match.result
    assert finished.match.result.cause is EndCause.DRAW_AGREED


def test_a_bot_that_only_gives_answers_that_are_not_allowed_resigns_in_the_end() -> None:
    told: list[str] = []

    def claim(turn: Any) -> Any:
        told.append(str(turn.rejection))
        return CLAIM_DRAW

    finished = play(claim, bots.last, clock_="none")
    assert finished.match.result
    assert finished.match.result.cause is EndCause.RESIGNATION
    assert len(told) == MAX_REJECTED
    assert "claim" in told[-1]


def test_answers_that_are_not_allowed_count_only_in_succession() -> None:
    def claim_first(turn: Any) -> Any:
        return turn.legal_moves[turn.ply % turn.legal_moves_count] if turn.rejection else CLAIM_DRAW

    finished = play(claim_first, claim_first, game="trox", clock_="none")
    assert finished.match.ply > MAX_REJECTED
    assert not finished.failures


def test_a_move_that_is_no_text_of_a_log_is_refused() -> None:
    finished = play(lambda _: "\ud800", bots.last)
    assert forfeits(finished) == [(0, "illegal_move")]


class Text(str):
    """Such as numpy.str_, which numpy.random.choice returns."""

    __slots__ = ()


class Whole(int):
    pass


@pytest.mark.parametrize("made", [Text, lambda move: Choice(Text(move), score=Whole(7))])
def test_a_move_of_a_subclass_of_text_is_stored_as_plain_text(made: Callable[[str], Any]) -> None:
    finished = play(lambda turn: made(turn.legal_moves[-1]), bots.last)
    moves = events_of(MovePlayed, finished)
    assert {type(event.move) for event in moves} == {str}
    assert {type(event.score) for event in moves} <= {int, UnsetType}


def test_a_failure_of_the_engine_makes_the_match_void(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = find("alquerque")
    start = engine.start
    calls: list[int] = []

    def broken(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) > 1:
            raise OverflowError("broken")
        return start(*arguments)

    setup = setup_of("alquerque", 2)
    monkeypatch.setattr(type(engine), "start", lambda _, *arguments: broken(*arguments))
    broken(setup.terms.settings, bytes(32))
    finished = play_match(setup, engine, [], FakeClock())
    assert finished.match.result
    assert finished.match.result.kind is EndKind.VOID
    assert isinstance(finished.fault, OverflowError)


@pytest.mark.parametrize("game", ["alquerque", "trox", "toc"])
def test_the_short_record_of_a_match_is_that_of_its_events(game: str) -> None:
    seats = len(find(game).table(find(game).settings({})).seats)
    policies = {"illegal_move": {"action": "random_move", "max_attempts": 2}}
    finished = play(bots.illegal, *[bots.fixed] * (seats - 1), game=game, policies=policies)
    assert finished.items != finished.events
    short = write_short(b"{", finished.items, 1_790_000_000_000)
    assert short == write_short(b"{", finished.events, 1_790_000_000_000)


PLAN = f"""
clock = "none"
without_nonces = true
rounds = 2

[bots]
fixed = "python:{bots.__file__}:fixed"
remembering = "python:{bots.__file__}:Remembering"
illegal = "python:{bots.__file__}:illegal"
failing = "python:{bots.__file__}:failing"

[[games]]
game = "alquerque"

[[games]]
game = "trox"

[[games]]
game = "troke"
options = {{ max_plies = 40 }}
"""
BOTS = {
    "fixed": bots.fixed,
    "remembering": bots.Remembering,
    "illegal": bots.illegal,
    "failing": bots.failing,
}


def timeless(event: Event) -> Event:
    """Return the event without times."""
    if isinstance(event, MovePlayed | FlagFell):
        event = structs.replace(event, row=None)
    return structs.replace(event, at_us=0)


def events_of_server(record: Path) -> list[Any]:
    """Return the events of a match whose seats had been taken when it was created, as they are in the lab."""
    with record.open("rb") as file:
        created, *others = [entry.event for entry in read_record(file).entries]
    assert isinstance(created, MatchCreated)
    (started,) = [event for event in others if isinstance(event, PlayStarted)]
    created = structs.replace(created, setup=structs.replace(created.setup, players=started.seated))
    return [created, *(event for event in others if not isinstance(event, SeatTaken))]


@pytest.mark.slow
def test_the_log_of_a_match_in_the_lab_is_that_of_the_server(tmp_path: Path) -> None:
    plan, out = tmp_path / "plan.toml", tmp_path / "out"
    plan.write_text(PLAN)
    command = [sys.executable, "-m", "referee", "arena", str(plan), "--out", str(out)]
    subprocess.run(command, timeout=300, check=False, capture_output=True)
    records = sorted(out.glob("*/records/*.jsonl"))
    assert len(records) == 36
    for record in records:
        stored = events_of_server(record)
        setup = stored[0].setup
        seats = [PythonBot(BOTS[player.bot]).seat(setup, seat) for seat, player in enumerate(setup.players)]
        played = play_match(setup, find(setup.terms.game), seats).events
        assert list(map(timeless, played)) == list(map(timeless, stored)), str(record)
