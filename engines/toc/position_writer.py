"""Formats a position as text, as a viewer may see it.

The text has nine fields for every viewer; `?` stands for each card, and for the random generator, that the viewer does
not know.
"""

from functools import lru_cache
from typing import Final

from engines.api import REFEREE, Viewer
from engines.toc import cards
from engines.toc.places import BITS, NAMES, PARTNER, SEATS, places_in, reserve
from engines.toc.round import EXCHANGING, NOTHING, Round
from engines.toc.track import Track

POSITION_GRAMMAR: Final = """\
Nine fields, divided by single blanks:
5,18*,H2,R/R,R,R,R/…   the pawns of seats 0 to 3: ring cells in order, then corridor, then reserve; * is a fresh pawn,
                       and with back_shortcut=false or overshoot=new_lap - is one that must pass its branch cell
                       once more before it may enter, + one that has passed it
2                      the seat to move, or x while cards are exchanged
57                     turns: cards played and discarded in the whole game
0                      the dealer
AS7H/2CKD/…            the hands of seats 0 to 3, each in the order A to K, S H D C; - is an empty hand
5H/QC/-/-              the card that each seat has given its partner in this deal; - is none yet
3S4H                   the cards played and discarded since the last shuffle, the oldest first; - is none
9H8C                   the deck, the next card first; - is none
00ff:51                the chance: its seed in hex, and how many draws have been taken
What a seat does not know is a ? a card, and a ? for the chance.
"""

HIDDEN: Final = "?"
NONE: Final = "-"
EXCHANGE: Final = "x"
FRESH, SHORT, FAR = "*-+"


def position_text(at: Round, viewer: Viewer) -> str:
    """Return the text of a round as `viewer` may see it."""
    track = at.track
    known = [knows_hand(viewer, seat) for seat in range(SEATS)]
    all_known = viewer == REFEREE
    return " ".join(
        (
            "/".join([_pawns_text(pawns, *_marks(track, pawns)) for pawns in track.pawns]),
            EXCHANGE if at.mover == EXCHANGING else str(at.mover),
            str(at.turns),
            str(at.dealer),
            "/".join([_hand_text(hand, knows) for hand, knows in zip(at.hands, known, strict=True)]),
            "/".join([gift_text(at, seat, viewer) or NONE for seat in range(SEATS)]),
            cards_text(at.played),
            cards_text(at.deck) if all_known else HIDDEN * len(at.deck) or NONE,
            f"{at.chance.seed.hex()}:{at.chance.drawn}" if all_known else HIDDEN,
        )
    )


def knows_hand(viewer: Viewer, seat: int) -> bool:
    """Return whether `viewer` may see the hand of `seat`."""
    return viewer in (seat, REFEREE)


def gift_text(at: Round, giver: int, viewer: Viewer) -> str | None:
    """Return the card that `giver` has given in this deal, as `viewer` may see it; None if it has given none yet."""
    gift = at.gifts[giver]
    if gift == NOTHING:
        return None
    received = at.mover != EXCHANGING and viewer == PARTNER[giver]
    return cards.NAMES[gift] if received or viewer in (giver, REFEREE) else HIDDEN


def cards_text(listed: tuple[int, ...]) -> str:
    """Return cards as text, in the given order."""
    return "".join([cards.NAMES[card] for card in listed]) or NONE


@lru_cache(maxsize=4096)
def _hand_text(hand: int, known: bool) -> str:
    if not known:
        return HIDDEN * hand.bit_count() or NONE
    return cards_text(tuple(cards.cards_in(hand)))


def _marks(track: Track, pawns: int) -> tuple[int, int, int]:
    fresh = track.fresh & pawns
    return fresh, track.short & pawns & ~fresh, track.far & pawns


@lru_cache(maxsize=16_384)
def _pawns_text(pawns: int, fresh: int, short: int, far: int) -> str:
    texts = []
    for place in places_in(pawns):
        bit = BITS[place]
        mark = FRESH if bit & fresh else SHORT if bit & short else FAR if bit & far else ""
        texts.append(NAMES[place] + mark)
    return ",".join(texts + ["R"] * reserve(pawns))
