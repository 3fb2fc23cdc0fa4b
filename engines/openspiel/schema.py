"""JSON Schema of the view of a game of OpenSpiel."""

from collections.abc import Mapping

from engines.api import Json

_SEAT: Json = {"type": "integer", "minimum": 0}
_MOVE: Json = {"type": "string"}
_SCORES: Json = {"type": "array", "items": {"type": "number"}}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of a game of OpenSpiel",
    "type": "object",
    "additionalProperties": False,
    "required": ["to_move", "state", "chosen", "result"],
    "properties": {
        "to_move": {"type": "array", "items": _SEAT, "description": "The seats that are to move."},
        "state": {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "Lines of OpenSpiel's text of the state, or of what the seat knows of it; null: nothing.",
        },
        "chosen": {
            "type": ["string", "null"],
            "description": "The move that the seat has chosen while others choose at the same time.",
        },
        "moves": {
            "type": "array",
            "description": "Games that hide something: seat and text of each move so far; hidden ones are ?.",
            "items": {"type": "array", "prefixItems": [_SEAT, _MOVE], "items": False, "minItems": 2},
        },
        "result": {
            "description": "Reason and scores of the seats if the game is over, else null.",
            "oneOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["reason", "scores"],
                    "properties": {"reason": {"type": "string"}, "scores": _SCORES},
                },
            ],
        },
    },
}
