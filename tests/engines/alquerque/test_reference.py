"""The engine agrees with the slow implementation, move by move, over all combinations of variants."""

import random
from itertools import product

import pytest

from engines.alquerque import GAME
from engines.alquerque.geometry import BOARD
from engines.alquerque.paths import (
    jumps_by_direction,
    jumps_in_lanes,
    paths_of,
    squares_of,
    steps_by_men,
    steps_by_square,
)
from engines.alquerque.position import AlquerquePosition
from tests.engines.second.alquerque_reference import POINTS, ReferencePosition

VARIANTS = {
    "capture_choice": ("max", "any"),
    "multi_pawn": ("false", "true"),
    "huff": ("false", "true"),
    "no_backward": ("off", "all", "moves"),
    "no_return": ("off", "last", "ever"),
}
LATER = {"chain": ("finish", "may_stop"), "huff_short": ("illegal", "huffable")}
"""The quick tests play each other combination with one pair of these, the slow ones with all of them."""
LATER_PAIRS = [dict(zip(LATER, values, strict=True)) for values in product(*LATER.values())]
COMBINATIONS = [dict(zip(VARIANTS, values, strict=True)) for values in product(*VARIANTS.values())]


def plain(position: AlquerquePosition) -> str:
    """Return the text without the plies, which the slow implementation does not count."""
    ranks, side, _, *rest = str(position).split(" ")
    return " ".join([ranks, side, *rest])


@pytest.mark.parametrize("pair", LATER_PAIRS, ids=lambda pair: " ".join(pair.values()))
@pytest.mark.parametrize("multi", ["false", "true"])
def test_moves_on_crowded_boards_agree_with_the_reference(pair: dict[str, str], multi: str) -> None:
    """Starts from positions with many captures, which rarely occur in games from the first position."""
    rng = random.Random(f"{pair} {multi}")
    for _ in range(60):
        options = {**rng.choice(COMBINATIONS), **pair, "multi_pawn": multi}
        men = {point: man for point in POINTS if (man := rng.choice("wb...")) != "."}
        reference = ReferencePosition(options, men)
        settings = GAME.settings({**options, "repetition": 0, "no_capture_plies": 0})
        if not {"w", "b"} <= set(men.values()) or max(map(list(men.values()).count, "wb")) > 12:
            continue
        ranks, side = reference.text().split(" ")
        position = GAME.read(f"{ranks} {side} 0", settings)
        for _ in range(12):
            replies = reference.moves()
            assert sorted(replies) == list(position.moves(position.men.mover)), f"{position} {options}"
            assert plain(position) == reference.text()
            if not replies:
                break
            # Prefer captures to steps, so that chains are compared.
            captures = sorted(move for move in replies if "x" in move)
            move = rng.choice(captures if captures and rng.random() < 0.7 else sorted(replies))
            position = position.play(position.men.mover, move)
            reference = replies[move]


@pytest.mark.parametrize("no_backward", ["off", "all", "moves"])
def test_both_ways_to_find_jumps_find_the_same(no_backward: str) -> None:
    rng = random.Random(no_backward)
    for paths in paths_of(no_backward):
        for _ in range(100):
            own = rng.getrandbits(30) & BOARD
            enemy = rng.getrandbits(30) & BOARD & ~own
            empty = BOARD & ~(own | enemy)
            assert jumps_in_lanes(paths, own, enemy, empty) == jumps_by_direction(paths, own, enemy, empty)


@pytest.mark.parametrize("no_backward", ["off", "all", "moves"])
def test_both_ways_to_find_steps_find_the_same(no_backward: str) -> None:
    rng = random.Random(no_backward)
    for paths, squares in zip(paths_of(no_backward), squares_of(no_backward), strict=True):
        for _ in range(100):
            own = rng.getrandbits(30) & BOARD
            empty = rng.getrandbits(30) & BOARD & ~own
            assert steps_by_men(paths, own, empty) == steps_by_square(squares, own, empty)
