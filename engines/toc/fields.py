"""Parses the nine fields of a position's text one by one; `?` is parsed as UNKNOWN."""

import re

from engines.chance import Chance
from engines.toc import cards
from engines.toc.places import BITS, H1, NUMBERS, RESERVE, SEATS, STARTS
from engines.toc.position_writer import EXCHANGE, FAR, FRESH, HIDDEN, NONE, SHORT
from engines.toc.round import EXCHANGING, NOTHING, leader
from engines.toc.rules import Rules
from engines.toc.track import Track

UNKNOWN = -2
MAX_DRAWS = 1 << 31
EXAMPLE = "R,R,R,R/18*,R,R,R/R,R,R,R/5,H2,R,R x 0 3 HANDS GIFTS PLAYED DECK SEED:DRAWN"

_PLACE = "(?:[0-9]|[1-6][0-9]|7[01]|H[1-4]|R)"
_PAWNS = rf"(?:{_PLACE}[*+-]?,){{3}}{_PLACE}[*+-]?"
_CARD = r"(?:[A23456789TJQK][SHDC]|\?)"
_CARDS = f"(?:-|{_CARD}{{1,52}})"
_NUMBER = "(?:0|[1-9][0-9]{0,9})"
_GRAMMAR = re.compile(
    f"(?P<pawns>{_PAWNS}(?:/{_PAWNS}){{3}}) (?P<mover>[0-3x]) (?P<turns>{_NUMBER}) (?P<dealer>[0-3]) "
    f"(?P<hands>{_CARDS}(?:/{_CARDS}){{3}}) (?P<gifts>(?:-|{_CARD})(?:/(?:-|{_CARD})){{3}}) "
    rf"(?P<played>{_CARDS}) (?P<deck>{_CARDS}) (?P<chance>\?|(?:[0-9a-f]{{2}})*:{_NUMBER})",
    re.ASCII,
)


class InvalidText(ValueError):
    """Raised with a sentence on what is wrong with a text."""


class Fields:
    """The parsed fields of a text, which have not been checked for consistency."""

    __slots__ = ("chance", "dealer", "deck", "gifts", "hands", "mover", "played", "track", "turns")

    def __init__(self, text: str, rules: Rules) -> None:
        """Parse a text. Raises InvalidText."""
        found = _GRAMMAR.fullmatch(text)
        if not found:
            raise InvalidText(f"it must have nine fields separated by single spaces, as in {EXAMPLE!r}")
        self.track = _track(found["pawns"], rules)
        self.mover = EXCHANGING if found["mover"] == EXCHANGE else int(found["mover"])
        self.turns = int(found["turns"])
        self.dealer = int(found["dealer"])
        self.hands = [_cards(hand) for hand in found["hands"].split("/")]
        self.gifts = [_gift(gift) for gift in found["gifts"].split("/")]
        self.played = _cards(found["played"])
        self.deck = _cards(found["deck"])
        self.chance = _chance(found["chance"])

    def unknowns(self) -> int:
        """Return how many cards are unknown (`?`), including those of the gifts."""
        return sum(listed.count(UNKNOWN) for listed in (*self.hands, self.gifts, self.played, self.deck))

    def leader(self) -> int:
        """Return the seat that leads in this deal."""
        return leader(self.track.rules, self.dealer, len(self.deck))

    def held_in_deal(self, seat: int) -> list[int]:
        """Return the cards that `seat` has held since the exchange: those in its hand and those it has played."""
        done = SEATS * cards.HAND_SIZES[len(self.deck)] - sum(map(len, self.hands))
        played = self.played[len(self.played) - done :]
        return self.hands[seat] + played[(seat - self.leader()) % SEATS :: SEATS]


def _cards(text: str) -> list[int]:
    names = [] if text == NONE else re.findall(r"\?|..", text)
    return [UNKNOWN if name == HIDDEN else cards.NUMBERS[name] for name in names]


def _gift(text: str) -> int:
    return NOTHING if text == NONE else _cards(text)[0]


def _chance(text: str) -> Chance | None:
    if text == HIDDEN:
        return None
    seed, _, drawn = text.partition(":")
    if int(drawn) > MAX_DRAWS:
        raise InvalidText(f"the number of draws must be at most {MAX_DRAWS}")
    return Chance(bytes.fromhex(seed), int(drawn))


def _track(text: str, rules: Rules) -> Track:
    pawns = [0] * SEATS
    marked = {FRESH: 0, SHORT: 0, FAR: 0, "": 0}
    taken = 0
    for colour, listed in enumerate(text.split("/")):
        for written in listed.split(","):
            name, mark = (written[:-1], written[-1]) if written[-1] in marked else (written, "")
            place = NUMBERS[name]
            _check_mark(colour, place, mark, rules)
            if place == RESERVE:
                continue
            bit = BITS[place]
            if bit & (pawns[colour] if place >= H1 else taken):
                raise InvalidText(f"there are two pawns on {name}")
            pawns[colour] |= bit
            taken |= bit
            marked[mark] |= bit
    short = marked[SHORT] | (marked[FRESH] if rules.starts_short else 0)
    return Track(rules, tuple(pawns), marked[FRESH], short, marked[FAR])


def _check_mark(colour: int, place: int, mark: str, rules: Rules) -> None:
    if mark == FRESH and place != STARTS[colour]:
        raise InvalidText(f"a fresh pawn of seat {colour} must be on its start cell, {STARTS[colour]}")
    if mark in (SHORT, FAR):
        if not rules.keeps_laps:
            raise InvalidText(f"the marks {SHORT} and {FAR} need back_shortcut=false or overshoot=new_lap")
        if mark == FAR and rules.counts_laps and rules.new_lap:
            raise InvalidText(f"no pawn can be marked {FAR} with back_shortcut=false and overshoot=new_lap")
        if place >= H1:
            raise InvalidText(f"only a pawn on the ring can be marked {SHORT} or {FAR}")
