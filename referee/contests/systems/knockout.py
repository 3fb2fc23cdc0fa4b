"""Single and double elimination: the bracket, and how far it has been played.

A bracket is drawn before the first match and never changes. It is filled up to a power of two with vacant places, which
are placed so that the best seeds meet vacant places first and each other last.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum

from msgspec import Struct

from referee.contests.pairing import Pairing
from referee.contests.pairing_progress import PairingProgress


class SeedPlace(Struct, frozen=True, gc=False):
    """The entrant with that seed, from 1. Vacant if there are fewer entrants."""

    number: int


class WinnerOf(Struct, frozen=True, gc=False):
    """The winner of a pairing, by id."""

    pairing: str


class LoserOf(Struct, frozen=True, gc=False):
    """The loser of a pairing, by id."""

    pairing: str


BracketPlace = SeedPlace | WinnerOf | LoserOf


class BracketStage(Enum):
    """What is at stake in a pairing."""

    WINNERS = "w"
    """The loser is out, or moves to the losers' bracket in double elimination."""
    LOSERS = "l"
    """The loser is out."""
    FINAL = "f"
    SECOND_FINAL = "g"
    """A second final, played only if the entrant from the losers' bracket won the first: then both have lost once."""
    THIRD = "t"
    """The match for the third place."""


class BracketPairing(Struct, frozen=True, gc=False):
    """Two places that meet."""

    stage: BracketStage
    round: int
    board: int
    first: BracketPlace
    second: BracketPlace
    depth: int
    """Measure of how far the loser got; higher is better."""

    @property
    def id(self) -> str:
        return f"{self.stage.value}{self.round}.{self.board}"


def build_bracket(count: int, twice: bool, third_place: bool) -> dict[str, BracketPairing]:
    """Return the bracket of single elimination or, if `twice`, of double elimination, by id."""
    bracket = double_elimination(count) if twice else single_elimination(count, third_place=third_place)
    return {pairing.id: pairing for pairing in bracket}


def single_elimination(count: int, *, third_place: bool = False) -> list[BracketPairing]:
    """Return the bracket in which an entrant is out after one loss."""
    pairings = [pairing for row in _winners_rounds(_rounds(count)) for pairing in row]
    if third_place and count >= 4:
        semi_finals = pairings[-3:-1]
        first, second = (LoserOf(pairing.id) for pairing in semi_finals)
        pairings.append(
            BracketPairing(BracketStage.THIRD, semi_finals[0].round + 1, 1, first, second, semi_finals[0].depth)
        )
    return pairings


def double_elimination(count: int) -> list[BracketPairing]:
    """Return the bracket in which an entrant is out after two losses."""
    upper = _winners_rounds(_rounds(count))
    lower = list(_losers_rounds(upper))
    last_loser = WinnerOf(lower[-1][0].id) if lower else LoserOf(upper[-1][0].id)
    number = upper[-1][0].round + len(lower) + 1
    final = BracketPairing(BracketStage.FINAL, number, 1, WinnerOf(upper[-1][0].id), last_loser, number)
    second_final = BracketPairing(
        BracketStage.SECOND_FINAL, number + 1, 1, WinnerOf(final.id), LoserOf(final.id), number + 1
    )
    return [
        *(pairing for row in upper for pairing in row),
        *(pairing for row in lower for pairing in row),
        final,
        second_final,
    ]


def seed_positions(rounds: int) -> list[int]:
    """Return seeds by position: 1 and 2 in different halves, 1 to 4 in different quarters, and so on."""
    order = [1]
    for _ in range(rounds):
        order = [number for seed in order for number in (seed, 2 * len(order) + 1 - seed)]
    return order


