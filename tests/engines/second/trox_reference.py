"""A second, slow implementation of Trox, written from the rules page, to compare the engine with.

A cell is (x, y, "u" or "d"); the ground and the pawns are dictionaries; holes are found by flooding the plane from
outside. Nothing here uses the engine.
"""

import math
import re
from collections import Counter
from collections.abc import Collection
from copy import deepcopy
from dataclasses import dataclass, field

from engines.api import Outcome, Seat
from engines.options import Settings
from engines.testing.second_engine import OpenPosition, SecondEngine

Cell = tuple[int, int, str]

TILESETS = {
    "6x2": {kind: (kind, 2) for kind in ("NBR", "NRB", "BNR", "BRN", "RNB", "RBN")},
    "3x4": {kind: (kind, 4) for kind in ("NBR", "BRN", "RNB")},
    "3x4_flip": {
        "NBR": ("NBR", 4),
        "RBN": ("NBR", 4),
        "BRN": ("BRN", 4),
        "NRB": ("BRN", 4),
        "RNB": ("RNB", 4),
        "BNR": ("RNB", 4),
    },
    "identical": {"NBR": ("NBR", 12)},
    "free": dict.fromkeys(("NBR", "NRB", "BNR", "BRN", "RNB", "RBN"), ("any", 12)),
}
"""By kind that can be laid: its heap, and the number of pieces in the heap."""
SEATS = ("round", "square")


def name(cell: Cell) -> str:
    return f"{cell[0]}.{cell[1]}{cell[2]}"


def named(text: str) -> Cell:
    x, y = text[:-1].split(".")
    return int(x), int(y), text[-1]


def neighbours(cell: Cell) -> list[Cell]:
    x, y, point = cell
    if point == "u":
        return [(x, y, "d"), (x - 1, y, "d"), (x, y - 1, "d")]
    return [(x, y, "u"), (x + 1, y, "u"), (x, y + 1, "u")]


def centroid(cell: Cell) -> tuple[float, float]:
    x, y, point = cell
    if point == "u":
        return x + y / 2 + 1 / 2, math.sqrt(3) / 2 * y + math.sqrt(3) / 6
    return x + y / 2 + 1, math.sqrt(3) / 2 * y + math.sqrt(3) / 3


def points(cell: Cell) -> set[tuple[int, int]]:
    x, y, point = cell
    return {(x, y), (x + 1, y), (x, y + 1)} if point == "u" else {(x + 1, y), (x, y + 1), (x + 1, y + 1)}


def outer_cells(middle: Cell, excluded: Cell) -> tuple[Cell, Cell]:
    """Return A and B: the first and the second neighbour, counter-clockwise from the excluded one."""
    at = centroid(middle)

    def angle(cell: Cell) -> float:
        there = centroid(cell)
        return math.atan2(there[1] - at[1], there[0] - at[0])

    others = [cell for cell in neighbours(middle) if cell != excluded]
    a, b = sorted(others, key=lambda cell: (angle(cell) - angle(excluded)) % (2 * math.pi))
    return a, b


def has_hole(laid: set[Cell], rule: str) -> bool:
    """Return whether an empty cell is not connected to the outside."""
    if rule == "off" or not laid:
        return False
    xs, ys = [cell[0] for cell in laid], [cell[1] for cell in laid]
    empty = {
        (x, y, point)
        for x in range(min(xs) - 1, max(xs) + 2)
        for y in range(min(ys) - 1, max(ys) + 2)
        for point in "ud"
    } - laid
    reached = [(min(xs) - 1, min(ys) - 1, "u")]
    empty.discard(reached[0])
    while reached:
        cell = reached.pop()
        found = {other for other in around(cell, rule) if other in empty}
        empty -= found
        reached += found
    return bool(empty)


def around(cell: Cell, rule: str) -> list[Cell]:
    """Return the cells to which an empty area continues from a cell."""
    if rule == "edge":
        return neighbours(cell)
    x, y, _ = cell
    close = [(x + dx, y + dy, point) for dx in (-1, 0, 1) for dy in (-1, 0, 1) for point in "ud"]
    return [other for other in close if points(other) & points(cell)]


