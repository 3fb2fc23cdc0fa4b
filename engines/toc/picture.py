"""Drawing of the track and the hands for a terminal.

The ring is drawn as a square of 19 by 19 that contains only the corridors. Cell 0, where seat 0 starts, is in the
middle of the bottom row, and the numbers increase clockwise. The number behind each corridor is its seat, (0) to (3).
"""

from engines.api import Viewer
from engines.toc.places import BITS, H1, NAMES, ON_RING, RING, SEATS, STARTS, places_in, reserve
from engines.toc.position_writer import FAR, FRESH, SHORT, cards_text, gift_text
from engines.toc.round import EXCHANGING, Round
from engines.toc.track import Track
from engines.toc.view import hand_names

SIDE = 18
HALF = SIDE // 2
ANSI = (31, 34, 32, 33)
INWARD = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""Direction from the side of each colour to the middle of the square, as columns and rows."""
EMPTY, EMPTY_START, EMPTY_HOME = "·", "+", "-"

Point = tuple[int, int]


def picture(at: Round, viewer: Viewer) -> str:
    """Return the square, then one line per seat, then what else is visible to everyone."""
    return "\n".join([*_square(at.track), "", *(_seat(at, seat, viewer) for seat in range(SEATS)), "", *_table(at)])


def _point(cell: int) -> Point:
    """Return the column and row of a ring cell, counted from the top left."""
    side, along = divmod((cell + HALF) % RING, SIDE)
    return ((SIDE - along, SIDE), (0, SIDE - along), (along, 0), (SIDE, along))[side]


def _signs(track: Track) -> dict[Point, str]:
    """Return by point what is drawn there; each sign is three columns wide."""
    signs = {_point(cell): _sign(None, EMPTY_START if cell in STARTS else EMPTY) for cell in range(RING)}
    for colour, pawns in enumerate(track.pawns):
        column, row = _point(track.rules.branches[colour])
        right, down = INWARD[colour]
        for deep in range(1, 5):
            stands = pawns & BITS[H1 + deep - 1]
            point = (column + right * deep, row + down * deep)
            signs[point] = _sign(colour, str(colour) if stands else EMPTY_HOME)
        signs[column + right * 5, row + down * 5] = _painted(colour, f"({colour})")
        for cell in places_in(pawns & ON_RING):
            signs[_point(cell)] = _sign(colour, str(colour) + _mark(track, BITS[cell]))
    return signs


def _mark(track: Track, bit: int) -> str:
    if track.fresh & bit:
        return FRESH
    return SHORT if track.short & bit else FAR if track.far & bit else ""


def _sign(colour: int | None, sign: str) -> str:
    padded = f" {sign:2}"
    return padded if colour is None else _painted(colour, padded)


def _painted(colour: int, sign: str) -> str:
    return f"\x1b[{ANSI[colour]}m{sign}\x1b[0m"


def _square(track: Track) -> list[str]:
    signs = _signs(track)
    cells = {_point(cell): cell for cell in range(RING)}
    rows = [_numbers([cells[column, 0] for column in range(SIDE + 1)])]
    for row in range(SIDE + 1):
        drawn = "".join(signs.get((column, row), "   ") for column in range(SIDE + 1))
        rows.append(f"{cells[0, row]:>3}{drawn}{cells[SIDE, row]:>3}")
    return [*rows, _numbers([cells[column, SIDE] for column in range(SIDE + 1)])]


def _numbers(cells: list[int]) -> str:
    return "   " + " ".join(f"{cell:>2}" for cell in cells)


def _seat(at: Round, seat: int, viewer: Viewer) -> str:
    pawns = at.track.pawns[seat]
    home = " ".join(NAMES[place] for place in places_in(pawns & ~ON_RING)) or "none"
    gave = gift_text(at, seat, viewer)
    return (
        f"{_sign(seat, str(seat))}{'>' if seat in at.owing() else ' '} reserve {reserve(pawns)}, home {home:11}  "
        f"hand {' '.join(hand_names(at, seat, viewer)) or 'empty':14}  {f'gave {gave}' if gave else ''}"
    ).rstrip()


def _table(at: Round) -> list[str]:
    doing = "cards are exchanged" if at.mover == EXCHANGING else f"seat {at.mover} to move"
    return [
        f"{'the game is over' if at.over else doing}; {at.turns} turns; "
        f"seat {at.dealer} deals, seat {at.leader} leads; {len(at.deck)} cards in the deck",
        f"played: {cards_text(at.played)}",
    ]
