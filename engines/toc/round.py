"""The fast position: pawns, hands, deck and turn, as integers.

It is used by bots that search, and by `TocPosition`. It has no texts. A move is an integer (see `moves`): `moves(seat)`
lists the moves, `play(seat, move)` returns the round after one of them. While `mover` is EXCHANGING, every seat that
has not yet given a card is to move; otherwise only `mover` is, until the game is `over`.
"""

from typing import Final

from engines.chance import Chance
from engines.toc.cards import DEAL_NUMBERS, DECK, cards_in
from engines.toc.moves import CARD_MASK, GIFT
from engines.toc.places import ALL_HOME, H1, PARTNER, SEATS, home
from engines.toc.rules import Rules
from engines.toc.track import Track
from engines.toc.ways import Ways

EXCHANGING: Final = -1
NOBODY: Final = -1
NOTHING: Final = -1
FIRST_DEALER: Final = 3

Four = tuple[int, ...]
"""One number per seat."""
NO_GIFTS: Final[Four] = (NOTHING,) * SEATS
NO_CARDS: Final[tuple[int, ...]] = ()
NO_SEATS: Final[tuple[int, ...]] = ()
ALONE: Final = tuple((seat,) for seat in range(SEATS))


class Round:
    """The complete state of a game, as integers."""

    __slots__ = (
        "chance",
        "dealer",
        "deck",
        "gifts",
        "hands",
        "mover",
        "played",
        "track",
        "turns",
        "winner",
    )

    def __init__(
        self,
        track: Track,
        mover: int,
        turns: int,
        dealer: int,
        hands: Four,
        gifts: Four,
        played: tuple[int, ...],
        deck: tuple[int, ...],
        chance: Chance,
        winner: int,
    ) -> None:
        self.track = track
        self.mover = mover
        self.turns = turns
        """How many cards have been played or discarded in the whole game."""
        self.dealer = dealer
        self.hands = hands
        """The set of cards of each seat."""
        self.gifts = gifts
        """The card that each seat has given in this deal, or NOTHING.

        A gift stays in its giver's hand until all four have been given.
        """
        self.played = played
        """All cards played and discarded since the last shuffle."""
        self.deck = deck
        """The cards that have not been dealt, the next one first."""
        self.chance = chance
        self.winner = winner
        """The side (0 or 1) whose eight pawns are home, or NOBODY."""

    @property
    def over(self) -> bool:
        return self.winner >= 0 or self.turns >= self.track.rules.max_turns

    @property
    def leader(self) -> int:
        """The seat that leads in this deal."""
        return leader(self.track.rules, self.dealer, len(self.deck))

    def owing(self) -> tuple[int, ...]:
        """Return the seats that are to move."""
        if self.winner >= 0 or self.turns >= self.track.rules.max_turns:
            return NO_SEATS
        if self.mover != EXCHANGING:
            return ALONE[self.mover]
        return tuple([seat for seat in range(SEATS) if self.gifts[seat] == NOTHING])

    def moves(self, seat: int) -> list[int]:
        """Return all legal moves of `seat`, in no particular order and without duplicates."""
        if self.mover == EXCHANGING:
            return [GIFT | card for card in cards_in(self.hands[seat])] if seat in self.owing() else []
        if seat != self.mover or self.winner >= 0 or self.turns >= self.track.rules.max_turns:
            return []
        return self.uses(seat) or cards_in(self.hands[seat])

    def allows(self, seat: int, move: int) -> bool:
        """Return whether `move` is one of `moves(seat)`, examining only the played card as far as the rules permit."""
        card = move & CARD_MASK
        if seat not in self.owing() or not self.hands[seat] >> card & 1:
            return False
        if self.mover == EXCHANGING:
            return move == GIFT | card
        if move == card:
            return not self.uses(seat)
        return move in Ways(self.track, self.colour(seat)).of(1 << card)

    def uses(self, seat: int) -> list[int]:
        """Return every way to move a pawn by a card in the hand of `seat`."""
        return Ways(self.track, self.colour(seat)).of(self.hands[seat])

    def colour(self, seat: int) -> int:
        """Return the colour that `seat` moves: its own, or its partner's when all its own pawns are home."""
        return PARTNER[seat] if self.track.pawns[seat] >> H1 == ALL_HOME else seat

    def play(self, seat: int, move: int) -> "Round":
        """Return the round after one of `moves(seat)`."""
        if move & GIFT:
            return self._given(seat, move & CARD_MASK)
        card = move & CARD_MASK
        hands = list(self.hands)
        hands[seat] ^= 1 << card
        track, winner = self.track, self.winner
        if move > CARD_MASK:
            track = track.after(self.colour(seat), move)
            if track.pawns[seat] >> H1 == ALL_HOME and home(track.pawns[seat - 2]):
                winner = seat & 1
        mover = (seat + 1) % SEATS
        after = Round(
            track,
            mover,
            self.turns + 1,
            self.dealer,
            tuple(hands),
            self.gifts,
            (*self.played, card),
            self.deck,
            self.chance,
            winner,
        )
        return after if hands[mover] or after.over else after._next_deal()

    def _given(self, seat: int, card: int) -> "Round":
        """Return the round after `seat` has given a card; when all four have been given, the cards change hands."""
        gifts = (*self.gifts[:seat], card, *self.gifts[seat + 1 :])
        hands, mover = self.hands, EXCHANGING
        if NOTHING not in gifts:
            mover = self.leader
            hands = tuple([hand ^ 1 << gifts[s] ^ 1 << gifts[s - 2] for s, hand in enumerate(hands)])
        return Round(
            self.track,
            mover,
            self.turns,
            self.dealer,
            hands,
            gifts,
            self.played,
            self.deck,
            self.chance,
            self.winner,
        )

    def _next_deal(self) -> "Round":
        """Return the round after the next deal, which follows when all hands are empty.

        If the deck is used up, the next dealer shuffles first.
        """
        if self.deck:
            return _dealt(self.track, self.turns, self.dealer, self.played, self.deck, self.chance)
        return shuffled(self.track, self.turns, (self.dealer + 1) % SEATS, self.chance)


def leader(rules: Rules, dealer: int, left: int) -> int:
    """Return the seat that leads in the deal after which `left` cards are left in the deck."""
    return (dealer + 1 + (DEAL_NUMBERS[left] if rules.lead_rotates else 0)) % SEATS


def shuffled(track: Track, turns: int, dealer: int, chance: Chance) -> Round:
    """Return the round after `dealer` has gathered all cards, shuffled them and dealt five to each seat."""
    deck, chance = chance.shuffled(DECK)
    return _dealt(track, turns, dealer, NO_CARDS, deck, chance)


def _dealt(
    track: Track, turns: int, dealer: int, played: tuple[int, ...], deck: tuple[int, ...], chance: Chance
) -> Round:
    """Deal the cards one by one, starting with the seat after the dealer."""
    left = len(deck) - SEATS * (5 if len(deck) == len(DECK) else 4)
    dealt = deck[: len(deck) - left]
    hands = [0] * SEATS
    for number, card in enumerate(dealt):
        hands[(dealer + 1 + number) % SEATS] |= 1 << card
    return Round(track, EXCHANGING, turns, dealer, tuple(hands), NO_GIFTS, played, deck[len(dealt) :], chance, NOBODY)