@dataclass
class TroxSecond(OpenPosition):
    """A position, with the options as a plain dictionary."""

    options: dict[str, str]
    ground: dict[Cell, str] = field(default_factory=dict)
    piece_of: dict[Cell, int] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    pawns: dict[Cell, str] = field(default_factory=dict)
    hands: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (full_hand(), full_hand()))
    seat: int = 0
    plies: int = 0
    passes: int = 0
    winner: str = ""
    seen: Counter[object] = field(default_factory=Counter)

    @property
    def me(self) -> str:
        return SEATS[self.seat]

    @property
    def other(self) -> str:
        return SEATS[1 - self.seat]

    @property
    def placing(self) -> bool:
        return sum(self.hands[0].values()) + sum(self.hands[1].values()) > 0

    def kinds(self) -> list[str]:
        """Return the kinds that the supply still has."""
        tiles = TILESETS[self.options["tileset"]]
        used = Counter(tiles[piece[:3]][0] for piece in self.pieces)
        return [kind for kind, (heap, many) in tiles.items() if used[heap] < many]

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self.ended() else (self.seat,)

    def moves(self, seat: Seat) -> Collection[str]:
        return self.active_moves() or ["pass"]

    def active_moves(self) -> list[str]:
        if not self.placing:
            return sorted(self.walks())
        return sorted(self.lays() + self.puts())

    def lays(self) -> list[str]:
        texts = []
        for middle, excluded in self.spots():
            a, b = outer_cells(middle, excluded)
            for kind in self.kinds():
                for colour, cell in zip(kind, (a, middle, b), strict=True):
                    if self.hands[self.seat][colour]:
                        texts.append(f"{kind}@{name(middle)}/{name(excluded)}:{name(cell)}")
        return texts

    def spots(self) -> list[tuple[Cell, Cell]]:
        if not self.ground:
            return [((0, 0, "u"), (0, -1, "d"))]
        near = set(self.ground)
        for _ in range(2):
            near |= {other for cell in near for other in neighbours(cell)}
        return [(m, e) for m in near for e in neighbours(m) if self.fits({m, *outer_cells(m, e)})]

    def fits(self, cells: set[Cell]) -> bool:
        laid = set(self.ground)
        touching = any(other in laid for cell in cells for other in neighbours(cell))
        return not cells & laid and touching and not has_hole(laid | cells, self.options["hole_rule"])

    def puts(self) -> list[str]:
        return [
            f"+{name(cell)}"
            for cell, colour in self.ground.items()
            if cell not in self.pawns and self.hands[self.seat][colour] and not self.barred(cell, None)
        ]

    def walks(self) -> list[str]:
        return [
            f"{name(start)}>{name(to)}"
            for start, owner in self.pawns.items()
            if owner == self.me
            for to, colour in self.ground.items()
            if to not in self.pawns and colour == self.ground[start] and self.piece_of[to] != self.piece_of[start]
            if not self.barred(to, start)
        ]

    def barred(self, to: Cell, start: Cell | None) -> bool:
        """Return whether the move is suicide and suicide is forbidden."""
        if self.options["suicide"] != "forbidden":
            return False
        pawns = {cell: owner for cell, owner in self.pawns.items() if cell != start} | {to: self.me}
        self.capture_all(pawns, self.other, self.me)
        return not self.winning(pawns, self.me) and self.capturable(pawns, to, self.other)

    def play(self, seat: Seat, move: str, after: str) -> "TroxSecond":
        there = deepcopy(self)
        there.take(move)
        return there

    def take(self, move: str) -> None:
        """Play a move in this object."""
        self.seen[self.position_key()] += not self.placing
        self.passes = self.passes + 1 if move == "pass" else 0
        if "@" in move:
            piece, pawn = move.split(":")
            self.lay(piece)
            self.put(named(pawn))
        elif move.startswith("+"):
            self.put(named(move[1:]))
        elif ">" in move:
            start, to = map(named, move.split(">"))
            del self.pawns[start]
            self.pawns[to] = self.me
            self.judge(to)
        self.seat = 1 - self.seat
        self.plies += 1

    def lay(self, piece: str) -> None:
        kind, middle, excluded = re.split("[@/]", piece)
        a, b = outer_cells(named(middle), named(excluded))
        for colour, cell in zip(kind, (a, named(middle), b), strict=True):
            self.ground[cell] = colour
            self.piece_of[cell] = len(self.pieces)
        self.pieces.append(piece)

    def put(self, cell: Cell) -> None:
        self.hands[self.seat][self.ground[cell]] -= 1
        self.pawns[cell] = self.me
        self.judge(cell)

    def judge(self, played: Cell) -> None:
        """Apply TX-11, step by step."""
        self.capture_all(self.pawns, self.other, self.me)
        if self.winning(self.pawns, self.me):
            self.winner = self.me
            return
        if self.options["suicide"] != "safe" and self.capturable(self.pawns, played, self.other):
            self.pawns[played] = "neutral"
        if self.winning(self.pawns, self.other):
            self.winner = self.other

    def capture_all(self, pawns: dict[Cell, str], victim: str, captor: str) -> None:
        found = True
        while found:
            found = False
            for cell, owner in list(pawns.items()):
                if owner == victim and self.capturable(pawns, cell, captor):
                    pawns[cell] = "neutral"
                    found = True

    def capturable(self, pawns: dict[Cell, str], cell: Cell, captor: str) -> bool:
        owners = [pawns.get(other) for other in neighbours(cell)]
        if owners == ["neutral"] * 3:
            return self.options["neutral_triangle"] == "captures"
        return all(owner in (captor, "neutral") for owner in owners)

    def winning(self, pawns: dict[Cell, str], seat: str) -> bool:
        for cell, owner in pawns.items():
            if owner == seat:
                owners = [pawns.get(corner) for corner in neighbours(cell)]
                if owners == ["neutral"] * 3:
                    if self.options["neutral_triangle"] == "wins":
                        return True
                elif all(other in (seat, "neutral") for other in owners):
                    return True
        return False

    def position_key(self) -> object:
        return frozenset(self.pawns.items()), self.seat

    @property
    def outcome(self) -> Outcome | None:
        ended = self.ended()
        if not ended:
            return None
        reason, winner = ended
        scores = {"round": (1.0, 0.0), "square": (0.0, 1.0), "": (0.5, 0.5)}[winner]
        return Outcome(reason, scores, scores)

    def ended(self) -> tuple[str, str] | None:
        """Return the reason and the winner."""
        if self.winner:
            return "triangle", self.winner
        if self.passes == 2:
            return "passes", ""
        if not self.placing and not self.active_moves():
            rule = "no_move" if self.me in self.pawns.values() else "all_neutral"
            if self.options[rule] == "loss":
                return rule, self.other
        repetition = int(self.options["repetition"])
        if not self.placing and repetition and self.seen[self.position_key()] + 1 >= repetition:
            return "repetition", ""
        return ("max_plies", "") if self.plies >= int(self.options["max_plies"]) else None

    def full_text(self) -> str:
        cells = [
            sorted(name(cell) for cell, owner in self.pawns.items() if owner == holder)
            for holder in (*SEATS, "neutral")
        ]
        lists = [",".join(texts) or "-" for texts in [sorted(self.pieces), *cells]]
        hands = ["".join(colour * hand[colour] for colour in "NBR") or "-" for hand in self.hands]
        return " ".join([*lists, "/".join(hands), self.me, str(self.plies), str(self.passes)])


def full_hand() -> Counter[str]:
    return Counter({"N": 2, "B": 2, "R": 2})


def placed(options: dict[str, str], text: str) -> TroxSecond:
    """Return the position of a text, without history."""
    pieces, *lists, hands, seat, plies, passes = text.split(" ")
    at = TroxSecond(options, seat=SEATS.index(seat), plies=int(plies), passes=int(passes))
    for piece in pieces.split(",") if pieces != "-" else ():
        at.lay(piece)
    for whose, cells in zip((*SEATS, "neutral"), lists, strict=True):
        at.pawns |= dict.fromkeys(map(named, cells.split(",") if cells != "-" else ()), whose)
    round_hand, square_hand = (Counter(hand.strip("-")) for hand in hands.split("/"))
    at.hands = (round_hand, square_hand)
    return at


class TroxReference(SecondEngine):
    def start(self, settings: Settings, text: str) -> TroxSecond:
        return placed(settings.texts(), text)


REFERENCE = TroxReference()