def separate_owners(seeds: Sequence[str], owners: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Return the seeds, exchanged so that entrants of one owner meet as late as possible in the winners' bracket.

    Only seeds that are worth the same are exchanged: 3 and 4, 5 to 8, 9 to 16, and so on.
    """
    positions = {number: place for place, number in enumerate(seed_positions(_rounds(len(seeds))))}
    counts = Counter(owner for name in seeds for owner in set(owners[name]))
    mates = {name for name in seeds if any(counts[owner] > 1 for owner in owners[name])}
    placed: dict[str, int] = {}
    for start, end in _equal_seeds(len(seeds)):
        free = set(range(start + 1, end + 1))
        own = dict(zip(seeds[start:end], range(start + 1, end + 1), strict=True))
        for name in sorted(own, key=lambda name: name not in mates):
            others = [
                positions[at] for other, at in placed.items() if name in mates and {*owners[name]} & {*owners[other]}
            ]
            best = max(free, key=lambda seed: (_first_meeting(positions[seed], others), seed == own[name], -seed))
            free.remove(best)
            placed[name] = best
    return tuple(sorted(placed, key=placed.__getitem__))


def _equal_seeds(count: int) -> Iterator[tuple[int, int]]:
    """Yield the groups of seeds that are worth the same, as slices: 1, 2, 3 to 4, 5 to 8, and so on."""
    start = 0
    while start < count:
        end = min(count, max(1, 2 * start))
        yield start, end
        start = end


def _first_meeting(position: int, others: Iterable[int]) -> int:
    """Return the round in which a position first meets one of the others, if all of them win until then."""
    return min(((position ^ other).bit_length() for other in others), default=0)


def _rounds(count: int) -> int:
    return (count - 1).bit_length()


def _winners_rounds(rounds: int) -> list[list[BracketPairing]]:
    places: list[BracketPlace] = [SeedPlace(number) for number in seed_positions(rounds)]
    rows = []
    for number in range(1, rounds + 1):
        row = _bracket_round(BracketStage.WINNERS, number, places)
        places = [WinnerOf(pairing.id) for pairing in row]
        rows.append(row)
    return rows


def _losers_rounds(upper: list[list[BracketPairing]]) -> Iterator[list[BracketPairing]]:
    """Yield the rounds of the losers' bracket: among themselves, and against the losers of the next round, in turn."""
    places: list[BracketPlace] = [LoserOf(pairing.id) for pairing in upper[0]]
    number = 1
    for upper_round in range(1, len(upper)):
        row = _bracket_round(BracketStage.LOSERS, number, places)
        yield row
        mask = _drop_mask(upper_round, len(row))
        new_losers: list[BracketPlace] = [LoserOf(upper[upper_round][board ^ mask].id) for board in range(len(row))]
        places = [
            place for pairing, other in zip(row, new_losers, strict=True) for place in (other, WinnerOf(pairing.id))
        ]
        row = _bracket_round(BracketStage.LOSERS, number + 1, places)
        yield row
        places = [WinnerOf(pairing.id) for pairing in row]
        number += 2


def _drop_mask(upper_round: int, boards: int) -> int:
    """Return by which bits the board where a loser joins the losers' bracket differs from the board where it lost.

    Two entrants that have met can meet again once the boards where they joined lie in the same part of the bracket. So
    the first bits, which are the halves, quarters and so on, differ between as many rounds as possible.
    """
    width = boards.bit_length() - 1
    return sum((-upper_round >> place & 1) << width - 1 - place for place in range(width))


def _bracket_round(stage: BracketStage, number: int, places: list[BracketPlace]) -> list[BracketPairing]:
    return [
        BracketPairing(stage, number, board, places[2 * board - 2], places[2 * board - 1], number)
        for board in range(1, len(places) // 2 + 1)
    ]


class Vacant:
    """A place without an entrant: no seed was drawn for it, or its entrant has left."""


VACANT = Vacant()
Occupant = str | Vacant | None
"""None: not known yet."""


class Knockout(Struct, frozen=True, gc=False):
    """A bracket, and what has happened in it."""

    bracket: Mapping[str, BracketPairing]
    """Pairings of the bracket by id. Each comes after those whose results it needs."""
    seeds: Sequence[str]
    """The best first, including entrants that have left."""
    pairings: Mapping[str, PairingProgress]
    """Progress of each planned pairing, by the id that it has in the bracket."""
    withdrawn: Collection[str]

    def ready(self) -> list[Pairing]:
        """Return pairings whose two entrants are known and that were not planned before."""
        return [
            Pairing(pairing.id, pairing.round, pairing.board, (first, second))
            for pairing in self.bracket.values()
            if pairing.id not in self.pairings and self._is_needed(pairing)
            for first, second in [(self._occupant(pairing.first), self._occupant(pairing.second))]
            if isinstance(first, str) and isinstance(second, str)
        ]

    def groups(self) -> list[list[str]]:
        """Return the entrants by how far they got, best first. Entrants that are still in come before all others."""
        depths = self._depths()
        order = sorted(set(depths.values()), reverse=True)
        return [[name for name in self.seeds if depths[name] == depth] for depth in order]

    def _depths(self) -> dict[str, float]:
        undefeated = 1.0 + max(pairing.depth for pairing in self.bracket.values())
        depths = dict.fromkeys(self.seeds, undefeated)
        for pairing in self.bracket.values():
            for name in self._eliminated_at(pairing):
                depths[name] = min(depths[name], pairing.depth)
        for pairing in self.bracket.values():
            if pairing.stage is BracketStage.THIRD and isinstance(third := self._advancing(pairing), str):
                depths[third] = pairing.depth + 0.5
        return depths

    def _eliminated_at(self, pairing: BracketPairing) -> list[str]:
        """Return the entrants that got no further than here, by losing or by leaving before it was planned."""
        if pairing.id not in self.pairings:
            drawn = (self._drawn_occupant(pairing.first), self._drawn_occupant(pairing.second))
            return [name for name in drawn if isinstance(name, str) and name in self.withdrawn]
        if self.pairings[pairing.id].is_deserted:
            return list(self.pairings[pairing.id].pairing.entrants)
        loser = self._eliminated(pairing)
        return [loser] if isinstance(loser, str) and self._is_elimination(pairing) else []

    def _is_elimination(self, pairing: BracketPairing) -> bool:
        """Return whether the loser of this pairing is out."""
        if pairing.stage is BracketStage.WINNERS:
            return not any(other.stage is BracketStage.FINAL for other in self.bracket.values())
        return pairing.stage is not BracketStage.FINAL or not self._needs_another_final(pairing)

    def _is_needed(self, pairing: BracketPairing) -> bool:
        if pairing.stage is not BracketStage.SECOND_FINAL:
            return True
        return self._needs_another_final(self._feeder(pairing.first))

    def _needs_another_final(self, final: BracketPairing) -> bool:
        """Return whether the entrant from the losers' bracket won: then both have lost once."""
        first, second = self._occupant(final.first), self._occupant(final.second)
        return isinstance(first, str) and isinstance(second, str) and self._advancing(final) == second

    def _occupant(self, place: BracketPlace) -> Occupant:
        """Return the entrant that will play at this place."""
        drawn = self._drawn_occupant(place)
        return VACANT if drawn in self.withdrawn else drawn

    def _drawn_occupant(self, place: BracketPlace) -> Occupant:
        """Return the entrant that was to play at this place, even if it has left."""
        if isinstance(place, SeedPlace):
            return self.seeds[place.number - 1] if place.number <= len(self.seeds) else VACANT
        pairing = self._feeder(place)
        return self._advancing(pairing) if isinstance(place, WinnerOf) else self._eliminated(pairing)

    def _advancing(self, pairing: BracketPairing) -> Occupant:
        """Return the entrant that advances: the better seed if the pairing stays level."""
        progress = self.pairings.get(pairing.id)
        if progress and progress.is_deserted:
            return VACANT
        if progress:
            if not progress.is_done:
                return None
            return progress.winner or min(progress.pairing.entrants, key=self.seeds.index)
        first = self._occupant(pairing.first)
        if first is None:
            return None
        second = self._occupant(pairing.second)
        if isinstance(first, Vacant):
            return second
        return first if isinstance(second, Vacant) else None

    def _eliminated(self, pairing: BracketPairing) -> Occupant:
        """Return the entrant that does not advance; vacant if there was no opponent."""
        progress = self.pairings.get(pairing.id)
        if progress and progress.is_deserted:
            return VACANT
        if progress:
            winner = self._advancing(pairing)
            return winner and next(name for name in progress.pairing.entrants if name != winner)
        return None if self._advancing(pairing) is None else VACANT

    def _feeder(self, place: BracketPlace) -> BracketPairing:
        assert isinstance(place, WinnerOf | LoserOf)
        return self.bracket[place.pairing]
