"""JSON Schema of the view of Alquerque."""

from collections.abc import Mapping

from engines.alquerque.geometry import NAMES
from engines.alquerque.notation import COLOURS
from engines.api import Json

_POINT: Json = {"enum": list(NAMES[1:])}
_POINTS: dict[str, Json] = {"type": "array", "items": _POINT, "uniqueItems": True}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of Alquerque",
    "type": "object",
    "additionalProperties": False,
    "required": ["to_move", "points", "plies_without_capture", "again", "huffable", "left"],
    "properties": {
        "to_move": {"enum": list(COLOURS), "description": "The side to move."},
        "points": {
            "type": "object",
            "description": "Occupants of the 25 points.",
            "required": list(NAMES[1:]),
            "propertyNames": _POINT,
            "additionalProperties": {"enum": [*COLOURS, None]},
        },
        "plies_without_capture": {
            "type": "integer",
            "minimum": 0,
            "description": "Plies since a man was last taken off.",
        },
        "again": {
            "type": "boolean",
            "description": "The side to move has just captured and must capture once more (multi_pawn).",
        },
        "huffable": {**_POINTS, "description": "The men that may be huffed now (huff)."},
        "left": {
            "type": "object",
            "description": "By man: where it may not step back to (no_return).",
            "propertyNames": _POINT,
            "additionalProperties": _POINTS,
        },
    },
}
