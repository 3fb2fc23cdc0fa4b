"""What a viewer gets depends only on what it may see.

The text of a position for a viewer contains all that the viewer may see. So two positions with the same text for a
viewer must behave the same to it: views, pictures, moves, errors, its default move, and whether it may claim a draw.
And a move of another seat may show it no more than the text after the move does. Such pairs are found by playing two
games with different seeds and hidden moves beside each other, or drawn by the game if it overrides `Game.imagine` or
`Game.resample`.
"""

import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engines.api import SPECTATOR, Game, Position, Seat, Viewer
from engines.game_errors import GameError
from engines.options import Settings
from engines.testing.failure import locate, require
from engines.testing.random_games import NONSENSE

GAMES = 5
PLIES = 60
SEEDS = 30
MAX_TRIED = 10
"""Moves that the viewer tries in each pair of positions."""
MAX_SHOWN = 6
"""Moves of each other seat that are compared in each position."""


def check_hidden(
    game: Game, settings: Settings, rng: random.Random, moves: Sequence[str] = ()
) -> tuple[Counter[Viewer], set[Viewer]]:
    """Compare pairs of positions that a viewer cannot tell apart. Raises CheckFailure.

    Return the number of pairs for each viewer, and the viewers from whom something is hidden. `moves` are moves of any
    positions, which the viewer tries.
    """
    pairs: Counter[Viewer] = Counter()
    restricted: set[Viewer] = set()
    for viewer in (SPECTATOR, *range(len(game.table(settings).seats))):
        for _ in range(GAMES):
            check_seed_is_hidden(game, settings, viewer, rng)
            for position, other in _pairs(game, settings, viewer, rng):
                if position.text(viewer) != str(position):
                    restricted.add(viewer)
                check_shown_moves(position, other, viewer, rng)
                if other is not None and str(position) != str(other):
                    check_looks_same(position, other, viewer, [*NONSENSE, *_sample(moves, MAX_TRIED, rng)])
                    pairs[viewer] += 1
    return pairs, restricted


def can_imagine(game: Game) -> bool:
    """Return whether the game can draw what a viewer does not see."""
    return type(game).imagine is not Game.imagine


def can_resample(game: Game) -> bool:
    """Return whether the game can draw what a viewer of a position does not see."""
    return can_imagine(game) or type(game).resample is not Game.resample


def check_looks_same(position: Position, other: Position, viewer: Viewer, moves: Sequence[str] = NONSENSE) -> None:
    """Check that two positions with the same text for `viewer` behave the same to it. Raises CheckFailure.

    `moves` are tried in both: what is refused must be refused with the same words.
    """
    with locate(position=position, seat=viewer):
        for (what, mine), (_, others) in zip(_seen(position, viewer), _seen(other, viewer), strict=True):
            require(
                mine == others, f"{what} depends on what this viewer may not see: {mine!r}, but {others!r} in {other!s}"
            )
    for move in moves if viewer != SPECTATOR else ():
        with locate(position=position, seat=viewer, move=move):
            mine, others = _error(position, viewer, move), _error(other, viewer, move)
            require(mine == others, f"an error tells what the viewer may not see: {mine}, but {others} in {other!s}")


def check_shown_moves(position: Position, other: Position | None, viewer: Viewer, rng: random.Random) -> None:
    """Check that moves of other seats show `viewer` no more than the texts after them. Raises CheckFailure.

    Moves of one position are compared with each other, and with themselves in `other`, which has the same text for the
    viewer. Two moves may look different if they lead to the same full position, as two orders of the same steps do.
    """
    for seat in position.owing:
        first: dict[str, _ShownMove] = {}
        for move in _sample(position.moves(seat), MAX_SHOWN, rng) if seat != viewer else ():
            with locate(position=position, seat=seat, move=move):
                mine = _show_move(position, seat, move, viewer)
                twins = [first.setdefault(mine.after, mine)]
                if other is not None and move in other.moves(seat):
                    twins.append(_show_move(other, seat, move, viewer))
                for twin in twins:
                    require(
                        mine.shown == twin.shown or mine.after != twin.after or mine.full == twin.full,
                        f"{_viewer_name(viewer)} is shown {mine.shown!r}, but {twin.shown!r} for {twin.move!r} in"
                        f" {twin.before}, although its text after both is {mine.after!r}: a move may show only what"
                        " the text after it tells",
                    )


