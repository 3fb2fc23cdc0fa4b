"""JSON Schema of the view of Toc."""

from collections.abc import Mapping

from engines.api import Json
from engines.toc import cards
from engines.toc.places import NAMES
from engines.toc.position_writer import HIDDEN

_SEAT: dict[str, Json] = {"type": "integer", "minimum": 0, "maximum": 3}
_CARD: Json = {"enum": [*cards.NAMES, HIDDEN]}
_CARDS: dict[str, Json] = {"type": "array", "items": _CARD}


def _each_seat(item: Json, description: str) -> Json:
    return {"type": "array", "items": item, "minItems": 4, "maxItems": 4, "description": description}


_PAWN: Json = {
    "type": "object",
    "additionalProperties": False,
    "required": ["at", "fresh", "laps"],
    "properties": {
        "at": {"enum": list(NAMES), "description": "A ring cell 0 to 71, H1 to H4 in its corridor, R in the reserve."},
        "fresh": {"type": "boolean", "description": "It has not left its start cell yet, and cannot be killed."},
        "laps": {
            "type": "integer",
            "minimum": -1,
            "maximum": 1,
            "description": "-1: it is a lap short and may not enter at its next coming to its branch cell; "
            "1: it has passed it (0 without back_shortcut=false or overshoot=new_lap).",
        },
    },
}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of Toc as a viewer may see it; ? is a card that it does not know",
    "type": "object",
    "additionalProperties": False,
    "required": ["phase", "owing", "turns", "dealer", "leader", "deal", "pawns", "hands", "gave", "played", "deck"],
    "properties": {
        "phase": {"enum": ["exchange", "play", "over"], "description": "Kind of answer that the seats to move owe."},
        "owing": {"type": "array", "items": _SEAT, "description": "The seats that owe a move."},
        "turns": {"type": "integer", "minimum": 0, "description": "Cards played and discarded in the whole game."},
        "dealer": {**_SEAT, "description": "The seat that deals this deck."},
        "leader": {**_SEAT, "description": "The seat that plays first in this deal."},
        "deal": {"enum": [1, 2, 3], "description": "Number of the deal within this deck: deals have 5, 4 and 4 cards."},
        "pawns": _each_seat(
            {"type": "array", "items": _PAWN, "minItems": 4, "maxItems": 4},
            "By seat: its four pawns, those on the ring first, then corridor, then reserve.",
        ),
        "hands": _each_seat(_CARDS, "By seat: the cards in its hand."),
        "gave": _each_seat(
            {"enum": [*cards.NAMES, HIDDEN, None]},
            "By seat: the card that it gave its partner in this deal, null if none yet.",
        ),
        "played": {**_CARDS, "description": "Cards played and discarded since the last shuffle, the oldest first."},
        "deck": {**_CARDS, "description": "The cards not yet dealt, the next one first."},
    },
}
