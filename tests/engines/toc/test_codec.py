"""What a seat observes does not depend on what it may not know."""

import random

from engines.api import Position
from engines.testing.random_games import game_path
from engines.toc import GAME, imagine

SETTINGS = GAME.settings()
CODEC = GAME.codec(SETTINGS)


def some_positions() -> list[Position]:
    path = list(game_path(GAME, SETTINGS, random.Random(3)))
    return [*path[:8], *path[8:200:13]]


def test_redrawn_hidden_cards_leave_every_observation_of_the_seat_as_it_was() -> None:
    for number, position in enumerate(some_positions()):
        seat = number % 4
        worlds = [imagine(position.text(seat), SETTINGS, bytes([seed])) for seed in range(5)]
        assert len({str(world) for world in worlds}) > 1
        assert {tuple(CODEC.observe(world.view(seat), seat)) for world in worlds} == {
            tuple(CODEC.observe(position.view(seat), seat))
        }


def test_a_seat_observes_its_own_cards() -> None:
    hands = {tuple(CODEC.observe(GAME.start(SETTINGS, bytes([seed])).view(0), 0)) for seed in range(5)}
    assert len(hands) == 5


def test_a_gift_is_observed_by_its_giver_at_once_and_by_its_receiver_when_all_have_given() -> None:
    names = [field.name for field in CODEC.fields for _ in range(field.size)]
    position: Position = GAME.start(SETTINGS, b"")
    for seat in range(4):
        position = position.play(seat, position.moves(seat)[0])
        got = CODEC.observe(position.view(2), 2)[names.index("got") :][:52]
        gave = CODEC.observe(position.view(0), 0)[names.index("gave") :][:52]
        assert sum(gave) == 1
        assert sum(got) == (seat == 3)
