"""The engine agrees with the slow implementation, and with what has been published about small boards."""

import random
from itertools import product

import pytest

from engines.api import REFEREE
from engines.game_errors import MalformedPosition
from engines.go import GAME
from engines.go.position import GoPosition
from tests.engines.go.reference import ReferenceGo, area

RULES = list(product(("positional", "situational", "simple"), ("forbidden", "allowed")))
PLIES_COMPARED = 60


def play_both(size: int, ko: str, suicide: str, rng: random.Random) -> None:
    settings = GAME.settings({"size": size, "ko": ko, "suicide": suicide, "komi": "0", "max_plies": 5000})
    position: GoPosition = GAME.start(settings, b"")
    reference = ReferenceGo(size, ko, suicide == "allowed", {})
    for _ in range(PLIES_COMPARED):
        replies = reference.moves()
        assert sorted(replies) == list(position.moves(position.stones.mover)), str(position)
        assert list(position.standing) == list(area(reference.board, size))
        # What is read from the text knows which moves repeat a board now.
        again = GAME.read(position.text(REFEREE), settings)
        assert again.moves(again.stones.mover) == position.moves(position.stones.mover)
        if not replies:
            return
        stones = sorted(set(replies) - {"pass"})
        move = rng.choice(stones) if stones and rng.random() < 0.9 else "pass"
        position, reference = position.play(position.stones.mover, move), replies[move]


@pytest.mark.parametrize(("ko", "suicide"), RULES)
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_moves_and_areas_agree_with_the_reference(size: int, ko: str, suicide: str) -> None:
    rng = random.Random(f"{size} {ko} {suicide}")
    for _ in range(12 if size < 4 else 4):
        play_both(size, ko, suicide, rng)


@pytest.mark.soak
@pytest.mark.parametrize(("ko", "suicide"), RULES)
def test_many_games_agree_with_the_reference(ko: str, suicide: str, rng: random.Random) -> None:
    for _ in range(200):
        play_both(rng.randint(2, 6), ko, suicide, rng)


@pytest.mark.parametrize(("size", "legal"), [(2, 57), (3, 12_675)])
def test_as_many_positions_are_legal_as_tromp_and_farneback_have_counted(size: int, legal: int) -> None:
    settings = GAME.settings({"size": size})
    found = 0
    for signs in product("bw1", repeat=size * size):
        rows = "/".join("".join(signs[at : at + size]) for at in range(0, size * size, size))
        for ones in range(size, 1, -1):
            rows = rows.replace("1" * ones, str(ones))
        try:
            GAME.read(f"{rows} b 0 0", settings)
        except MalformedPosition:
            continue
        found += 1
    assert found == legal


def best_lead(position: GoPosition, low: float, high: float) -> float:
    """Return by how much Black wins if both sides play best, searched between two bounds."""
    if position.outcome:
        black, white = position.outcome.scores
        return black - white
    seat = position.owing[0]
    best = low if seat == 0 else high
    for move in reversed(position.moves(seat)):
        lead = best_lead(position.play(seat, move), low, high)
        if seat == 0:
            best = low = max(low, lead)
        else:
            best = high = min(high, lead)
        if low >= high:
            break
    return best


def test_black_wins_by_one_point_on_the_smallest_board_as_is_known() -> None:
    start = GAME.start(GAME.settings({"size": 2, "komi": "0", "max_plies": 5000}), b"")
    assert best_lead(start, -4, 4) == 1
