"""The sample search bot: it plays legal moves, finds short wins and manages its time."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from referee_client import Clock, Turn
from referee_client.bots.search import SearchBot, worlds
from referee_client.bots.search_tree import shares

from engines.api import Game, Position, Seat
from engines.registry import find

GAMES = ("alquerque", "trox", "troke", "toc")
SUDDEN = ("trox", "toc")
"""Games whose last position usually offers more than one move."""


def turn_in(game: Game, position: Position, seat: Seat) -> Turn:
    return Turn(
        match_id="m",
        seat=seat,
        token="t",
        game=game.name,
        options=position.settings.texts(),
        ply=0,
        position=position.text(seat),
        arrived_at=0.0,
    )


def random_game(game: Game, seed: int, plies: int = 10_000) -> list[tuple[Position, Seat]]:
    """Return the positions of a random game, each with the seat that moved there."""
    rng = random.Random(seed)
    position = game.start(game.settings(), rng.randbytes(8))
    passed: list[tuple[Position, Seat]] = []
    while position.outcome is None and len(passed) < plies:
        seat = rng.choice(position.owing)
        passed.append((position, seat))
        position = position.play(seat, rng.choice(position.moves(seat)))
    return passed


def wins(game: Game, position: Position, seat: Seat, move: str) -> bool:
    outcome = position.play(seat, move).outcome
    ranks = outcome.ranks(game.table(position.settings)) if outcome else (1,)
    return len(set(ranks)) > 1 and ranks[seat] == 1


def near_the_end(game: Game) -> Iterator[tuple[Position, Seat]]:
    """Yield positions in which some but not all moves win at once."""
    for seed in range(60):
        position, seat = random_game(game, seed)[-1]
        if {wins(game, position, seat, move) for move in position.moves(seat)} == {True, False}:
            yield position, seat


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_is_a_legal_move(name: str) -> None:
    game = find(name)
    bot = SearchBot(seed=1, iterations=3)

    for position, seat in random_game(game, seed=2, plies=60)[::20]:
        assert bot.choose(turn_in(game, position, seat)) in position.moves(seat)


@pytest.mark.parametrize("name", GAMES)
def test_equal_seeds_make_equal_choices(name: str) -> None:
    game = find(name)
    position, seat = random_game(game, seed=3, plies=12)[-1]
    turn = turn_in(game, position, seat)

    assert SearchBot(seed=5, iterations=8).choose(turn) == SearchBot(seed=5, iterations=8).choose(turn)


@pytest.mark.parametrize("name", SUDDEN)
def test_it_plays_a_winning_move(name: str) -> None:
    game = find(name)
    positions = list(islice(near_the_end(game), 4))
    assert len(positions) == 4
    for position, seat in positions:
        choice = SearchBot(seed=1, iterations=len(position.moves(seat)) * 12).choose(turn_in(game, position, seat))
        assert wins(game, position, seat, choice), f"{position} {choice}"


def test_it_avoids_the_capture_of_its_last_man() -> None:
    alquerque = find("alquerque")
    position = alquerque.read("5/5/2b2/5/w4 w 0", alquerque.settings())
    assert "a1-b2" in position.moves(0)

    assert {SearchBot(seed, iterations=200).choose(turn_in(alquerque, position, 0)) for seed in range(5)} <= {
        "a1-a2",
        "a1-b1",
    }


def test_sampled_positions_agree_with_what_the_seat_sees() -> None:
    toc = find("toc")
    for position, seat in random_game(toc, seed=4, plies=90)[::15]:
        seen = position.text(seat)
        world = worlds(toc, position.settings, seen)
        imagined = [world(random.Random(number)) for number in range(5)]

        assert {one.text(seat) for one in imagined} == {seen}
        assert all(list(one.moves(seat)) == list(position.moves(seat)) for one in imagined)
        assert len({str(one) for one in imagined}) > 1


@pytest.mark.parametrize(
    ("main", "period", "moves_left", "at_most"),
    [(50.0, 0.0, 0, 2.0), (0.0, 4.0, 0, 2.0), (10.0, 0.0, 1, 5.0), (0.2, 0.0, 0, 0.008), (900.0, 0.0, 0, 5.0)],
)
def test_it_uses_a_fraction_of_its_clock(main: float, period: float, moves_left: int, at_most: float) -> None:
    trox = find("trox")
    position, seat = random_game(trox, seed=6, plies=4)[2]
    clock = Clock(seat=seat, main_us=round(main * 1e6), period_us=round(period * 1e6), moves_left=moves_left)
    timed_turn = replace(turn_in(trox, position, seat), clocks=(clock, clock), time_left=main + period)
    ticks = iter(range(1_000_000))
    times: list[float] = []

    def now() -> float:
        times.append(next(ticks) * at_most / 20)
        return times[-1]

    SearchBot(seed=1, now=now).choose(timed_turn)

    assert times[-2] < at_most <= times[-1], "it stops at the first look after its time"


def test_a_share_is_the_fraction_of_opponents_that_were_beaten() -> None:
    assert shares((1.0, 0.0)) == (1.0, 0.0)
    assert shares((0.5, 0.5)) == (0.5, 0.5)
    assert shares((7.0, 3.0, 3.0)) == (1.0, 0.25, 0.25)
