"""The engine agrees with the slow implementation: the same moves, and the same pawns after each."""

import random

import pytest

from engines.api import REFEREE, Position
from engines.options import Settings
from engines.testing.random_games import any_choice
from engines.toc import GAME
from engines.toc.position import TocPosition
from tests.engines.second.toc_reference import Board, Pawn, ReferencePosition, sorted_board
from tests.engines.toc.positions import position_text

STARTS = (0, 18, 36, 54)
RANKS = "A23456789TJQK"


def board_of(position: Position) -> Board:
    view = position.view(REFEREE)
    assert isinstance(view, dict)
    pawns = [
        Pawn(seat, pawn["at"], pawn["fresh"], pawn["laps"]) for seat, four in enumerate(view["pawns"]) for pawn in four
    ]
    # The slow implementation keeps what the engine's texts omit: a fresh pawn has still to walk its lap.
    if position.settings["back_shortcut"] is False and position.settings["branch_offset"] == 0:
        pawns = [Pawn(pawn.seat, pawn.at, True, -1) if pawn.fresh else pawn for pawn in pawns]
    return sorted_board(tuple(pawns))


def check(position: TocPosition) -> None:
    """Compare the moves of the seat to move; nothing is compared while cards are exchanged."""
    seat = position.round.mover
    if seat < 0 or position.outcome:
        return
    view = position.view(REFEREE)
    assert isinstance(view, dict)
    reference = ReferencePosition(position.settings.texts(), board_of(position), seat).moves(view["hands"][seat])
    assert position.moves(seat) == sorted(reference), str(position)
    for move, board in reference.items():
        assert board_of(position.play(seat, move)) == board, f"{position} {move}"


def random_settings(rng: random.Random) -> Settings:
    chosen = any_choice(GAME, rng)
    return GAME.settings({**chosen, "branch_offset": rng.choice((0, 1, 2)), "max_turns": 400})


def random_pawns(settings: Settings, rng: random.Random) -> str:
    """Return sixteen pawns, most of them near each other and near a start cell."""
    middle = rng.choice(STARTS) + rng.randrange(-8, 4)
    cells = rng.sample([(middle + cell) % 72 for cell in range(18)], 12)
    kept = settings["back_shortcut"] is False or settings["overshoot"] == "new_lap"
    laps = ["", "", "-", "+"] if kept else [""]
    if settings["back_shortcut"] is False and settings["overshoot"] == "new_lap":
        laps.remove("+")  # No pawn gets ahead.
    seats = []
    for start in STARTS:
        at_home = rng.sample(range(4), rng.choice((0, 0, 1, 2, 3)))
        places = [(72 + deep, f"H{deep + 1}") for deep in at_home]
        for _ in range(min(4 - len(places), rng.choice((1, 2, 3, 4)), len(cells))):
            cell = cells.pop()
            mark = "*" if cell == start and rng.random() < 0.6 else rng.choice(laps)
            places.append((cell, f"{cell}{mark}"))
        names = [name for _, name in sorted(places)]
        seats.append(",".join(names + ["R"] * (4 - len(names))))
    return "/".join(seats)


def crowded(rng: random.Random) -> TocPosition:
    settings = random_settings(rng)
    mover = rng.randrange(4)
    ranks = {"7", *rng.sample(RANKS, 2)} if rng.random() < 0.7 else set(rng.sample(RANKS, 4))
    hand = " ".join(rank + rng.choice("SHDC") for rank in sorted(ranks))
    return GAME.read(position_text(random_pawns(settings, rng), hand, mover), settings)


def check_crowds(many: int, rng: random.Random) -> None:
    for _ in range(many):
        check(crowded(rng))


def test_crowded_tracks_agree_with_the_reference(rng: random.Random) -> None:
    check_crowds(15, rng)


@pytest.mark.soak
def test_many_crowded_tracks_agree_with_the_reference(rng: random.Random) -> None:
    check_crowds(1000, rng)
