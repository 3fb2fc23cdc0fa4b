"""Entrants who meet, and how far they are with it.

A pairing has a stable id from the moment it is planned. It is one match or several, each with a number from
1; the seats rotate from one to the next. So many in a row may make a set, which counts as a whole. A match that
became void is played again as its next attempt. What has been scored is scored: a second result for the same
match changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from referee.contest.encounters import Encounter, How, ahead, exact
from referee.core.result import share

Places = tuple[tuple[int, ...], ...]
"""Sides, as places in the list of a pairing's entrants."""


@dataclass(frozen=True, slots=True)
class Pairing:
    id: str
    round: int
    board: int
    entrants: tuple[str, ...]
    """In the order of seats of the first match; who holds several is named for each. One alone: a bye."""
    matches: int = 1
    extra: int = 0
    """How many more at most, while two are level."""
    sides: Places = ()
    """Who stands together. Nothing: everybody alone."""
    arrangements: int = 1
    """So many matches in a row make a set. 1: each is one."""

    @property
    def bye(self) -> bool:
        return len(self.entrants) == 1

    @property
    def names(self) -> tuple[str, ...]:
        """Everybody once."""
        return tuple(dict.fromkeys(self.entrants))

    def seated(self, number: int) -> tuple[str, ...]:
        """In the order of seats of the match of that number."""
        turn = (number - 1) % len(self.entrants)
        return self.entrants[turn:] + self.entrants[:turn]

    def set_of(self, number: int) -> int:
        """Which set the match of that number is in, from 1."""
        return (number - 1) // self.arrangements + 1

    def places(self, name: str) -> list[int]:
        return [place for place, entrant in enumerate(self.entrants) if entrant == name]

    @property
    def teams(self) -> Places:
        """Everybody's side, as places; who has none stands alone."""
        return self.sides or tuple((place,) for place in range(len(self.entrants)))

    def against(self, place: int) -> Places:
        """The other sides, but for those that the same entrant holds."""
        name = self.entrants[place]
        return tuple(side for side in self.teams if place not in side and self.entrants[side[0]] != name)


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

    @property
    def set(self) -> int:
        return self.pairing.set_of(self.number)

    @property
    def set_id(self) -> str:
        return f"{self.pairing.id}/{self.set}"


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
    match_ids: Mapping[tuple[int, int], str] = field(default_factory=dict)
    """Of the matches that began, by number and attempt, in the order in which they did."""
    absent: frozenset[str] = frozenset()
    """Who left before it was done. What had begun is played to the end, and nothing else."""

    def began(self, number: int, attempt: int, match_id: str) -> "Course":
        return replace(self, match_ids={**self.match_ids, (number, attempt): match_id})

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
        if self.absent or self.pairing.bye:
            return self.playing
        open_ones = [number for number in range(1, self._last + 1) if number not in self.scores]
        return [Due(self.pairing, number, self.attempt(number)) for number in open_ones]

    @property
    def playing(self) -> list[Due]:
        """Matches that have begun and have no result yet."""
        return [
            Due(self.pairing, number, attempt)
            for number, attempt in self.match_ids
            if number not in self.scores and attempt == self.attempt(number)
        ]

    @property
    def done(self) -> bool:
        if self.absent:
            return not self.playing
        return self.pairing.bye or len(self.scores) == self._last

    def set_over(self, number: int, but: str = "") -> bool:
        """Whether nothing is left to play of the set of that number, `but` for one match: what became void is left."""
        return all(due.set != number or due.id == but for due in self.due)

    @property
    def _last(self) -> int:
        """The number of the last match that it takes, as far as is known: another set for as long as two are level."""
        last, most = self.pairing.matches, self.pairing.matches + self.pairing.extra
        while last < most and len(self.scores) >= last and self._level_after(last):
            last += self.pairing.arrangements
        return last

    def _level_after(self, last: int) -> bool:
        """Two whom the matches so far do not part."""
        mine, theirs = (self._points(place, last) for place in range(2))
        return mine == theirs

    @property
    def begun(self) -> bool:
        return bool(self.scores)

    @property
    def points(self) -> tuple[float, ...]:
        """Of each entrant in the matches so far."""
        last = max(self.scores, default=0)
        return tuple(self._points(place, last) for place in range(len(self.pairing.entrants)))

    def points_of(self, name: str) -> float:
        """The same of one entrant, wherever it sits."""
        return exact(sum(self.points_in(number, name) for number in self.scores))

    def points_in(self, number: int, name: str) -> float:
        """Of one entrant in the match of that number, which has a result."""
        places, score = self.pairing.places(name), self.scores[number]
        return exact(sum(self._share(score, place) for place in places) / len(places))

    def _points(self, place: int, last: int) -> float:
        """In the matches up to a number."""
        return exact(sum(self._share(score, place) for number, score in self.scores.items() if number <= last))

    def _share(self, score: Score, place: int) -> float:
        mine = score.ranks[place]
        return share([mine, *(score.ranks[side[0]] for side in self.pairing.against(place))], mine)

    def encounter(self, name: str) -> Encounter:
        """What it was to one of its entrants, once it is done."""
        pairing = self.pairing
        if pairing.bye:
            return Encounter(How.BYE, float(pairing.matches), matches=pairing.matches)
        if self.absent and not self.begun:
            return self._never_played(name)
        place = pairing.entrants.index(name)
        others = dict.fromkeys(pairing.entrants[it] for side in pairing.against(place) for it in side)
        firsts = [leaders for leaders in map(self._leaders, self.scores.values()) if self._team(place) in leaders]
        alone = sum(len(leaders) == 1 for leaders in firsts)
        return Encounter(
            How.PLAYED,
            self.points_of(name) + self._walkovers(name),
            tuple((other, self._against(name, other)) for other in others),
            place,
            len(self.scores) + self._left,
            wins=alone,
            draws=len(firsts) - alone,
            walkovers=self._walkovers(name),
        )

    def _never_played(self, name: str) -> Encounter:
        pairing = self.pairing
        if len(pairing.names) > 2:
            return Encounter(How.MISSED, 0.0)  # A table that lost a player is no table; nobody gains by it.
        (other,) = (it for it in pairing.names if it != name)
        here = name not in self.absent
        points = float(pairing.matches) if here else 0.0
        return Encounter(How.UNOPPOSED if here else How.ABSENT, points, ((other, points),), matches=pairing.matches)

    @property
    def _left(self) -> int:
        """Matches of a pairing of two that nobody played, because one of them had gone."""
        if not self.absent or len(self.pairing.names) > 2:
            return 0
        return max(0, self.pairing.matches - len(self.scores))

    def _walkovers(self, name: str) -> int:
        """What is left of a pairing of two goes to the one who stayed."""
        return 0 if name in self.absent else self._left

    def _against(self, name: str, other: str) -> float:
        """Points against one other: of each match, over all their seats; and those that it left."""
        pairs = [(mine, its) for mine in self.pairing.places(name) for its in self.pairing.places(other)]
        met = (ahead(score.ranks[mine], score.ranks[its]) for score in self.scores.values() for mine, its in pairs)
        return exact(sum(met) / len(pairs) + self._walkovers(name))

    def _leaders(self, score: Score) -> set[tuple[str, ...]]:
        """Who finished first, each side once."""
        return {self._team(side[0]) for side in self.pairing.teams if score.ranks[side[0]] == 1}

    def _team(self, place: int) -> tuple[str, ...]:
        """Who stands together there, by name."""
        side = next(side for side in self.pairing.teams if place in side)
        return tuple(self.pairing.entrants[it] for it in side)

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
