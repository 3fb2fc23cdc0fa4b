"""What the positions of a finished match were worth, estimated by playing on from them at random.

Before each continuation, everything that the seat to move did not know is drawn anew, so a move is judged by what its
seat could know. The worth of a position to a seat is the mean share of the other sides that its side beats in the
continuations, where a draw is half: scores of games have no common unit.
"""

import os
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import sqrt
from multiprocessing import get_context

from engines.api import Game, Position, Seat, Table
from engines.game_errors import MalformedPosition
from engines.options import Settings
from engines.registry import find
from referee.match.events import MovePlayed
from referee.records.record_reader import RecordHistory

SEED_BYTES = 16
CERTAIN = 2.0
"""Standard errors from which on a loss is more than chance."""


@dataclass(frozen=True, slots=True)
class PlayoutTerms:
    games: int
    """Continuations of each position; at least 2."""
    seed: str = "0"
    """Equal seeds give equal estimates."""
    max_moves: int | None = None
    """Moves after which a continuation stops, and those who are ahead have won. None: it is played to the end."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean share of the other sides that each seat beats, from 0 to 1, and its standard error."""

    means: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RecordedMove:
    ply: int
    """Number of moves before it."""
    seat: Seat
    move: str
    before: Position


@dataclass(frozen=True, slots=True)
class JudgedMove:
    played: RecordedMove
    before: Estimate
    after: Estimate

    @property
    def cost(self) -> float:
        """Worth that its seat lost by it. Negative: it gained."""
        seat = self.played.seat
        return self.before.means[seat] - self.after.means[seat]

    @property
    def error(self) -> float:
        """Standard error of the cost."""
        seat = self.played.seat
        return sqrt(self.before.errors[seat] ** 2 + self.after.errors[seat] ** 2)

    @property
    def is_certain(self) -> bool:
        """Whether it cost more than chance explains."""
        return self.cost > CERTAIN * self.error


def played_moves(history: RecordHistory) -> list[RecordedMove]:
    """Return the moves of a match, with the position before each."""
    found: list[RecordedMove] = []
    before = history.first
    for step in history.steps[1:]:
        event = step.entry.event
        if isinstance(event, MovePlayed) and before.position:
            found.append(RecordedMove(before.ply, event.seat, event.move, before.position))
        before = step.state
    return found


def can_be_judged(game: Game, move: RecordedMove) -> bool:
    """Return whether the game can draw what the seat that moved did not know at this move."""
    try:
        game.imagine(move.before.text(move.seat), move.before.settings, b"")
    except MalformedPosition:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Line:
    """A position as the moves that lead to it: one of a compiled engine cannot be sent to another process."""

    game: str
    settings: Settings
    start: str
    """Text of the first position."""
    moves: tuple[tuple[Seat, str], ...]

    def position(self) -> Position:
        found = find(self.game).read(self.start, self.settings)
        for seat, move in self.moves:
            found = found.play(seat, move)
        return found


