"""Options of Go: the board, the compensation of White, and the rules that differ between rule sets."""

import re
from typing import Final

from engines.game_errors import BadOption
from engines.go.points import MAX_SIZE, MIN_SIZE
from engines.options import Choice, Count, Options, Preset, Text

KOMI: Final = re.compile(r"(-?)0*([0-9]{1,3})(\.[05])?", re.ASCII)
KOMI_TAKES: Final = "a number of points from -999.5 to 999.5 in steps of a half, such as 7.5, as a text"
MAX_KOMI_CHARS: Final = 8
MAX_PLIES: Final = 5_000
PLIES_PER_POINT: Final = 3
"""The limit of the plies that depends on the board."""


def canonical_komi(text: str) -> str:
    """Return the shortest text of a komi. Raises BadOption."""
    found = KOMI.fullmatch(text)
    if not found:
        raise BadOption("komi", text, KOMI_TAKES)
    sign, whole, half = found.groups()
    value = whole + (".5" if half == ".5" else "")
    return value if value == "0" else f"{sign}{value}"


OPTIONS = Options(
    (
        Count("size", 19, "Rows and columns of the board.", least=MIN_SIZE, most=MAX_SIZE),
        Text(
            "komi",
            "7.5",
            "Points that White gets for moving second; a half makes draws impossible.",
            takes=KOMI_TAKES,
            most_chars=MAX_KOMI_CHARS,
            canonical=canonical_komi,
        ),
        Choice(
            "ko",
            "positional",
            "What a move may not repeat. positional: any earlier board; situational: any earlier board with the same "
            "side to move; simple: the board before the opponent's last stone.",
            choices=("positional", "situational", "simple"),
        ),
        Choice(
            "suicide",
            "forbidden",
            "Whether a stone may be placed so that only its own group loses its last liberty and is removed.",
            choices=("forbidden", "allowed"),
        ),
        Count(
            "handicap",
            0,
            "Stones of Black that are on the board at the start, on the points of GTP's fixed_handicap; White begins. "
            "0, or from 2 to 4 or 9, which depends on the board.",
            least=0,
            most=9,
        ),
        Count(
            "max_plies",
            0,
            "The game ends after this many plies and is scored as it stands; 0: three times the points of the board.",
            least=0,
            most=MAX_PLIES,
        ),
    ),
    (
        Preset("9x9", "The small board.", {"size": 9}),
        Preset("13x13", "The middle board.", {"size": 13}),
    ),
)
