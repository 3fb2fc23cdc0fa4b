"""A second, slow implementation of Alquerque, written from the rules page, to compare the engine with.

A board is a dictionary from point to 'w' or 'b'. Nothing here uses the engine.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from engines.api import Outcome, Seat
from engines.options import Settings
from engines.testing.second_engine import OpenPosition, SecondEngine

Point = tuple[int, int]
T = TypeVar("T")
Chain = tuple[Point, ...]

POINTS = [(x, y) for x in range(5) for y in range(5)]
STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
OBLIQUE = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def name(point: Point) -> str:
    return "abcde"[point[0]] + "12345"[point[1]]


def directions(point: Point) -> list[Point]:
    return STRAIGHT + OBLIQUE if sum(point) % 2 == 0 else STRAIGHT


def beyond(point: Point, way: Point, steps: int) -> Point:
    return (point[0] + steps * way[0], point[1] + steps * way[1])


def goes_back(colour: str, way: Point) -> bool:
    return way[1] < 0 if colour == "w" else way[1] > 0


@dataclass(frozen=True)
class AlquerqueSecond(OpenPosition):
    """A position, with the options as a plain dictionary."""

    options: dict[str, str]
    men: dict[Point, str]
    side: str = "w"
    again: bool = False
    huffable: frozenset[Point] = frozenset()
    left: dict[Point, frozenset[Point]] = field(default_factory=dict)
    quiet: int = 0
    """Plies since a man was last taken off."""
    before: tuple[str, ...] = ()
    """The positions that have occurred since then, as text without plies."""

    @property
    def enemy(self) -> str:
        return "b" if self.side == "w" else "w"

    @property
    def owing(self) -> tuple[Seat, ...]:
        return () if self.outcome else ("wb".index(self.side),)

    def moves(self, seat: Seat) -> Collection[str]:
        return self.replies

    def play(self, seat: Seat, move: str, after: str) -> "AlquerqueSecond":
        there = self.replies[move]
        if len(there.men) < len(self.men):
            return replace(there, quiet=0, before=())
        return replace(there, quiet=self.quiet + 1, before=(*self.before, self.without_plies()))

    @property
    def outcome(self) -> Outcome | None:
        white, black = (list(self.men.values()).count(colour) for colour in "wb")
        if not white or not black:
            return won("no_men", "w" if white else "b")
        if not self.replies:
            return self.drawn("no_moves") if self.options["stalemate"] == "draw" else won("no_moves", self.enemy)
        if 0 < int(self.options["no_capture_plies"]) <= self.quiet:
            return self.drawn("no_capture")
        now = self.without_plies()
        if 0 < int(self.options["repetition"]) <= [*self.before, now].count(now):
            return self.drawn("repetition")
        return None

    def drawn(self, reason: str) -> Outcome:
        white, black = (list(self.men.values()).count(colour) for colour in "wb")
        if self.options["on_draw"] == "count" and white != black:
            return won(reason, "w" if white > black else "b")
        return Outcome(reason, (0.5, 0.5), (0.5, 0.5))

    @cached_property
    def replies(self) -> dict[str, "AlquerqueSecond"]:
        """All legal moves as text, with the position after each."""
        if self.side not in self.men.values() or self.enemy not in self.men.values():
            return {}
        captures = {"x".join(map(name, chain)): self.after_capture(chain) for chain in self.chains()}
        if self.again or (captures and self.options["huff"] == "false"):
            return captures
        steps = {f"{name(a)}-{name(b)}": self.after_step(a, b) for a, b in self.steps()}
        huffs = {f"!{name(point)}": self.after_huff(point) for point in self.huffable}
        return {**captures, **steps, **huffs}

    def chains(self) -> list[Chain]:
        """Return the legal chains."""
        if self.options["huff"] == "true" and self.options["huff_short"] == "huffable":
            return self.every_chain()
        return self.wanted()

    def wanted(self) -> list[Chain]:
        """Return the chains of which one must be made, or else a man can be huffed."""
        found = self.every_chain()
        if self.options["capture_choice"] == "max" and found:
            most = max(map(len, found))
            found = [chain for chain in found if len(chain) == most]
        return found

    def every_chain(self) -> list[Chain]:
        return [c for p in POINTS if self.men.get(p) == self.side for c in self.longer((p,), self.men)]

    def refusing(self, start: Point, end: Point) -> frozenset[Point]:
        """Return the men that could have begun a wanted chain, after one man has moved from `start` to `end`."""
        if self.options["huff"] == "false":
            return frozenset()
        return frozenset(end if chain[0] == start else chain[0] for chain in self.wanted())

    def longer(self, chain: Chain, men: dict[Point, str]) -> list[Chain]:
        found = []
        at = chain[-1]
        for way in directions(at):
            over, to = beyond(at, way, 1), beyond(at, way, 2)
            if self.options["no_backward"] == "all" and goes_back(self.side, way):
                continue
            if men.get(over) == self.enemy and to in POINTS and to not in men:
                then = {point: man for point, man in men.items() if point not in (at, over)}
                found += self.longer((*chain, to), {**then, to: self.side})
        if len(chain) > 1 and (not found or self.options["chain"] == "may_stop"):
            found.append(chain)
        return found

    def steps(self) -> list[tuple[Point, Point]]:
        return [
            (point, to)
            for point in POINTS
            if self.men.get(point) == self.side
            for way in directions(point)
            if (to := beyond(point, way, 1)) in POINTS
            and to not in self.men
            and not (self.options["no_backward"] != "off" and goes_back(self.side, way))
            and to not in self.left.get(point, frozenset())
        ]

    def after_huff(self, gone: Point) -> "AlquerqueSecond":
        return replace(self, men=without(self.men, gone), left=without(self.left, gone), huffable=frozenset())

    def after_step(self, start: Point, end: Point) -> "AlquerqueSecond":
        men = {**without(self.men, start), end: self.side}
        left = self.remembered((start, end), self.left)
        huffable = self.refusing(start, end)
        return replace(self, men=men, side=self.enemy, again=False, huffable=huffable, left=left)

    def after_capture(self, chain: Chain) -> "AlquerqueSecond":
        taken = {((a[0] + b[0]) // 2, (a[1] + b[1]) // 2) for a, b in pairwise(chain)}
        men = {point: man for point, man in self.men.items() if point not in taken and point != chain[0]}
        left = {point: where for point, where in self.left.items() if point not in taken}
        men[chain[-1]] = self.side
        same = replace(self, men=men, again=True, huffable=frozenset(), left=self.remembered(chain, left))
        if self.options["multi_pawn"] == "true" and same.chains():
            return same
        huffable = frozenset() if chain in self.wanted() else self.refusing(chain[0], chain[-1])
        return replace(same, side=self.enemy, again=False, huffable=huffable)

    def remembered(self, path: Chain, left: dict[Point, frozenset[Point]]) -> dict[Point, frozenset[Point]]:
        if self.options["no_return"] == "off":
            return {}
        been = frozenset([path[0]])
        if self.options["no_return"] == "ever":
            been = left.get(path[0], frozenset()) | frozenset(path)
        return {**without(left, path[0]), path[-1]: been - {path[-1]}}

    def full_text(self) -> str:
        ranks, side, *rest = self.without_plies().split(" ")
        return " ".join([ranks, side, str(self.quiet), *rest])

    def without_plies(self) -> str:
        """Return the position in the engine's notation, without the plies."""
        rows = []
        for y in range(4, -1, -1):
            row = "".join(self.men.get((x, y), ".") for x in range(5))
            for empty in range(5, 0, -1):
                row = row.replace("." * empty, str(empty))
            rows.append(row)
        fields = ["/".join(rows), self.side]
        fields += ["again"] if self.again else []
        fields += ["huff=" + ",".join(sorted(map(name, self.huffable)))] if self.huffable else []
        left = [
            f"{name(man)}:{'+'.join(sorted(map(name, where)))}" for man, where in sorted(self.left.items()) if where
        ]
        fields += ["left=" + ",".join(left)] if left else []
        return " ".join(fields)


