"""The cards: one deck of 52, as numbers; a hand as an integer, one bit a card.

Card number = 4 × rank + suit, ranks in the order A 2 … 9 T J Q K, suits in the order S H D C.
"""

RANKS = "A23456789TJQK"
SUITS = "SHDC"
ACE, FOUR, SEVEN, JACK, KING = 0, 3, 6, 10, 12

NAMES = tuple(rank + suit for rank in RANKS for suit in SUITS)
NUMBERS = {name: card for card, name in enumerate(NAMES)}
DECK = tuple(range(len(NAMES)))

COUNTS = ((1, 11), (2,), (3,), (), (5,), (6,), (7,), (8,), (9,), (10,), (10,), (12,), (13,))
"""By rank: how many steps forward the card may be worth."""
STARTERS = (ACE, KING)

HAND_SIZES = {32: 5, 16: 4, 0: 4}
"""By how many cards are left in the deck after a deal: how many it gave to each seat."""
DEAL_NUMBERS = {32: 0, 16: 1, 0: 2}
"""By the same: which of the three deals of the deck it was."""

SUITED = tuple(
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
