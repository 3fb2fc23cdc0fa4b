"""What a seat of Toc does not know, and positions that it can imagine."""

import random
from collections import Counter
from itertools import chain

import pytest

from engines.api import SPECTATOR, Position, Viewer
from engines.game_errors import MalformedPosition
from engines.testing.hidden_checks import check_looks_same, check_shown_moves
from engines.testing.random_games import NONSENSE, any_choice
from engines.toc import GAME, imagine
from engines.toc.position import TocPosition
from engines.toc.round import EXCHANGING
from tests.engines.toc.positions import set_up

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
    swap = f"JH:{rng.randrange(72)}<>{rng.randrange(72)}"
    others = [move for seat in position.owing for move in position.moves(seat)[:2]]
    return [*NONSENSE, *made_up, *others, swap, f"-{cards[4]}", f"={cards[5]}"]


def reveals(position: TocPosition, after: TocPosition) -> bool:
    """Return whether a move shows its seat something new: the partner's gift, or the hand of a new deal."""
    exchange_is_over = position.round.mover == EXCHANGING and after.round.mover != EXCHANGING
    return exchange_is_over or len(after.round.deck) != len(position.round.deck)


def check_pairs(positions: int, rng: random.Random) -> int:
    """Compare pairs of positions that a viewer cannot tell apart. Return how many there were."""
    pairs = differing = 0
    for position in random_positions(positions, rng):
        for viewer in VIEWERS:
            imagined = imagine(position.text(viewer), position.settings, rng.randbytes(4))
            for other in (redealt(position, viewer, rng), imagined):
                check_looks_same(position, other, viewer, tries(position, rng))
                check_shown_moves(position, other, viewer, rng)
                for move in position.moves(viewer)[:3]:
                    after = position.play(viewer, move)
                    assert reveals(position, after) or after.text(viewer) == other.play(viewer, move).text(viewer)
                pairs += 1
                differing += str(position).rsplit(" ", 1)[0] != str(other).rsplit(" ", 1)[0]
            assert GAME.read(str(imagined), position.settings) == imagined
    assert differing > 0.9 * pairs
    return pairs


def test_positions_that_differ_in_hidden_cards_look_the_same() -> None:
    check_pairs(20, random.Random("a few hidden"))


@pytest.mark.soak
def test_a_thousand_positions_that_differ_in_hidden_cards_look_the_same(rng: random.Random) -> None:
    assert check_pairs(110, rng) >= 1000


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


SETTINGS = GAME.settings()


def test_the_card_given_is_in_the_partners_hand() -> None:
    position = set_up("5///", "2S 3S 4S")
    gift = str(position).split()[5].split("/")[0]
    for seed in range(20):
        imagined = str(imagine(position.text(0), SETTINGS, bytes([seed]))).split()
        assert gift in imagined[4].split("/")[2]


def test_every_unseen_card_can_be_in_every_place() -> None:
    text = GAME.start(SETTINGS, b"1").text(0)
    met = Counter(str(imagine(text, SETTINGS, bytes([seed]))).split()[4].split("/")[1][:2] for seed in range(100))
    assert len(met) > 10


def test_an_imagined_full_text_changes_only_the_random_generator() -> None:
    position = GAME.start(SETTINGS, b"1")
    assert str(imagine(position.text(0), SETTINGS, b"")).startswith(position.text(0).split("/????")[0])


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        GAME.start(SETTINGS, b"1").text(0).replace(" x ", " 1 "),
        GAME.start(SETTINGS, b"1").text(0).replace("-/-/-/-", "-/-/?/?", 1).replace("?????", "????", 1),
        str(GAME.start(SETTINGS, b"1")),
    ],
)
def test_a_text_that_no_viewer_can_see_is_an_error(text: str) -> None:
    with pytest.raises(MalformedPosition):
        imagine(text, SETTINGS, b"")


FULL_HANDS = {32: 5, 16: 4, 0: 4}
ORDER = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def cards(field: str) -> list[str]:
    return [] if field == "-" else [field[at : at + 2] for at in range(0, len(field), 2)]


def joined(listed: list[str]) -> str:
    return "".join(listed) or "-"


def in_order(hand: list[str]) -> str:
    return joined(sorted(hand, key=ORDER.index))


def redealt(position: TocPosition, viewer: Viewer, rng: random.Random) -> TocPosition:
    """Return a full position that differs only in what `viewer` cannot see."""
    pawns, mover, turns, dealer, hands_field, gifts_field, played_field, deck_field, _ = str(position).split()
    hands = [cards(hand) for hand in hands_field.split("/")]
    gifts = gifts_field.split("/")
    played, deck = cards(played_field), cards(deck_field)
    sizes = [len(hand) for hand in hands]
    kept: list[list[str]] = [[], [], [], []]
    if viewer != SPECTATOR:
        kept[viewer] = hands[viewer]
        partner = (viewer + 2) % 4
        if mover != "x" and gifts[viewer] in hands[partner]:
            kept[partner] = [gifts[viewer]]
    known = {card for hand in kept for card in hand}
    pool = [card for card in [*chain(*hands), *deck] if card not in known]
    rng.shuffle(pool)
    dealt = [kept[seat] + [pool.pop() for _ in range(sizes[seat] - len(kept[seat]))] for seat in range(4)]
    leader = position.round.leader
    done = 4 * FULL_HANDS[len(deck)] - sum(sizes)
    in_deal = played[len(played) - done :]
    for giver in range(4):
        receiver = (giver + 2) % 4
        if gifts[giver] == "-" or giver == viewer or (mover != "x" and receiver == viewer):
            continue
        gifts[giver] = rng.choice(
            dealt[giver] if mover == "x" else dealt[receiver] + in_deal[(receiver - leader) % 4 :: 4]
        )
    text = (
        f"{pawns} {mover} {turns} {dealer} {'/'.join(map(in_order, dealt))} {'/'.join(gifts)} {played_field} "
        f"{joined(pool)} {rng.randbytes(rng.choice((0, 4, 32))).hex()}:{rng.randrange(1000)}"
    )
    return GAME.read(text, position.settings)


CODEC = GAME.codec(SETTINGS)


def test_a_gift_is_observed_by_its_giver_at_once_and_by_its_receiver_when_all_have_given() -> None:
    names = [field.name for field in CODEC.fields for _ in range(field.size)]
    position: Position = GAME.start(SETTINGS, b"")
    for seat in range(4):
        position = position.play(seat, position.moves(seat)[0])
        got = CODEC.observe(position.view(2), 2)[names.index("got") :][:52]
        gave = CODEC.observe(position.view(0), 0)[names.index("gave") :][:52]
        assert sum(gave) == 1
        assert sum(got) == (seat == 3)
