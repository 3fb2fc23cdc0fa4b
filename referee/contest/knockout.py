"""Single and double elimination, as far as it has been played."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from referee.contest.bracket import Duel, Loser, Place, Seed, Stage, Winner
from referee.contest.pairing import Course, Pairing


class Nobody:
    """Who never comes: a place that nobody was drawn for, or whose entrant has left."""


NOBODY = Nobody()
Somebody = str | Nobody | None
"""None: not known yet."""


@dataclass(frozen=True, slots=True)
class Knockout:
    """A bracket, and what has happened in it."""

    duels: Mapping[str, Duel]
    """By id, those of a round after those that they wait for."""
    seeds: Sequence[str]
    """The best first. They never change, not even by leaving."""
    courses: Mapping[str, Course]
    """By the id of the pairing, which is that of its duel."""
    gone: Collection[str]

    def ready(self) -> list[Pairing]:
        """Pairings whose two are known and who have not been paired yet."""
        return [
            Pairing(duel.id, duel.round, duel.board, (first, second))
            for duel in self.duels.values()
            if duel.id not in self.courses and self._needed(duel)
            for first, second in [(self._who(duel.first), self._who(duel.second))]
            if isinstance(first, str) and isinstance(second, str)
        ]

    def groups(self) -> list[list[str]]:
        """Everybody by how far they got, the best first; who is still in comes before all who are out."""
        depths = self._depths()
        order = sorted(set(depths.values()), reverse=True)
        return [[name for name in self.seeds if depths[name] == depth] for depth in order]

    def _depths(self) -> dict[str, float]:
        still_in = 1.0 + max(duel.depth for duel in self.duels.values())
        depths = dict.fromkeys(self.seeds, still_in)
        for duel in self.duels.values():
            for name in self._out(duel):
                depths[name] = min(depths[name], duel.depth)
        for duel in self.duels.values():
            if duel.stage is Stage.THIRD and isinstance(third := self._ahead(duel), str):
                depths[third] = duel.depth + 0.5
        return depths

    def _out(self, duel: Duel) -> list[str]:
        """Who got no further than here, by losing or by leaving before it was paired."""
        if duel.id not in self.courses:
            drawn = (self._drawn(duel.first), self._drawn(duel.second))
            return [name for name in drawn if isinstance(name, str) and name in self.gone]
        loser = self._beaten(duel)
        return [loser] if isinstance(loser, str) and self._last(duel) else []

    def _last(self, duel: Duel) -> bool:
        """Who loses here is out."""
        if duel.stage is Stage.WINNERS:
            return not self._twice
        return duel.stage is not Stage.FINAL or not self._needs_another_final(duel)

    @property
    def _twice(self) -> bool:
        return any(duel.stage is Stage.FINAL for duel in self.duels.values())

    def _needed(self, duel: Duel) -> bool:
        if duel.stage is not Stage.AGAIN:
            return True
        return self._needs_another_final(self._duel(duel.first))

    def _needs_another_final(self, final: Duel) -> bool:
        """Who came from below won it: now both have lost once."""
        first, second = self._who(final.first), self._who(final.second)
        return isinstance(first, str) and isinstance(second, str) and self._ahead(final) == second

    def _who(self, place: Place) -> Somebody:
        """Who will be there."""
        drawn = self._drawn(place)
        return NOBODY if drawn in self.gone else drawn

    def _drawn(self, place: Place) -> Somebody:
        """Who was to be there."""
        if isinstance(place, Seed):
            return self.seeds[place.number - 1] if place.number <= len(self.seeds) else NOBODY
        duel = self._duel(place)
        return self._ahead(duel) if isinstance(place, Winner) else self._beaten(duel)

    def _ahead(self, duel: Duel) -> Somebody:
        """Who goes on."""
        course = self.courses.get(duel.id)
        if course:
            return (course.winner or self._better(course)) if course.done else None
        first = self._who(duel.first)
        if first is None:
            return None
        second = self._who(duel.second)
        if isinstance(first, Nobody):
            return second
        return first if isinstance(second, Nobody) else None

    def _beaten(self, duel: Duel) -> Somebody:
        """Who does not; nobody if there was nobody to beat."""
        course = self.courses.get(duel.id)
        if course:
            ahead = self._ahead(duel)
            return ahead and next(name for name in course.pairing.entrants if name != ahead)
        return None if self._ahead(duel) is None else NOBODY

    def _better(self, course: Course) -> str:
        """Level to the last: the better seed goes on."""
        return min(course.pairing.entrants, key=self.seeds.index)

    def _duel(self, place: Place) -> Duel:
        assert isinstance(place, Winner | Loser)
        return self.duels[place.of]
