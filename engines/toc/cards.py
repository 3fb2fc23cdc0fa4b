"""The cards: one deck of 52, as numbers; a hand as an integer, one bit a card.

Card number = 4 × rank + suit, ranks in the order A 2 … 9 T J Q K, suits in the order S H D C.
"""

from typing import Final, TypeAlias

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
ACE: Final = 0
FOUR: Final = 3
SEVEN: Final = 6
JACK: Final = 10
KING: Final = 12

NAMES: Final = tuple(rank + suit for rank in RANKS for suit in SUITS)
NUMBERS: Final = {name: card for card, name in enumerate(NAMES)}
DECK: Final = tuple(range(len(NAMES)))

Counts: TypeAlias = tuple[tuple[int, ...], ...]
COUNTS: Final[Counts] = ((1, 11), (2,), (3,), (), (5,), (6,), (7,), (8,), (9,), (10,), (10,), (12,), (13,))
"""By rank: how many steps forward the card may be worth."""
STARTERS: Final = (ACE, KING)

HAND_SIZES: Final = {32: 5, 16: 4, 0: 4}
"""By how many cards are left in the deck after a deal: how many it gave to each seat."""
DEAL_NUMBERS: Final = {32: 0, 16: 1, 0: 2}
"""By the same: which of the three deals of the deck it was."""

SUITED: Final = tuple(
    tuple(tuple(4 * rank + suit for suit in range(4) if held >> suit & 1) for held in range(16)) for rank in range(13)
)
"""By rank and the set of suits held: the cards."""


def cards_in(hand: int) -> list[int]:
    """The numbers of the cards in a hand, in order."""
    found = []
    while hand:
        low = hand & -hand
        found.append(low.bit_length() - 1)
        hand ^= low
    return found
