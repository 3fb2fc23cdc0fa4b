"""Parses the text of a position and reports what is wrong with it."""

from engines.api import REFEREE
from engines.chance import Chance
from engines.game_errors import MalformedPosition
from engines.toc import cards
from engines.toc.fields import Fields, InvalidText
from engines.toc.places import PARTNER, SEATS, home
from engines.toc.position_writer import position_text
from engines.toc.round import EXCHANGING, NOBODY, NOTHING, Round
from engines.toc.rules import Rules


def read_position(text: str, rules: Rules) -> Round:
    """Return the round that a full text describes. Raises MalformedPosition."""
    try:
        fields = Fields(text, rules)
        if fields.chance is None or fields.unknowns():
            raise InvalidText("it contains ?; only the full text of a position can be read")
        check_counts(fields)
        return written_as(text, (REFEREE,), whole(fields, fields.chance))
    except InvalidText as error:
        raise MalformedPosition(text, str(error)) from None


def check_counts(fields: Fields) -> None:
    """Check that all 52 cards are accounted for, and that each hand has the size that the deal and the turn require.

    Raises InvalidText.
    """
    sizes = [len(hand) for hand in fields.hands]
    left = len(fields.deck)
    if left not in cards.HAND_SIZES:
        raise InvalidText("the deck must have 32, 16 or 0 cards")
    if left + len(fields.played) + sum(sizes) != len(cards.DECK):
        raise InvalidText("hands, played cards and deck must add up to 52 cards")
    full = cards.HAND_SIZES[left]
    if fields.mover == EXCHANGING:
        expected = [full] * SEATS
    else:
        lead = fields.leader()
        done = SEATS * full - sum(sizes)
        expected = [full - (done + 3 - (seat - lead) % SEATS) // SEATS for seat in range(SEATS)]
        if fields.mover != (lead + done) % SEATS:
            raise InvalidText(
                f"seat {(lead + done) % SEATS} must be to move, because seat {lead} led and {done} cards were played"
            )
    if sizes != expected:
        raise InvalidText(f"the hands must have {', '.join(map(str, expected))} cards at this turn of the deal")


def whole(fields: Fields, chance: Chance) -> Round:
    """Return the round that fields without unknown cards describe. Raises InvalidText."""
    _check_cards(fields)
    _check_gifts(fields)
    pawns = fields.track.pawns
    winners = [side for side in range(2) if home(pawns[side]) and home(pawns[side + 2])]
    if len(winners) > 1:
        raise InvalidText("only one team can have all its pawns home")
    if fields.turns > fields.track.rules.max_turns:
        raise InvalidText(f"the game has ended after {fields.track.rules.max_turns} turns")
    at = Round(
        fields.track,
        fields.mover,
        fields.turns,
        fields.dealer,
        tuple([sum(1 << card for card in hand) for hand in fields.hands]),
        tuple(fields.gifts),
        tuple(fields.played),
        tuple(fields.deck),
        chance,
        winners[0] if winners else NOBODY,
    )
    if not any(at.hands) and not at.over:
        raise InvalidText("all hands are empty only when the game is over")
    return at


def written_as(text: str, viewers: tuple[int, ...], at: Round) -> Round:
    """Return the round, if `text` is exactly its text for one of `viewers`. Raises InvalidText otherwise."""
    written = [position_text(at, viewer) for viewer in viewers]
    if text not in written:
        raise InvalidText(f"its canonical form is {written[0]!r}")
    return at


def _check_cards(fields: Fields) -> None:
    listed = [*fields.played, *fields.deck, *(card for hand in fields.hands for card in hand)]
    for card in cards.DECK:
        if listed.count(card) > 1:
            raise InvalidText(f"{cards.NAMES[card]} occurs more than once")


def _check_gifts(fields: Fields) -> None:
    if fields.mover == EXCHANGING:
        if NOTHING not in fields.gifts:
            raise InvalidText("the exchange is over when all four seats have given a card")
        for seat, gift in enumerate(fields.gifts):
            if gift not in (NOTHING, *fields.hands[seat]):
                raise InvalidText(f"seat {seat} gives {cards.NAMES[gift]}, which is not in its hand")
        return
    if NOTHING in fields.gifts:
        raise InvalidText("all four seats must have given a card before the first one is played")
    for seat, gift in enumerate(fields.gifts):
        if gift not in fields.held_in_deal(PARTNER[seat]):
            raise InvalidText(
                f"seat {seat} gave {cards.NAMES[gift]} to seat {PARTNER[seat]}, which has not held it in this deal"
            )
