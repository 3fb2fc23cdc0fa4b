"""The engine agrees with the slow implementation: the same moves, positions and ends."""

import random
from collections import Counter
from copy import deepcopy

import pytest

from engines.game_errors import MalformedPosition
from engines.options import Settings
from engines.trox import GAME
from engines.trox.ground import Ground
from engines.trox.holes import fitting
from engines.trox.lattice import place_of
from engines.trox.pieces import PIECES, cells_of
from engines.trox.position import TroxPosition
from engines.trox.room import empty_room
from engines.trox.supply import full
from tests.engines.second.trox_reference import SEATS, Cell, ReferencePosition, has_hole, name, named

CHOICES = {option.name: [str(value) for value in option.examples] for option in GAME.options.declared}


def any_options(rng: random.Random) -> dict[str, str]:
    """Return a random combination of options, in which games last for some time."""
    chosen = {name: rng.choice(values) for name, values in CHOICES.items()}
    return chosen | {"max_plies": str(rng.choice([60, 60, 11])), "repetition": str(rng.choice([0, 2, 3]))}


def with_many_neutral(chosen: dict[str, str], rng: random.Random) -> TroxPosition:
    """Return a position with all pawns down on a ground of few pieces, several of them neutral."""
    settings = GAME.settings(chosen | {"repetition": "0", "max_plies": "60", "hole_rule": "off"})
    while True:
        position = GAME.start(settings, b"")
        for _ in range(5):
            mover = position.pawns.mover
            lays = [move for move in position.moves(mover) if "@" in move]
            after = [position.play(mover, move) for move in rng.sample(lays, min(12, len(lays)))]
            position = max(after, key=lambda at: len(at.pawns.ground.triangles))
        reference = reference_of(str(position), settings)
        cells = [
            rng.sample([cell for cell in reference.ground if reference.ground[cell] == colour], 4) for colour in "NBR"
        ]
        whose = {cell: SEATS[place % 2] for four in cells for place, cell in enumerate(four)}
        whose |= dict.fromkeys(rng.sample(list(whose), rng.choice([4, 5, 6, 7])), "neutral")
        lists = [sorted(name(cell) for cell in whose if whose[cell] == holder) for holder in (*SEATS, "neutral")]
        text = " ".join([str(position).split(" ")[0], *(",".join(them) or "-" for them in lists), "-/- round 20 0"])
        try:
            position = GAME.read(text, settings)
        except MalformedPosition:
            continue  # A pawn would have been captured.
        if position.owing:
            return position


def reference_of(text: str, settings: Settings) -> ReferencePosition:
    """Return the slow implementation at a position, without history."""
    pieces, *lists, hands, seat, plies, passes = text.split(" ")
    reference = ReferencePosition(settings.texts(), seat=SEATS.index(seat), plies=int(plies), passes=int(passes))
    for piece in pieces.split(","):
        reference.lay(piece)
    for whose, cells in zip((*SEATS, "neutral"), lists, strict=True):
        reference.pawns |= dict.fromkeys(map(named, cells.split(",") if cells != "-" else ()), whose)
    reference.hands = (Counter(hands.split("/")[0].strip("-")), Counter(hands.split("/")[1].strip("-")))
    return reference


def compare_among_neutral(rng: random.Random) -> None:
    """Compare all moves from such a position, play one of them, and repeat this a few times."""
    position = with_many_neutral(any_options(rng), rng)
    reference = reference_of(str(position), position.settings)
    for _ in range(4):
        moves = position.moves(position.pawns.mover) if position.owing else []
        assert moves == reference.moves(), str(position)
        if not moves:
            break
        after = {}
        for move in moves:
            after[move] = position.play(position.pawns.mover, move), deepcopy(reference)
            there, then = after[move]
            then.play(move)
            assert str(there) == then.text(), f"{position} {move}"
            assert GAME.read(then.text(), position.settings) == there
        position, reference = after[rng.choice(moves)]


@pytest.mark.parametrize("seed", range(20))
def test_play_with_many_neutral_pawns_agrees_with_the_reference(seed: int) -> None:
    compare_among_neutral(random.Random(f"neutral {seed}"))


@pytest.mark.soak
def test_more_play_with_many_neutral_pawns_agrees_with_the_reference(rng: random.Random) -> None:
    for _ in range(60):
        compare_among_neutral(rng)


def laid_on(ground: Ground) -> set[Cell]:
    return {(x, y, "d" if down else "u") for x, y, down in map(place_of, ground.numbers)}


def grown(rule: str, pieces: int, rng: random.Random) -> Ground:
    """Return a ground of pieces laid where they fit, most of them close to others so that bays form."""
    ground = Ground(empty_room(fitting(rule)), full("free"))
    for _ in range(pieces):
        spots = rng.sample(sorted(ground.room.spots), min(3, len(ground.room.spots)))
        ground = ground.lay(max(spots, key=lambda spot: ground.room.rings.get(spot, 0).bit_count()), 0)
    return ground


def check_ground(ground: Ground, rule: str) -> None:
    """Check where a piece fits and why, by flooding the whole plane for each place."""
    laid = laid_on(ground)
    fits = ground.room.spots
    for spot in ground.room.rings:
        new = {(x, y, "d" if down else "u") for x, y, down in map(place_of, cells_of(spot))}
        if fitting("off")[ground.room.rings[spot]]:
            assert (spot in fits) == (not has_hole(laid | new, rule)), spot
        else:
            assert spot not in fits
        assert (spot in fits) == ground.allows(spot)


@pytest.mark.parametrize("rule", ["edge", "vertex", "off"])
def test_the_ring_of_a_spot_decides_whether_a_piece_encloses_an_area(rule: str) -> None:
    rng = random.Random(rule)
    for pieces in (1, 4, 8, 11):
        check_ground(grown(rule, pieces, rng), rule)


@pytest.mark.soak
@pytest.mark.parametrize("rule", ["edge", "vertex"])
def test_the_ring_of_a_spot_decides_so_on_many_grounds(rule: str, rng: random.Random) -> None:
    for _ in range(20):
        check_ground(grown(rule, rng.randrange(5, PIECES), rng), rule)
