"""JSON Schema of the view of Go."""

from collections.abc import Mapping

from engines.api import Json
from engines.go.notation import COLOURS
from engines.go.points import MAX_SIZE, MIN_SIZE

_POINTS: dict[str, Json] = {
    "type": "array",
    "items": {"type": "string", "pattern": "^[A-HJ-Z](1[0-9]|2[0-5]|[1-9])$"},
    "uniqueItems": True,
}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of Go",
    "type": "object",
    "additionalProperties": False,
    "required": ["size", "to_move", "black", "white", "ko", "passes", "plies"],
    "properties": {
        "size": {
            "type": "integer",
            "minimum": MIN_SIZE,
            "maximum": MAX_SIZE,
            "description": "Rows and columns of the board.",
        },
        "to_move": {"enum": list(COLOURS), "description": "The side to move."},
        "black": {**_POINTS, "description": "The points with black stones."},
        "white": {**_POINTS, "description": "The points with white stones."},
        "ko": {**_POINTS, "description": "The points on which the ko rule forbids a stone now."},
        "passes": {"type": "integer", "minimum": 0, "maximum": 2, "description": "Passes made just before."},
        "plies": {"type": "integer", "minimum": 0, "description": "Moves since the start, passes included."},
    },
}
