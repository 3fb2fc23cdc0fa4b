"""JSON Schema of the view of Troke."""

from collections.abc import Mapping

from engines.api import Json
from engines.troke.boards import COLOURS, NAME
from engines.troke.turns import SHAPES

_CIRCLE: Json = {"type": "string", "pattern": f"^{NAME.pattern}$"}
_COLOUR: Json = {"enum": list(COLOURS)}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of Troke",
    "type": "object",
    "additionalProperties": False,
    "required": ["to_move", "circles", "chips", "castles", "plies", "barred", "must_clear"],
    "properties": {
        "to_move": {"enum": list(COLOURS), "description": "The side to move."},
        "circles": {
            "type": "object",
            "description": "By circle, every one of the board: whose tower, wall and moat stand on it, or null.",
            "propertyNames": _CIRCLE,
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": list(SHAPES),
                "properties": {
                    shape: {"enum": [*COLOURS, None], "description": f"The owner of the {shape} on this circle."}
                    for shape in SHAPES
                },
            },
        },
        "chips": {
            "type": "object",
            "description": "By colour that plays: its chips, below zero if it owes; 0 in a race.",
            "propertyNames": _COLOUR,
            "additionalProperties": {"type": "integer"},
        },
        "castles": {
            "type": "object",
            "description": "By colour that plays: the castles for which it has been paid.",
            "propertyNames": _COLOUR,
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 4},
        },
        "plies": {"type": "integer", "minimum": 0, "description": "Turns played, passes included."},
        "barred": {
            "type": "array",
            "description": "The steps back of pieces that last stepped sideways, as moves (lateral_rule).",
            "items": {"type": "string"},
            "uniqueItems": True,
        },
        "must_clear": {
            "type": "array",
            "description": "The colours that must begin their next turn by clearing their start row (on_demand).",
            "items": _COLOUR,
            "uniqueItems": True,
        },
    },
}
