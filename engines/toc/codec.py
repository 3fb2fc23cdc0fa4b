"""Codec of Toc: what is done with a card, then each place that a pawn leaves or enters."""

from itertools import product
from typing import Any

from engines.codec import Codec, Field, from_seat, one_hot
from engines.options import Settings
from engines.toc import cards
from engines.toc.places import NAMES, NUMBERS, PARTNER, PAWNS_EACH, RING, SEATS

PHASES = ("exchange", "play", "over")
CARD = "[A23456789TJQK][SHDC]"
PATTERN = f"[=-]{CARD}|{CARD}:|(?:H[1-4]|R|[0-9]+)(?:<>|>)?|,|x[0-9]+"
CELLS = NAMES[:RING]
CHUNKS = (
    *[mark + card for mark, card in product("=-", cards.NAMES)],
    *[f"{card}:" for card in cards.NAMES],
    *[f"{place}>" for place in NAMES],
    *NAMES[:-1],  # No pawn enters the reserve by a move of its own.
    *[f"{cell}<>" for cell in CELLS],
    ",",
    *[f"x{cell}" for cell in CELLS],
)
DECK = len(cards.NAMES)
HAND = 5
MAX_TURNS = 1_000_000
FIELDS = (
    Field(
        "pawns",
        SEATS * len(NAMES),
        0,
        PAWNS_EACH,
        "By seat, beginning with the own one, then by place (0 to 71, H1 to H4, R): its pawns there.",
    ),
    Field("fresh", RING, 0, 1, "By ring cell: the pawn there is fresh."),
    Field("laps", RING, -1, 1, "By ring cell: the laps of the pawn there."),
    Field("hand", DECK, 0, 1, "By card: it is in the seat's hand."),
    Field("hands", SEATS, 0, HAND, "By seat, beginning with the own one: how many cards it holds."),
    Field("gave", DECK, 0, 1, "By card: the seat has given it in this deal."),
    Field("got", DECK, 0, 1, "By card: the partner has given it, as far as the seat may know."),
    Field("given", SEATS, 0, 1, "By seat, beginning with the own one: it has given a card in this deal."),
    Field("played", DECK, 0, DECK, "By card: when it was played since the last shuffle, from 1; 0: not yet."),
    Field("phase", len(PHASES), 0, 1, "Cards are exchanged, cards are played, or the game is over."),
    Field("owing", SEATS, 0, 1, "By seat, beginning with the own one: it is to move."),
    Field("dealer", SEATS, 0, 1, "By seat, beginning with the own one: it is the dealer."),
    Field("leader", SEATS, 0, 1, "By seat, beginning with the own one: it leads in this deal."),
    Field("deal", 1, 1, 3, "Which of the three deals it is."),
    Field("turns", 1, 0, MAX_TURNS, "How many cards have been played and discarded in the game."),
    Field("seat", SEATS, 0, 1, "The seat."),
)


class TocCodec(Codec):
    def __init__(self, settings: Settings) -> None:
        super().__init__(CHUNKS, PATTERN, FIELDS)

    def observe(self, view: Any, seat: int) -> list[int]:
        gave = view["gave"]
        return [
            *_pawns(view["pawns"], seat),
            *_on_ring(view["pawns"], "fresh"),
            *_on_ring(view["pawns"], "laps"),
            *_cards(view["hands"][seat]),
            *map(len, from_seat(view["hands"], seat)),
            *_cards([gave[seat]]),
            *_cards([gave[PARTNER[seat]]]),
            *[int(gift != "-") for gift in from_seat(gave, seat)],
            *_played(view["played"]),
            *one_hot(len(PHASES), PHASES.index(view["phase"])),
            *one_hot(SEATS, *[(owing - seat) % SEATS for owing in view["owing"]]),
            *one_hot(SEATS, (view["dealer"] - seat) % SEATS),
            *one_hot(SEATS, (view["leader"] - seat) % SEATS),
            view["deal"],
            view["turns"],
            *one_hot(SEATS, seat),
        ]


def _pawns(pawns: list[Any], seat: int) -> list[int]:
    found = [0] * (SEATS * len(NAMES))
    for far, four in enumerate(from_seat(pawns, seat)):
        for pawn in four:
            found[far * len(NAMES) + NUMBERS[pawn["at"]]] += 1
    return found


def _on_ring(pawns: list[Any], key: str) -> list[int]:
    found = [0] * RING
    for four in pawns:
        for pawn in four:
            if pawn["at"] in CELLS:
                found[int(pawn["at"])] = int(pawn[key])
    return found


def _cards(names: list[str]) -> list[int]:
    """Return which cards are among the names, of which some may be hidden or missing."""
    return one_hot(DECK, *[cards.NUMBERS[name] for name in names if name in cards.NUMBERS])


def _played(names: list[str]) -> list[int]:
    found = [0] * DECK
    for when, name in enumerate(names, 1):
        found[cards.NUMBERS[name]] = when
    return found
