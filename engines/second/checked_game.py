"""A game whose positions run beside those of a second engine, and compare all that both know at every move.

Where the engines differ, `start`, `read` or `play` raises an EngineDifference, and a match ends as void, as by any
other failure of an engine.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from engines.api import REFEREE, SPECTATOR, Game, Json, Outcome, Position, Seat, Table, Viewer
from engines.codec import Codec
from engines.game_errors import GameError, quoted
from engines.options import Settings
from engines.second.engine_difference import EngineDifference, SecondEngineFailed, SecondEngineSlow
from engines.second.second_engine import SecondEngine, SecondPosition

T = TypeVar("T")

MAX_CPU_NS: Final = 5_000_000_000
"""CPU time that a second engine may take for one position."""
MOVES_SHOWN: Final = 10

CpuClock = Callable[[], int]
"""Returns the CPU time of this thread in nanoseconds."""


@dataclass(frozen=True)
class Comparison:
    """Two engines of the same game, and what one match of them is."""

    game: Game
    engine: SecondEngine
    cpu_ns: CpuClock


@dataclass(frozen=True)
class Reached:
    """How a position was reached: what the report of a difference shows."""

    ply: int
    """Moves since the first position."""
    before: str = ""
    """Full text of the position before the last move; empty if there was none."""
    seat: Seat = 0
    move: str = ""

    def lines(self) -> list[str]:
        return [f"position before: {self.before}", f"move: seat {self.seat}, {quoted(self.move)}"] if self.ply else []

    @property
    def last(self) -> tuple[Seat, str] | None:
        return (self.seat, self.move) if self.ply else None


class CheckedPosition(Position):
    """The position of the first engine, which was compared with that of the second one."""

    __slots__ = ("_comparison", "_moves", "_ply", "_second", "first")

    def __init__(self, comparison: Comparison, first: Position, second: SecondPosition, reached: Reached) -> None:
        """Raises EngineDifference, SecondEngineFailed or SecondEngineSlow."""
        self.first = first
        self._comparison = comparison
        self._second = second
        self._ply = reached.ply
        self._moves: dict[Seat, Sequence[str]] = {seat: first.moves(seat) for seat in first.owing}
        self._compare(reached)

    @property
    def settings(self) -> Settings:
        return self.first.settings

    @property
    def owing(self) -> tuple[Seat, ...]:
        return self.first.owing

    @property
    def outcome(self) -> Outcome | None:
        return self.first.outcome

    @property
    def standing(self) -> tuple[float, ...]:
        return self.first.standing

    @property
    def claimable(self) -> str | None:
        return self.first.claimable

    def moves(self, seat: Seat) -> Sequence[str]:
        return self._moves.get(seat, [])

    def play(self, seat: Seat, move: str) -> "CheckedPosition":
        """Raises what `Position.play` raises, and what the constructor raises."""
        before = str(self.first)
        reached = Reached(self._ply + 1, before, seat, move)
        accepted = move in self._moves.get(seat, ())  # Both engines list the same moves.
        try:
            first = self.first.play(seat, move)
        except GameError as refusal:
            if accepted:
                answers = self._answers(f"refuses the move: {refusal}", "accepts it")
                raise self._difference("legality of a move", reached, answers) from refusal
            raise
        if not accepted:
            raise self._difference("legality of a move", reached, self._answers("accepts the move", "refuses it"))
        second = run_second(self._comparison, reached, lambda: self._second.play(seat, move, str(first)))
        return CheckedPosition(self._comparison, first, second, reached)

    def text(self, viewer: Viewer) -> str:
        return self.first.text(viewer)

    def view(self, viewer: Viewer) -> Json:
        return self.first.view(viewer)

    def visible_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return self.first.visible_move(seat, move, viewer)

    def revealed_move(self, seat: Seat, move: str, viewer: Viewer) -> str:
        return self.first.revealed_move(seat, move, viewer)

    def picture(self, viewer: Viewer) -> str:
        return self.first.picture(viewer)

    def default(self, seat: Seat) -> str:
        return self.first.default(seat)

    def _compare(self, reached: Reached) -> None:
        """Raise EngineDifference where the second engine gives other answers."""
        first, second = self.first, self._second
        outcome, moves, texts = run_second(self._comparison, reached, lambda: self._ask(second))
        theirs = tuple(moves)
        if what := _outcome_difference(first.outcome, outcome):
            raise self._difference(what, reached, self._answers(str(first.outcome), str(outcome)))
        if first.owing != theirs:
            answers = self._answers(f"seats {first.owing}", f"seats {theirs}")
            raise self._difference("seats that are to move", reached, answers)
        for seat, listed in self._moves.items():
            if len(listed) != len(moves[seat]) or set(listed) != moves[seat]:
                raise self._difference(f"legal moves of seat {seat}", reached, self._move_answers(listed, moves[seat]))
        for viewer, text in texts.items():
            if (mine := first.text(viewer)) != text:
                raise self._difference(f"text for {_named(viewer)}", reached, self._answers(mine, text))

    def _ask(self, second: SecondPosition) -> tuple[Outcome | None, dict[Seat, frozenset[str]], dict[Viewer, str]]:
        """Return the outcome, the moves by seat and the texts by viewer that the second engine knows."""
        seats = range(len(self._comparison.game.table(self.first.settings).seats))
        texts = {viewer: second.text(viewer) for viewer in (REFEREE, SPECTATOR, *seats)}
        moves = {seat: frozenset(second.moves(seat)) for seat in second.owing}
        return second.outcome, moves, {viewer: text for viewer, text in texts.items() if text is not None}

    def _answers(self, first: str, second: str) -> list[str]:
        return [f"{self._comparison.game.name}: {first}", f"{self._comparison.engine.name}: {second}"]

    def _move_answers(self, first: Collection[str], second: Collection[str]) -> list[str]:
        if len(first) != len(set(first)):
            return [f"{self._comparison.game.name} lists a move twice: {_listed(first)}"]
        only_first, only_second = set(first) - set(second), set(second) - set(first)
        return self._answers(f"only {_listed(only_first)}", f"only {_listed(only_second)}")

    def _difference(self, what: str, reached: Reached, answers: Iterable[str]) -> EngineDifference:
        comparison = self._comparison
        names = f"{comparison.game.name} and {comparison.engine.name}"
        there = [f"position: {self.first}"] if str(self.first) != reached.before else []
        headline = f"the engines {names} differ at ply {reached.ply} in the {what}"
        return EngineDifference(headline, [*reached.lines(), *there, *answers], reached.last)


def run_second(comparison: Comparison, reached: Reached, call: Callable[[], T]) -> T:
    """Return what the second engine answers. Raises SecondEngineFailed or SecondEngineSlow."""
    name = comparison.engine.name
    begun_ns = comparison.cpu_ns()
    try:
        answer = call()
    except Exception as failure:
        why = f"{type(failure).__name__} at ply {reached.ply}"
        details = [*reached.lines(), f"{name}: {type(failure).__name__}: {failure}"]
        raise SecondEngineFailed(f"the second engine {name} failed with {why}", details, reached.last) from failure
    took_ns = comparison.cpu_ns() - begun_ns
    if took_ns > MAX_CPU_NS:
        headline = f"the second engine {name} took too long at ply {reached.ply}"
        limit = f"it took {took_ns // 1_000_000} ms of CPU; the limit is {MAX_CPU_NS // 1_000_000}"
        raise SecondEngineSlow(headline, [*reached.lines(), limit], reached.last)
    return answer


class CheckedGame(Game):
    """A game that runs beside a second engine. All else is that of the game."""

    is_slow = True

    def __init__(self, game: Game, engine: SecondEngine, cpu_ns: CpuClock) -> None:
        self._comparison = Comparison(game, engine, cpu_ns)
        self._game = game
        self.name = game.name
        self.version = game.version
        self.title = game.title
        self.rules = game.rules
        self.options = game.options
        self.notation = game.notation
        self.view_schema: Mapping[str, Json] = game.view_schema
        self.draws_by_agreement = game.draws_by_agreement
        self.drawn_when_stopped = game.drawn_when_stopped

    @property
    def second(self) -> str:
        """Name of the second engine."""
        return self._comparison.engine.name

    def table(self, settings: Settings) -> Table:
        return self._game.table(settings)

    def start(self, settings: Settings, seed: bytes) -> CheckedPosition:
        return self._checked(self._game.start(settings, seed))

    def read(self, text: str, settings: Settings) -> CheckedPosition:
        return self._checked(self._game.read(text, settings))

    def svg(self, settings: Settings, view: Json, last_move: str | None = None) -> str:
        return self._game.svg(settings, view, last_move)

    def codec(self, settings: Settings) -> Codec | None:
        return self._game.codec(settings)

    def imagine(self, text: str, settings: Settings, seed: bytes) -> Position:
        """Return a position that is not compared: no match reaches it."""
        return self._game.imagine(text, settings, seed)

    def resample(self, position: Position, viewer: Viewer, seed: bytes) -> Position:
        """Return a position that is not compared either."""
        first = position.first if isinstance(position, CheckedPosition) else position
        return self._game.resample(first, viewer, seed)

    def _checked(self, first: Position) -> CheckedPosition:
        comparison, text = self._comparison, str(first)
        reached = Reached(0)
        if refusal := comparison.engine.refusal(first.settings):
            raise SecondEngineFailed(f"the second engine {self.second} cannot play: {refusal}", [])
        second = run_second(comparison, reached, lambda: comparison.engine.start(first.settings, text))
        return CheckedPosition(comparison, first, second, reached)


def _outcome_difference(first: Outcome | None, second: Outcome | None) -> str:
    """Return what of two outcomes differs, as far as both are known; empty: nothing."""
    if first is None or second is None:
        return "" if first is second else "end of the game"
    if first.side_ranks != second.side_ranks:
        return "winner"
    if second.scores and first.scores != second.scores:
        return "scores"
    return "reason of the end" if second.reason and first.reason != second.reason else ""


def _listed(moves: Collection[str]) -> str:
    shown = ", ".join(map(quoted, sorted(moves)[:MOVES_SHOWN]))
    return f"{shown}, … ({len(moves)})" if len(moves) > MOVES_SHOWN else shown or "none"


def _named(viewer: Viewer) -> str:
    return {REFEREE: "the referee", SPECTATOR: "spectators"}.get(viewer, f"seat {viewer}")