def without(table: dict[Point, T], gone: Point) -> dict[Point, T]:
    return {point: thing for point, thing in table.items() if point != gone}


def placed(options: dict[str, str], text: str) -> AlquerqueSecond:
    """Return the position of a text, without what was before it."""
    ranks, side, quiet, *rest = text.split(" ")
    men: dict[Point, str] = {}
    for y, row in zip(range(4, -1, -1), ranks.split("/"), strict=True):
        signs = re.sub("[1-5]", lambda digit: "." * int(digit[0]), row)
        men |= {(x, y): sign for x, sign in enumerate(signs) if sign != "."}
    known = dict(part.split("=") for part in rest if "=" in part)
    huffable = frozenset(map(point_of, known["huff"].split(","))) if "huff" in known else frozenset()
    left = {}
    for man in known["left"].split(",") if "left" in known else ():
        at, where = man.split(":")
        left[point_of(at)] = frozenset(map(point_of, where.split("+")))
    return AlquerqueSecond(options, men, side, "again" in rest, huffable, left, int(quiet))


def point_of(text: str) -> Point:
    return "abcde".index(text[0]), "12345".index(text[1])


def won(reason: str, colour: str) -> Outcome:
    scores = (1.0, 0.0) if colour == "w" else (0.0, 1.0)
    return Outcome(reason, scores, scores)


class AlquerqueReference(SecondEngine):
    def start(self, settings: Settings, text: str) -> AlquerqueSecond:
        return placed(settings.texts(), text)


REFERENCE = AlquerqueReference()
