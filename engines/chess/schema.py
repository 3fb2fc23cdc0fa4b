"""JSON Schema of the view of chess."""

from collections.abc import Mapping

from chess import PIECE_NAMES, SQUARE_NAMES

from engines.api import Json
from engines.chess.notation import COLOURS

PIECES = [f"{colour} {name}" for colour in COLOURS for name in PIECE_NAMES[1:] if name]
_SQUARE: Json = {"enum": SQUARE_NAMES}
_ROOKS: Json = {"type": "array", "items": _SQUARE, "uniqueItems": True, "maxItems": 2}

VIEW_SCHEMA: Mapping[str, Json] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A position of chess",
    "type": "object",
    "additionalProperties": False,
    "required": ["to_move", "squares", "check", "castling", "en_passant", "plies_without_progress", "move_number"],
    "properties": {
        "to_move": {"enum": list(COLOURS), "description": "The side to move."},
        "squares": {
            "type": "object",
            "description": "Occupants of the 64 squares.",
            "required": SQUARE_NAMES,
            "propertyNames": _SQUARE,
            "additionalProperties": {"enum": [*PIECES, None]},
        },
        "check": {"type": "boolean", "description": "Whether the side to move is in check."},
        "castling": {
            "type": "object",
            "description": "By colour: the squares of the rooks with which the king may still castle.",
            "additionalProperties": False,
            "required": list(COLOURS),
            "properties": dict.fromkeys(COLOURS, _ROOKS),
        },
        "en_passant": {"enum": [*SQUARE_NAMES, None], "description": "Where a pawn can be taken en passant now."},
        "plies_without_progress": {
            "type": "integer",
            "minimum": 0,
            "description": "Plies since the last capture or pawn move.",
        },
        "move_number": {"type": "integer", "minimum": 1, "description": "Number of the move, from 1."},
    },
}
