"""Entrants who meet, and how far they are with it.

A pairing has a stable id from the moment it is planned. It is one match or several, each with a number from
1; the seats rotate from one to the next. A match that became void is played again as its next attempt. What
has been scored is scored: a second result for the same match changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from referee.contest.encounters import Encounter, How, ahead, exact, share

Places = tuple[tuple[int, ...], ...]
"""Sides, as places in the list of a pairing's entrants."""


@dataclass(frozen=True, slots=True)
class Pairing:
    id: str
    round: int
    board: int
    entrants: tuple[str, ...]
    """In the order of seats of the first match. One alone: a bye."""
    matches: int = 1
    extra: int = 0
    """How many more at most, while two are level."""
    sides: Places = ()
    """Who stands together. Nothing: everybody alone."""

    @property
    def bye(self) -> bool:
        return len(self.entrants) == 1

    def seated(self, number: int) -> tuple[str, ...]:
        """In the order of seats of the match of that number."""
        turn = (number - 1) % len(self.entrants)
        return self.entrants[turn:] + self.entrants[:turn]

    def side_of(self, place: int) -> int:
        return next((side for side, places in enumerate(self.sides) if place in places), place)

    def opponents(self, place: int) -> list[int]:
        """The places on other sides."""
        mine = self.side_of(place)
        return [other for other in range(len(self.entrants)) if self.side_of(other) != mine]


@dataclass(frozen=True, slots=True)
class Due:
    """One match that is to be played."""

    pairing: Pairing
    number: int
    attempt: int

    @property
    def id(self) -> str:
        return f"{self.pairing.id}/{self.number}.{self.attempt}"

    @property
    def seats(self) -> tuple[str, ...]:
        return self.pairing.seated(self.number)


@dataclass(frozen=True, slots=True)
class Score:
    """How one match came out, in the order of the pairing's entrants, not of its seats."""

    ranks: tuple[int, ...]
    """From 1; those who are level share one."""
    forfeited: tuple[str, ...] = ()
    """Who lost by a fault of its own."""


@dataclass(frozen=True, slots=True)
class Course:
    """How far a pairing is."""

    pairing: Pairing
    scores: Mapping[int, Score] = field(default_factory=dict)
    """By the number of the match."""
    voided: Mapping[int, int] = field(default_factory=dict)
    """How often each match became void."""
    absent: frozenset[str] = frozenset()
    """Who left before it was done. Its matches are played no more."""

    def scored(self, number: int, score: Score) -> "Course":
        return replace(self, scores={**self.scores, number: score})

    def made_void(self, number: int) -> "Course":
        return replace(self, voided={**self.voided, number: self.attempt(number)})

    def without(self, name: str) -> "Course":
        return replace(self, absent=self.absent | {name})

    def attempt(self, number: int) -> int:
        """The one that counts, from 1."""
        return self.voided.get(number, 0) + 1

    @property
    def due(self) -> list[Due]:
        """Matches that may be played now, those included that are being played."""
        if self.done:
            return []
        open_ones = [number for number in range(1, self.pairing.matches + 1) if number not in self.scores]
        numbers = open_ones or [next(number for number in count(1) if number not in self.scores)]
        return [Due(self.pairing, number, self.attempt(number)) for number in numbers]

    @property
    def done(self) -> bool:
        if self.pairing.bye or self.absent:
            return True
        played = len(self.scores)
        if played < self.pairing.matches:
            return False
        return played == self.pairing.matches + self.pairing.extra or not self.level

    @property
    def begun(self) -> bool:
        return bool(self.scores)

    @property
    def level(self) -> bool:
        """Two whom the matches so far do not part."""
        points = self.points
        return len(points) == 2 and points[0] == points[1]

    @property
    def points(self) -> tuple[float, ...]:
        """Of each entrant in the matches so far."""
        return tuple(
            exact(sum(share(self._side_ranks(score), score.ranks[place]) for score in self.scores.values()))
            for place in range(len(self.pairing.entrants))
        )

    def encounter(self, name: str) -> Encounter:
        """What it was to one of its entrants, once it is done."""
        pairing = self.pairing
        place = pairing.entrants.index(name)
        if pairing.bye:
            return Encounter(How.BYE, float(pairing.matches), matches=pairing.matches)
        if self.absent and not self.begun:
            return self._never_played(name, place)
        against = tuple((pairing.entrants[other], self._against(place, other)) for other in pairing.opponents(place))
        firsts = [self._side_ranks(score).count(1) for score in self.scores.values() if score.ranks[place] == 1]
        return Encounter(
            How.PLAYED,
            self.points[place] + self._walkover(name),
            against,
            place,
            len(self.scores),
            wins=firsts.count(1),
            draws=len(firsts) - firsts.count(1),
        )

    def _never_played(self, name: str, place: int) -> Encounter:
        pairing = self.pairing
        if len(pairing.entrants) > 2:
            return Encounter(How.MISSED, 0.0)  # A table that lost a player is no table; nobody gains by it.
        other = pairing.entrants[1 - place]
        here = name not in self.absent
        points = float(pairing.matches) if here else 0.0
        return Encounter(How.UNOPPOSED if here else How.ABSENT, points, ((other, points),), matches=pairing.matches)

    def _walkover(self, name: str) -> float:
        """What is left of a pairing of two goes to the one who stayed."""
        if not self.absent or name in self.absent or len(self.pairing.entrants) > 2:
            return 0.0
        return float(max(0, self.pairing.matches - len(self.scores)))

    def _against(self, place: int, other: int) -> float:
        return exact(sum(ahead(score.ranks[place], score.ranks[other]) for score in self.scores.values()))

    def _side_ranks(self, score: Score) -> list[int]:
        sides = self.pairing.sides or tuple((place,) for place in range(len(self.pairing.entrants)))
        return [score.ranks[places[0]] for places in sides]

    @property
    def winner(self) -> str | None:
        """Of two: who scored more, or stayed. None if they are level, or both have left."""
        first, second = self.pairing.entrants
        if self.absent:
            return next((name for name in self.pairing.entrants if name not in self.absent), None)
        mine, theirs = self.points
        if mine == theirs:
            return None
        return first if mine > theirs else second