class Playouts:
    """Plays continuations of a match in other processes."""

    def __init__(
        self, pool: ProcessPoolExecutor, game: Game, moves: Sequence[RecordedMove], terms: PlayoutTerms
    ) -> None:
        self._pool, self._game, self._moves, self._terms = pool, game, moves, terms
        start = moves[0].before
        played = tuple((move.seat, move.move) for move in moves)
        self._line = Line(game.name, start.settings, str(start), played)

    def judge_match(self, every: int = 1) -> Iterator[JudgedMove]:
        """Yield every such move with its estimates, except where the game cannot draw what is hidden.

        Where nothing is hidden, one estimate serves two moves.
        """
        asked: dict[tuple[int, Seat | None], Future[Estimate | None]] = {}
        judged = [(number, move) for number, move in enumerate(self._moves)][::every]
        for number, move in judged:
            for count in (number, number + 1):
                if (key := self._key(count, move)) not in asked:
                    asked[key] = self._estimate(self._line.moves[:count], move.seat, f"{count}")
        for number, move in judged:
            before, after = (asked[self._key(count, move)].result() for count in (number, number + 1))
            if before and after:
                yield JudgedMove(move, before, after)

    def judge_alternatives(self, number: int) -> list[JudgedMove]:
        """Return all legal moves in place of a move that was played, the best first.

        Moves before or after which the game cannot draw what is hidden are left out.
        """
        move = self._moves[number]
        line = self._line.moves[:number]
        before = self._estimate(line, move.seat, "before")
        asked = {
            other: self._estimate((*line, (move.seat, other)), move.seat, other)
            for other in move.before.moves(move.seat)
        }
        judged = [
            JudgedMove(replace(move, move=other), worth_before, worth_after)
            for other, after in asked.items()
            if (worth_before := before.result()) and (worth_after := after.result())
        ]
        return sorted(judged, key=lambda alternative: (alternative.cost, alternative.played.move))

    def _key(self, count: int, move: RecordedMove) -> tuple[int, Seat | None]:
        """Return what an estimate after `count` moves depends on: not on the seat where nothing is hidden."""
        return count, move.seat if move.before.text(move.seat) != str(move.before) else None

    def _estimate(self, moves: tuple[tuple[Seat, str], ...], seat: Seat, purpose: str) -> Future[Estimate | None]:
        line = replace(self._line, moves=moves)
        return self._pool.submit(estimate, line, seat, self._terms, f"{purpose}/{seat}")


@contextmanager
def run_playouts(
    game: Game, moves: Sequence[RecordedMove], terms: PlayoutTerms, workers: int = 0
) -> Iterator[Playouts]:
    """Start processes that play continuations of a match. `workers`: 0 is one for each core."""
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        try:
            yield Playouts(pool, game, moves, terms)
        finally:
            pool.shutdown(cancel_futures=True)


def estimate(line: Line, seat: Seat, terms: PlayoutTerms, purpose: str) -> Estimate | None:
    """Return the worth of a position to all seats, as far as `seat` could know it.

    None: the game finds no position that looks to `seat` like this one.
    """
    rng, game, position = random.Random(f"{terms.seed}/{purpose}"), find(line.game), line.position()
    table = game.table(line.settings)
    shares = []
    known = position.text(seat)
    for _ in range(terms.games):
        # The text lacks the history that repetition rules need, so the position itself is better if nothing is hidden.
        whole = known == str(position)
        try:
            start = position if whole else game.imagine(known, line.settings, rng.randbytes(SEED_BYTES))
        except MalformedPosition:
            return None
        last = _play_on(start, rng, terms.max_moves)
        shares.append(shares_beaten(last.outcome.side_scores if last.outcome else last.standing, table))
    means = tuple(sum(column) / terms.games for column in zip(*shares, strict=True))
    errors = tuple(
        sqrt(sum((share - mean) ** 2 for share in column) / (terms.games - 1) / terms.games)
        for column, mean in zip(zip(*shares, strict=True), means, strict=True)
    )
    return Estimate(means, errors)


def _play_on(position: Position, rng: random.Random, max_moves: int | None) -> Position:
    """Return the position after random moves to the end, or after `max_moves`."""
    moves = 0
    while position.owing and moves != max_moves:
        seat = position.owing[0]
        position = position.play(seat, rng.choice(position.moves(seat)))
        moves += 1
    return position


def shares_beaten(scores: Sequence[float], table: Table) -> list[float]:
    """Return for each seat which share of the other sides have a lower score than its side; an equal one is half."""
    shares = [0.0] * len(table.seats)
    for side, mine in zip(table.sides, scores, strict=True):
        beaten = sum((mine > other) + (mine == other) / 2 for other in scores) - 0.5  # It equals itself.
        for seat in side:
            shares[seat] = beaten / max(1, len(scores) - 1)
    return shares
