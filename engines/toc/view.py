"""Returns a position as plain data, as a viewer may see it."""

from engines.api import REFEREE, Json, Viewer
from engines.toc import cards
from engines.toc.places import BITS, NAMES, SEATS, places_in, reserve
from engines.toc.position_writer import HIDDEN, gift_text, knows_hand
from engines.toc.round import EXCHANGING, Round
from engines.toc.track import Track


def view(at: Round, viewer: Viewer) -> Json:
    """Return the data that the schema in `schema` describes."""
    return {
        "phase": "over" if at.over else "exchange" if at.mover == EXCHANGING else "play",
        "owing": list(at.owing()),
        "turns": at.turns,
        "dealer": at.dealer,
        "leader": at.leader,
        "deal": cards.DEAL_NUMBERS[len(at.deck)] + 1,
        "pawns": [_pawns(at.track, pawns) for pawns in at.track.pawns],
        "hands": [hand_names(at, seat, viewer) for seat in range(SEATS)],
        "gave": [gift_text(at, seat, viewer) for seat in range(SEATS)],
        "played": [cards.NAMES[card] for card in at.played],
        "deck": [cards.NAMES[card] if viewer == REFEREE else HIDDEN for card in at.deck],
    }


def hand_names(at: Round, seat: int, viewer: Viewer) -> list[str]:
    """Return the cards of a hand as `viewer` may see them."""
    hand = at.hands[seat]
    if not knows_hand(viewer, seat):
        return [HIDDEN] * hand.bit_count()
    return [cards.NAMES[card] for card in cards.cards_in(hand)]


def _pawns(track: Track, pawns: int) -> list[Json]:
    out: list[Json] = [_pawn(track, place) for place in places_in(pawns)]
    return out + [{"at": "R", "fresh": False, "laps": 0}] * reserve(pawns)


def _pawn(track: Track, place: int) -> Json:
    bit = BITS[place]
    fresh = bool(track.fresh & bit)
    laps = 1 if track.far & bit else -1 if track.short & bit and not fresh else 0
    return {"at": NAMES[place], "fresh": fresh, "laps": laps}
