"""Compares a game with a second engine of it, position by position, in random play."""

import random
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import repeat

from engines.api import REFEREE, SPECTATOR, Game, Outcome, Position, Seat, Viewer
from engines.game_errors import quoted
from engines.testing.failure import CheckFailure, describe, locate, require
from engines.testing.second_engine import SecondEngine, SecondPosition

MOVES_SHOWN = 10

Choose = Callable[[Position], tuple[Seat, str]]
"""Returns the seat that is to move, and its move."""


def check_agreement(game: Game, engine: SecondEngine, first: Position, plies: int, rng: random.Random) -> Position:
    """Play at random from a position by both engines, for that many plies at most, and return the last position.

    Raises CheckFailure at the first position in which their answers differ.
    """

    def choose(at: Position) -> tuple[Seat, str]:
        seat = rng.choice(at.owing)
        return seat, rng.choice(at.moves(seat))

    return check_line(game, engine, first, repeat(choose, plies))


def check_line(game: Game, engine: SecondEngine, first: Position, choices: Iterable[Choose]) -> Position:
    """Do the same with chosen moves, until the game is over."""
    at = first
    with locate(position=at), _asking():
        second = engine.start(at.settings, str(at))
        _compare(game, at, second)
    for choose in choices:
        if not at.owing:
            break
        seat, move = choose(at)
        with locate(position=at, seat=seat, move=move):
            after = at.play(seat, move)
            with _asking():
                second = second.play(seat, move, str(after))
                _compare(game, after, second)
            at = after
    return at


@contextmanager
def _asking() -> Iterator[None]:
    """Let an exception of the second engine be a CheckFailure that says whose it is."""
    try:
        yield
    except CheckFailure:
        raise
    except Exception as error:
        raise CheckFailure(f"the second engine raises {describe(error)}") from error


def _compare(game: Game, first: Position, second: SecondPosition) -> None:
    """Raise CheckFailure where the second engine gives other answers, as far as it knows them."""
    _compare_outcomes(first.outcome, second.outcome)
    theirs = tuple(second.owing)
    require(first.owing == theirs, f"seats {first.owing} are to move, and {theirs} by the second engine")
    for seat in first.owing:
        _compare_moves(first.moves(seat), frozenset(second.moves(seat)))
    for viewer in (REFEREE, SPECTATOR, *range(len(game.table(first.settings).seats))):
        text, other = first.text(viewer), second.text(viewer)
        require(
            other is None or text == other,
            f"the text for {_named(viewer)} is {quoted(text)}, and {quoted(other or '')} by the second engine",
        )


def _compare_outcomes(first: Outcome | None, second: Outcome | None) -> None:
    differ = f"the outcome is {first}, and {second} by the second engine"
    if first is None or second is None:
        require(first is second, differ)
    else:
        require(first.side_ranks == second.side_ranks, differ)
        require(not second.scores or first.scores == second.scores, differ)
        require(not second.reason or first.reason == second.reason, differ)


def _compare_moves(listed: Collection[str], theirs: frozenset[str]) -> None:
    mine = frozenset(listed)
    require(len(listed) == len(mine), f"a move is listed twice: {_some(listed)}")
    require(
        mine == theirs, f"legal moves only here: {_some(mine - theirs)}; by the second engine: {_some(theirs - mine)}"
    )


def _some(moves: Collection[str]) -> str:
    shown = ", ".join(map(quoted, sorted(moves)[:MOVES_SHOWN]))
    return f"{shown}, … ({len(moves)})" if len(moves) > MOVES_SHOWN else shown or "none"


def _named(viewer: Viewer) -> str:
    return {REFEREE: "the referee", SPECTATOR: "spectators"}.get(viewer, f"seat {viewer}")
