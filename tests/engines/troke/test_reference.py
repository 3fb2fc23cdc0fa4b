"""The engine agrees with a second, slow implementation in moves and positions, over all options."""

import random

import pytest

from engines.api import Position
from engines.game_errors import BadOption, MalformedPosition
from engines.options import Settings, Value
from engines.troke import GAME
from tests.engines.second.troke_reference import BOARDS, SIDES, ReferencePosition

SEATINGS: list[dict[str, Value]] = [
    {"seats": 2},
    {"seats": 3, "third": "blue"},
    {"seats": 3, "third": "yellow"},
    {"seats": 4},
    {"seats": 4, "teams": True},
]


def some_settings(chance: random.Random) -> Settings:
    """Return random rules, for any number of seats."""
    chosen = {option.name: chance.choice(option.examples) for option in GAME.options.declared}
    return GAME.settings({**chosen, "teams": False, **chance.choice(SEATINGS), "max_plies": 2000, "start_chips": 6})


def agree(at: Position, chance: random.Random, most: int) -> Position:
    """Play at random, and compare each position and all its moves. Return the last position."""
    options = at.settings.texts()
    for _ in range(most):
        reference = ReferencePosition(options, str(at))
        if not at.owing:
            assert at.outcome
            assert at.outcome.reason == "repetition" or not reference.moves(), str(at)
            break
        seat = at.owing[0]
        moves = list(at.moves(seat))
        assert moves == reference.moves(), (options, str(at))
        move = chance.choice(moves)
        after = at.play(seat, move)
        assert str(after) == reference.after(move), (options, str(at), move)
        at = after
    return at


@pytest.mark.parametrize("seed", range(12))
def test_moves_agree_with_the_reference(seed: int) -> None:
    chance = random.Random(seed)
    agree(GAME.start(some_settings(chance), b""), chance, 25)


@pytest.mark.slow
def test_a_whole_game_agrees_with_the_reference(rng: random.Random) -> None:
    assert agree(GAME.start(some_settings(rng), b""), rng, 2000).outcome


@pytest.mark.soak
def test_many_whole_games_agree_with_the_reference(rng: random.Random) -> None:
    for _ in range(10):
        assert agree(GAME.start(some_settings(rng), b""), rng, 2000).outcome


def late(chance: random.Random, settings: Settings) -> Position:
    """Return a position from the second half of a game, reached by random moves of the engine alone."""
    at = GAME.start(settings, b"")
    for _ in range(chance.randrange(40, 140) * len(GAME.table(settings).seats) // 2):
        if not at.owing:
            break
        at = at.play(at.owing[0], chance.choice(at.moves(at.owing[0])))
    return at


@pytest.mark.parametrize("seed", range(12))
def test_ends_of_games_agree_with_the_reference(seed: int) -> None:
    chance = random.Random(seed)
    agree(late(chance, some_settings(chance)), chance, 10)


def crowded(chance: random.Random) -> Position:
    """Return pieces drawn together into the rows, one of them often full, so that the rules of goal rows apply."""
    chosen = {option.name: chance.choice(option.examples) for option in GAME.options.declared}
    chosen |= {"teams": False, **chance.choice(SEATINGS), "max_plies": 2000, "start_chips": 6, "repetition": 0}
    chosen |= {"board": "diamond40", "scoring": "chips"}
    settings = GAME.settings(chosen)
    board = BOARDS["diamond40"]
    circles = [cell["id"] for cell in board["cells"]]
    players = ReferencePosition({**settings.texts()}, str(GAME.start(settings, b""))).players
    while True:
        row = board["start"][SIDES[chance.choice(players)]]
        stacks: dict[str, dict[str, str]] = {name: {} for name in circles}
        for shape in "TWM":
            owners = chance.sample([player for player in players for _ in range(4)], 4 * len(players))
            filled = row if chance.random() < 0.8 else []
            others = [name for name in circles if name not in filled]
            for circle, owner in zip([*filled, *chance.sample(others, len(owners) - len(filled))], owners, strict=True):
                if circle in filled or chance.random() < 0.5:
                    stacks[circle][shape] = owner
        text = ",".join(f"{name}:{''.join(s + o for s, o in on.items())}" for name, on in stacks.items() if on)
        try:
            at = GAME.read(f"{text} {chance.choice(players)}", settings)
        except MalformedPosition:
            continue  # A player has four castles, and more than it was paid for.
        if at.owing:
            return at


@pytest.mark.parametrize("seed", range(25))
def test_crowded_rows_agree_with_the_reference(seed: int) -> None:
    chance = random.Random(f"crowded {seed}")
    agree(crowded(chance), chance, 8)


@pytest.mark.soak
def test_more_crowded_rows_agree_with_the_reference(rng: random.Random) -> None:
    for _ in range(100):
        agree(crowded(rng), rng, 12)


def test_teams_need_four_seats() -> None:
    for seats in (2, 3):
        with pytest.raises(BadOption, match="seats is 4"):
            GAME.settings({"teams": True, "seats": seats})
