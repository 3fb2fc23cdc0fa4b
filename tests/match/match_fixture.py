"""A fixture with one match, its log and its time, which a test advances step by step.

Time advances only when the test says so. After each command the log is folded again and must yield the match.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import pytest
from msgspec.structs import replace

from engines.api import Game
from engines.game_errors import DetailedError
from engines.options import Value
from engines.registry import games
from referee.match.clock import SECOND, Micros, SuddenDeath, TimeControl
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, FallFlag, StartPlay, SubmitMove
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated, PlayEnded
from referee.match.result import Result
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase, create_match, evolve
from tests.match.games import BRITTLE, STONES
from tests.match.setups import make_setup
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES: dict[str, Game] = games() | {game.name: game for game in (NIM, FINGERS, STONES, BRITTLE)}
Error = TypeVar("Error", bound=DetailedError)
SEED = bytes(range(32))
TEN_SECONDS = SuddenDeath(10 * SECOND)


class Times(NamedTuple):
    """Time controls of all seats and network credit, in microseconds, which are finer than those of terms."""

    controls: tuple[TimeControl, ...]
    credit_a_move_us: Micros = 0
    credit_a_match_us: Micros = 0

    def put_in(self, match: Match) -> Match:
        """Return a new match with these times."""
        return replace(
            match,
            controls=self.controls,
            clocks=tuple(control.initial_clock() for control in self.controls),
            credit_a_move_us=self.credit_a_move_us,
            credit_us=(self.credit_a_match_us,) * len(self.controls),
        )


def replay(events: Iterable[Event], find_game: Callable[[str], Game], times: Times | None = None) -> Match:
    """Return the state after these events, the first of which must be MatchCreated."""
    first, *rest = events
    assert isinstance(first, MatchCreated)
    match = create_match(first, find_game(first.setup.terms.game))
    match = times.put_in(match) if times else match
    for event in rest:
        match = evolve(match, event)
    return match


def match_setup(
    game: Game = NIM,
    control: TimeControl | Sequence[TimeControl] = TEN_SECONDS,
    chosen: Mapping[str, Value] | None = None,
    **rest: Any,
) -> Setup:
    """Return the setup of a match: one control for all seats or one for each, and defaults for everything else."""
    settings = game.settings(chosen)
    seats = range(len(game.table(settings).seats))
    players = rest.pop("players", tuple(Player(f"bot{seat}", "1.0") for seat in seats))
    controls = (control,) * len(seats) if isinstance(control, TimeControl) else tuple(control)
    seed = rest.pop("seed", SEED)
    return make_setup(
        match_id="m1",
        game=game.name,
        game_version=game.version,
        settings=settings,
        players=players,
        controls=controls,
        seed=seed,
        **rest,
    )


class MatchFixture:
    """A match, its log, and the match time."""

    def __init__(self, setup: Setup, times: Times | None = None) -> None:
        self.game = GAMES[setup.terms.game]
        setup.check(self.game)
        self.times = times
        first = MatchCreated(0, setup)
        self.now_us: Micros = 0
        self.log: list[Event] = [first]
        self.match: Match = replay(self.log, GAMES.__getitem__, times)
        self.fault: Exception | None = None

    def do(self, command: Command, wait_us: Micros = 0) -> tuple[Event, ...]:
        """Return the events that follow if `command` arrives after `wait_us`."""
        self.now_us += wait_us
        decided = decide(self.match, command, self.now_us)
        self.match, self.fault = decided.match, decided.fault
        self.log.extend(decided.events)
        assert replay(self.log, GAMES.__getitem__, self.times) == self.match
        assert self.match.number == len(self.log)
        assert [type(event) for event in self.log].count(PlayEnded) == (self.match.phase is MatchPhase.OVER)
        return decided.events

    def refuses(self, command: Command, /, kind: type[Error], wait_us: Micros = 0, **details: str) -> Error:
        """Return the error of this class, with these details if any are given, that `command` gets after `wait_us`."""
        self.now_us += wait_us
        with pytest.raises(DetailedError) as caught:
            decide(self.match, command, self.now_us)
        assert isinstance(caught.value, kind)
        assert not details or caught.value.details == details
        assert str(caught.value).isprintable()
        return caught.value

    def answer(self, seat: int, move: str, **rest: Any) -> SubmitMove:
        """Return the seat's answer to its turn, arriving now unless the test says otherwise."""
        measured = TurnMeasurement(self.now_us, rest.pop("network_us", 0), rest.pop("stall_us", 0))
        token = rest.pop("token", None) or self.token(seat)
        return SubmitMove(seat, token, move, measured, **rest)

    def move(self, seat: int, move: str, after_us: Micros = 0, **rest: Any) -> tuple[Event, ...]:
        """Return the events that follow if the seat answers after `after_us`."""
        self.now_us += after_us
        return self.do(self.answer(seat, move, **rest))

    def play(self, moves: str) -> None:
        """Play these moves, of one character each, for the seats whose turn it is."""
        for move in moves:
            self.move(self.owing[0], move)

    def flag(self, seat: int, after_us: Micros = 0, **rest: Any) -> tuple[Event, ...]:
        """Return the events that follow if a timer checks the seat's clock after `after_us`."""
        self.now_us += after_us
        return self.do(FallFlag(seat, TurnMeasurement(self.now_us, **rest)))

    def token(self, seat: int) -> str:
        turn = self.match.turns[seat]
        return turn.token if turn else "none"

    @property
    def owing(self) -> list[int]:
        return [turn.seat for turn in self.match.owing]

    @property
    def result(self) -> Result:
        assert self.match.result
        return self.match.result

    @property
    def left_us(self) -> list[Micros]:
        return [clock.left_us for clock in self.match.clocks]


def started_match(
    game: Game = NIM,
    control: TimeControl | Sequence[TimeControl] = TEN_SECONDS,
    chosen: Mapping[str, Value] | None = None,
    credit_us: tuple[Micros, Micros] = (0, 0),
    **rest: Any,
) -> MatchFixture:
    """Return a match in play, with a network credit of so many microseconds for a move and for the match."""
    setup = match_setup(game, chosen=chosen, **rest)
    controls = (control,) * len(setup.players) if isinstance(control, TimeControl) else tuple(control)
    fixture = MatchFixture(setup, Times(controls, *credit_us))
    fixture.do(StartPlay())
    return fixture


def kinds(events: Sequence[Event]) -> list[str]:
    return [type(event).__name__ for event in events]
