"""JSON Schema of the view of Trox."""

from collections.abc import Mapping

from engines.api import Json
from engines.trox.lattice import CELL
from engines.trox.notation import SEATS
from engines.trox.pieces import COLOUR_NAMES, KINDS, PIECES
from engines.trox.view import NEUTRAL, PHASES

_KIND = f"(?:{'|'.join(KINDS)})"
_CELL: Mapping[str, Json] = {"pattern": f"^{CELL}$"}
_HAND: Mapping[str, Json] = {
    "type": "object",
    "additionalProperties": False,
    "required": list(COLOUR_NAMES),
    "properties": {
        colour: {"type": "integer", "minimum": 0, "maximum": 2, "description": f"Number of {colour} pawns."}
        for colour in COLOUR_NAMES
    },
}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of Trox",
    "type": "object",
    "additionalProperties": False,
    "required": ["to_move", "phase", "plies", "passes", "pieces", "pawns", "hands", "supply"],
    "properties": {
        "to_move": {"enum": list(SEATS), "description": "The seat to move."},
        "phase": {
            "enum": list(PHASES),
            "description": "Pawns (and pieces) are being placed, or all pawns are down and they move.",
        },
        "plies": {"type": "integer", "minimum": 0, "description": "Turns played so far, passes among them."},
        "passes": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2,
            "description": "Number of consecutive turns that were just passed.",
        },
        "pieces": {
            "type": "object",
            "description": "By piece (colours, middle and excluded cell): the colour of each of its three cells.",
            "propertyNames": {"pattern": f"^{_KIND}@{CELL}/{CELL}$"},
            "additionalProperties": {
                "type": "object",
                "minProperties": 3,
                "maxProperties": 3,
                "propertyNames": _CELL,
                "additionalProperties": {"enum": list(COLOUR_NAMES)},
            },
        },
        "pawns": {
            "type": "object",
            "description": "By cell with a pawn on it: whose it is. Its colour is that of the cell.",
            "propertyNames": _CELL,
            "additionalProperties": {"enum": [*SEATS, NEUTRAL]},
        },
        "hands": {
            "type": "object",
            "description": "By seat: the pawns that it still has to place.",
            "additionalProperties": False,
            "required": list(SEATS),
            "properties": {seat: {**_HAND, "description": f"The pawns in {seat}'s hand."} for seat in SEATS},
        },
        "supply": {
            "type": "object",
            "description": "Number of pieces left that can be laid as this kind, or as one of several kinds.",
            "propertyNames": {"pattern": f"^{_KIND}(?:/{_KIND})*$"},
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": PIECES},
        },
    },
}
