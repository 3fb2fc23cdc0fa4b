"""Hidden information does not leak: two positions that look the same to a viewer behave the same to it."""

import random

import pytest

from engines.api import SPECTATOR, Viewer
from engines.game_errors import GameError
from engines.testing.random_games import NONSENSE, any_choice
from engines.toc import GAME, imagine
from engines.toc.cards import NAMES
from engines.toc.position import TocPosition
from engines.toc.round import EXCHANGING
from tests.engines.toc.redealt_positions import ORDER, redealt

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def random_positions(many: int, rng: random.Random) -> list[TocPosition]:
    """Return positions of random games under random options, some of them in all stages of an exchange."""
    found: list[TocPosition] = []
    while len(found) < many:
        settings = GAME.settings({**any_choice(GAME, rng), "max_turns": 250})
        position = GAME.start(settings, rng.randbytes(8))
        while position.owing:
            if rng.random() < (0.3 if len(position.owing) > 1 else 0.1):
                found.append(position)
            seat = rng.choice(position.owing)
            position = position.play(seat, rng.choice(position.moves(seat)))
        found.append(position)
    return found


def tries(position: TocPosition, rng: random.Random) -> list[str]:
    cards = rng.sample(ORDER, 6)
    made_up = [f"={cards[0]}", f"-{cards[1]}", f"{cards[2]}:R>0", f"{cards[3]}:5>6", f"7S:{rng.randrange(72)}>3,5>6"]
    others = [move for seat in position.owing for move in position.moves(seat)[:2]]
    return [
        *NONSENSE,
        *made_up,
        *others,
        f"JH:{rng.randrange(72)}<>{rng.randrange(72)}",
        f"-{cards[4]}",
        f"={cards[5]}",
    ]


def answer(position: TocPosition, viewer: Viewer, move: str) -> object:
    """Return what `viewer` sees after its move, or the error that it gets; None if the move reveals something new."""
    try:
        after = position.play(viewer, move)
    except GameError as error:
        return type(error), str(error), error.details
    # The partner's gift after the exchange and the hand of a new deal are new information, in which the two may differ.
    exchange_is_over = position.round.mover == EXCHANGING and after.round.mover != EXCHANGING
    dealt = len(after.round.deck) != len(position.round.deck)
    return None if exchange_is_over or dealt else seen(after, viewer)


def seen(position: TocPosition, viewer: Viewer) -> list[object]:
    """Return everything that `viewer` may query."""
    return [
        position.text(viewer),
        position.view(viewer),
        position.picture(viewer),
        position.owing,
        position.outcome,
        position.standing,
        position.moves(viewer),
        [position.visible_move(viewer, move, viewer) for move in position.moves(viewer)],
        [
            {position.visible_move(seat, move, viewer) for move in position.moves(seat)}
            for seat in exchange_moves_of_others(position, viewer)
        ],
        [position.revealed_move(seat, f"={NAMES[gift]}", viewer) for seat, gift in given(position)],
    ]


def given(position: TocPosition) -> list[tuple[int, int]]:
    """Return the gifts of this deal, once all are known."""
    return list(enumerate(position.round.gifts)) if position.round.mover != EXCHANGING else []


def exchange_moves_of_others(position: TocPosition, viewer: Viewer) -> list[int]:
    return [seat for seat in position.owing if seat != viewer] if position.round.mover == EXCHANGING else []


def test_a_hundred_positions_that_differ_in_hidden_cards_look_the_same() -> None:
    check_pairs(20, random.Random("a few hidden"))


@pytest.mark.soak
def test_a_thousand_positions_that_differ_in_hidden_cards_look_the_same(rng: random.Random) -> None:
    assert check_pairs(220, rng) >= 1000


def check_pairs(positions: int, rng: random.Random) -> int:
    """Compare pairs of positions that a viewer cannot tell apart. Return how many there were."""
    pairs = differing = 0
    for position in random_positions(positions, rng):
        for viewer in VIEWERS:
            other = redealt(position, viewer, rng)
            assert seen(position, viewer) == seen(other, viewer)
            for move in [*tries(position, rng), *position.moves(viewer)[:3]]:
                assert answer(position, viewer, move) == answer(other, viewer, move)
            pairs += 1
            differing += str(position).rsplit(" ", 1)[0] != str(other).rsplit(" ", 1)[0]
    assert differing > 0.9 * pairs
    return pairs


def test_the_text_has_the_same_fields_for_every_viewer() -> None:
    rng = random.Random("shape")
    for position in random_positions(30, rng):
        whole = str(position).split()
        for viewer in VIEWERS:
            fields = position.text(viewer).split()
            assert len(fields) == len(whole) == 9
            assert fields[:4] == whole[:4]
            assert fields[6] == whole[6]
            assert "?" not in position.text(-2)


def test_an_imagined_position_looks_the_same_to_its_viewer() -> None:
    rng = random.Random("imagine")
    differing = 0
    for position in random_positions(100, rng):
        for viewer in VIEWERS:
            imagined = imagine(position.text(viewer), position.settings, rng.randbytes(4))
            assert imagined.text(viewer) == position.text(viewer)
            assert GAME.read(str(imagined), position.settings) == imagined
            differing += str(position).rsplit(" ", 1)[0] != str(imagined).rsplit(" ", 1)[0]
    assert differing > 400
