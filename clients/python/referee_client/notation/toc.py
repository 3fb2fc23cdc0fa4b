"""Toc: pawns on a ring of seventy-two cells, moved by cards. See docs/rules/toc.md."""

import re
from dataclasses import dataclass

from referee_client.notation.errors import Unreadable

RING = 72
RESERVE = "R"
UNKNOWN = "?"
NOTHING = "-"

CARD = "[A2-9TJQK][SHDC]"
PLACE = r"(?:[1-6]?\d|7[01]|H[1-4])"
PART = re.compile(rf"(R|{PLACE})>({PLACE})")
SWAP = re.compile(rf"({PLACE})<>({PLACE})")
GIFT_OR_DISCARD = re.compile(rf"([=-])({CARD}|\?)")
PLAY = re.compile(rf"({CARD}):([^x\s]+)((?:x\d+)*)")
PAWN = re.compile(rf"(R|{PLACE})([*+-]?)")


@dataclass(frozen=True)
class Walk:
    """The move of one pawn."""

    start: str
    """Where the pawn stood: a ring cell, H1 to H4, or R for the reserve."""
    to: str


@dataclass(frozen=True)
class Swap:
    own: str
    other: str


@dataclass(frozen=True)
class Move:
    """A card that is played, discarded or given to the partner."""

    card: str
    """The card, such as `TD`; `?` for the gift of another seat."""
    kind: str
    """`gift`, `discard`, `walk` or `swap`."""
    walks: tuple[Walk, ...] = ()
    """More than one if a 7 is divided."""
    swap: Swap | None = None
    kills: tuple[str, ...] = ()
    """The cells of the pawns that a 7 kills in passing, if the player may choose (`seven_kills=optional`)."""


@dataclass(frozen=True)
class Pawn:
    at: str
    """A ring cell, H1 to H4, or R."""
    fresh: bool = False
    laps: int = 0

    @property
    def cell(self) -> int | None:
        """Its cell of the ring; None if it is not on the ring."""
        return int(self.at) if self.at.isdigit() else None


@dataclass(frozen=True)
class Position:
    """A full position, or one as a seat sees it. A card that the viewer may not know is `?`."""

    pawns: tuple[tuple[Pawn, ...], ...]
    """The pawns of seats 0 to 3."""
    mover: int | None
    """The seat to move. None: cards are exchanged, and several seats may have to give one."""
    turns: int
    dealer: int
    hands: tuple[tuple[str, ...], ...]
    gifts: tuple[str, ...]
    """The card that each seat has given in this deal; `-`: none yet."""
    played: tuple[str, ...]
    """Cards played and discarded since the last shuffle, the oldest first."""
    deck: tuple[str, ...]
    chance: str


def move(text: str) -> Move:
    """Parse a move. Raises Unreadable."""
    if read := GIFT_OR_DISCARD.fullmatch(text):
        return Move(read[2], "gift" if read[1] == "=" else "discard")
    if read := PLAY.fullmatch(text):
        card, how, kills = read.groups()
        if (swap := SWAP.fullmatch(how)) and not kills:
            return Move(card, "swap", swap=Swap(*swap.groups()))
        parts = [PART.fullmatch(part) for part in how.split(",")]
        if all(parts):
            walks = tuple(Walk(*part.groups()) for part in parts if part)
            return Move(card, "walk", walks, kills=tuple(kills.split("x")[1:]))
    raise Unreadable("move of Toc", text)


def position(text: str) -> Position:
    """Parse a position. Raises Unreadable."""
    try:
        pawns, mover, turns, dealer, hands, gifts, played, deck, chance = text.split(" ")
        return Position(
            tuple(tuple(map(_pawn, four.split(","))) for four in pawns.split("/")),
            None if mover == "x" else int(mover),
            int(turns),
            int(dealer),
            tuple(map(_cards, hands.split("/"))),
            tuple(gifts.split("/")),
            _cards(played),
            _cards(deck),
            chance,
        )
    except ValueError:
        raise Unreadable("position of Toc", text) from None


def _pawn(text: str) -> Pawn:
    if not (read := PAWN.fullmatch(text)):
        raise Unreadable("pawn of Toc", text)
    at, mark = read.groups()
    return Pawn(at, fresh=mark == "*", laps={"+": 1, "-": -1}.get(mark, 0))


def _cards(text: str) -> tuple[str, ...]:
    return () if text == NOTHING else tuple(re.findall(rf"{CARD}|\?", text))
