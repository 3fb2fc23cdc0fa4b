"""The cards: a deck of 52, as numbers; a hand is an integer with one bit per card.

Card number = 4 × rank + suit, with ranks in the order A 2 … 9 T J Q K and suits in the order S H D C.
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
"""The numbers of steps forward that a card can be used for, by rank."""
STARTERS: Final = (ACE, KING)

HAND_SIZES: Final = {32: 5, 16: 4, 0: 4}
"""How many cards a deal gives to each seat, by the number of cards left in the deck after it."""
DEAL_NUMBERS: Final = {32: 0, 16: 1, 0: 2}
"""Which of the three deals of a deck it was, from 0, by the number of cards left in the deck after it."""


def cards_in(hand: int) -> list[int]:
    """Return the numbers of the cards in a hand, in order."""
    found = []
    while hand:
        low = hand & -hand
        found.append(low.bit_length() - 1)
        hand ^= low
    return found
