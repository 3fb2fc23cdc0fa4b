"""Completes a partial position at random, consistently with everything that a seat knows.

This is for bots that search by determinisation: complete the position several times, search each result, and play the
move that does well in most of them. Every card that the seat has not seen may be in any place that the seat cannot see,
except the card that it gave to its partner, which is in the partner's hand until it is played.
"""

from engines.api import SPECTATOR
from engines.chance import Chance
from engines.game_errors import MalformedPosition
from engines.options import Settings
from engines.toc.cards import DECK
from engines.toc.fields import UNKNOWN, Fields, InvalidText
from engines.toc.places import PARTNER, SEATS
from engines.toc.position import TocPosition, compiled
from engines.toc.position_parser import check_counts, whole, written_as
from engines.toc.round import EXCHANGING

VIEWERS = (*range(SEATS), SPECTATOR)


def imagine(text: str, settings: Settings, seed: bytes) -> TocPosition:
    """Return a full position whose text for the viewing seat, or for the spectator, is `text`.

    Equal seeds give equal positions. Raises MalformedPosition.
    """
    rules = compiled(settings)
    try:
        fields = Fields(text, rules)
        check_counts(fields)
        chance = _filled(fields, Chance(seed))
        return TocPosition(written_as(text, VIEWERS, whole(fields, chance)))
    except InvalidText as error:
        raise MalformedPosition(text, str(error)) from None


def _filled(fields: Fields, chance: Chance) -> Chance:
    """Replace every UNKNOWN by a card, and return the generator after it."""
    _put_gifts_in_hands(fields)
    seen = {*fields.played, *fields.deck, *(card for hand in fields.hands for card in hand)}
    unseen, chance = chance.shuffled(card for card in DECK if card not in seen)
    cards = iter(unseen)
    for listed in (*fields.hands, fields.deck):
        listed[:] = [next(cards, card) if card == UNKNOWN else card for card in listed]
    for seat, gift in enumerate(fields.gifts):
        if gift == UNKNOWN:
            among = fields.hands[seat] if fields.mover == EXCHANGING else fields.held_in_deal(PARTNER[seat])
            pick, chance = chance.below(len(among))
            fields.gifts[seat] = among[pick]
    return chance


def _put_gifts_in_hands(fields: Fields) -> None:
    """Put each known gift that has not been played into the partner's hand."""
    if fields.mover == EXCHANGING:
        return
    for seat, gift in enumerate(fields.gifts):
        hand = fields.hands[PARTNER[seat]]
        if gift >= 0 and gift not in fields.played and UNKNOWN in hand:
            hand[hand.index(UNKNOWN)] = gift