def check_seed_is_hidden(game: Game, settings: Settings, viewer: Viewer, rng: random.Random) -> None:
    """Check that the viewer does not see the seed, from which all later draws follow. Raises CheckFailure."""
    seed = rng.randbytes(32)
    position = game.start(settings, seed)
    shown = f"{position.text(viewer)} {json.dumps(position.view(viewer))} {position.picture(viewer)}".lower()
    with locate(position=position, seat=viewer):
        require(seed.hex() not in shown, "this viewer sees the seed, and can compute all later draws")


class _ShownMove(NamedTuple):
    """A move as a viewer is shown it, and the texts of the positions before and after it."""

    move: str
    shown: str
    before: str
    after: str
    """Text for the viewer."""
    full: str
    """Full text of the same position."""


def _show_move(position: Position, seat: Seat, move: str, viewer: Viewer) -> _ShownMove:
    after = position.play(seat, move)
    shown = position.visible_move(seat, move, viewer)
    return _ShownMove(move, shown, str(position), after.text(viewer), str(after))


def _seen(position: Position, viewer: Viewer) -> Iterable[tuple[str, object]]:
    """Return everything that `viewer` may query, with its name."""
    moves = position.moves(viewer) if viewer >= 0 else ()
    is_due = viewer in position.owing
    return (
        ("the text", position.text(viewer)),
        ("the view", position.view(viewer)),
        ("the picture", position.picture(viewer)),
        ("who is to move", position.owing),
        ("the outcome", position.outcome),
        ("the standing", position.standing),
        ("the list of moves", list(moves)),
        ("the text of a move", [position.visible_move(viewer, move, viewer) for move in moves]),
        ("the default move", position.default(viewer) if is_due else None),
        ("the claim of a draw", position.claimable if is_due else None),
    )


def _error(position: Position, viewer: Viewer, move: str) -> tuple[str, str, str]:
    """Return the class, sentence and details of the error that the viewer gets for a move; empty if it is played."""
    try:
        position.play(viewer, move)
    except GameError as error:
        return type(error).__name__, str(error), str(error.details)
    return "", "", ""


def _pairs(
    game: Game, settings: Settings, viewer: Viewer, rng: random.Random
) -> Iterable[tuple[Position, Position | None]]:
    """Yield the positions of a random game, each with another one that the viewer cannot tell apart, or None."""
    position = game.start(settings, rng.randbytes(32))
    starts = (game.start(settings, rng.randbytes(32)) for _ in range(SEEDS))
    other = next((start for start in starts if start.text(viewer) == position.text(viewer)), None)
    for _ in range(PLIES):
        if can_resample(game):
            with locate(position=position, seat=viewer):
                other = game.resample(position, viewer, rng.randbytes(8))
                require(other.text(viewer) == position.text(viewer), f"what is drawn anew looks otherwise: {other!s}")
        yield position, other
        if not position.owing:
            return
        position, other = _play_both(position, other, viewer, rng)


def _play_both(
    position: Position, other: Position | None, viewer: Viewer, rng: random.Random
) -> tuple[Position, Position | None]:
    """Play a move in one position, and in the other a move that looks the same to the viewer, if there is any."""
    seat = rng.choice(position.owing)
    move = rng.choice(position.moves(seat))
    after = position.play(seat, move)
    if other is None:
        # A new chance: the same position and a hidden move may make a difference.
        other = position
    shown = position.visible_move(seat, move, viewer)
    twins = [twin for twin in other.moves(seat) if other.visible_move(seat, twin, viewer) == shown]
    if not twins:
        return after, None
    twin_after = other.play(seat, rng.choice(twins))
    return after, twin_after if twin_after.text(viewer) == after.text(viewer) else None


def _sample(moves: Sequence[str], most: int, rng: random.Random) -> Sequence[str]:
    return rng.sample(moves, min(most, len(moves)))


def _viewer_name(viewer: Viewer) -> str:
    return "a spectator" if viewer == SPECTATOR else f"seat {viewer}"
