"""The sample bot that looks one move ahead."""

import random
from collections.abc import Iterator

import pytest
from referee_client.bots.greedy import choose
from referee_client.turn import Turn

from engines.api import Position
from engines.registry import find


def turn(game: str, position: Position) -> Turn:
    seat = position.owing[0]
    return Turn(
        "m", seat, "t", game, position.settings.texts(), 0, position.text(seat), (), (), None, 3, (), False, False
    )


def choices(game: str, text: str) -> set[str]:
    """Return the moves that it chooses in 30 attempts at a position."""
    rules = find(game)
    position_turn = turn(game, rules.read(text, rules.settings()))
    return {choose(position_turn) for _ in range(30)}


def one_move_from_winning(game: str, seed: int) -> Iterator[Position]:
    """Yield the positions of a random game in which the seat to move can win with one move."""
    rules, chance = find(game), random.Random(seed)
    position = rules.start(rules.settings(), bytes(32))
    while position.outcome is None:
        seat = position.owing[0]
        moves = position.moves(seat)
        if any(wins(position, move) for move in moves):
            yield position
        position = position.play(seat, chance.choice(moves))


def wins(position: Position, move: str) -> bool:
    seat = position.owing[0]
    outcome = position.play(seat, move).outcome
    return outcome is not None and outcome.scores[seat] == 1


@pytest.mark.parametrize(("game", "seeds"), [("alquerque", 4), ("trox", 1)])
def test_it_plays_a_winning_move(game: str, seeds: int) -> None:
    won = 0
    for seed in range(seeds):
        for position in one_move_from_winning(game, seed):
            assert wins(position, choose(turn(game, position)))
            won += 1
    assert won


def test_it_avoids_a_capture_in_alquerque() -> None:
    assert "c3-b4" not in choices("alquerque", "b4/5/2w2/5/4w w 0")


def test_it_captures_the_chips_in_troke() -> None:
    assert all(move.startswith("Te8xd9") for move in choices("troke", "e8:Tr,d9:WwMw r"))


def test_it_moves_as_far_as_possible_without_passing_its_home_in_toc() -> None:
    cards = "KH/QC/6H/KC ASAHADAC2S2H2D2C3S3H3D3C QHQSJCJDJHJSTCTDTHTS9C9D9H9S8C8D8H8S7C7H7S6C6D6S5C5D5H5S4C4D4H4S"
    text = f"5,68,H2,R/18*,33,R,R/R,R,R,R/R,R,R,R 0 0 3 6H7D/KDKC/KSKH/QDQC {cards} 00:51"
    assert choices("toc", text) <= {"7D:5>12", "7D:5>11,68>69", "7D:5>10,68>70", "7D:5>9,68>71"}
