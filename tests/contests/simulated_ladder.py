"""Ladders of bots with known strengths: pairing and rating are real, results are random."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Self

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.commands import (
    AvailableEntrant,
    JoinLadder,
    LadderCommand,
    PairEntrants,
    RateMatch,
    StartLadderMatch,
)
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import MatchRated
from referee.contests.ladder.matchmaking import select_matches_to_start
from referee.contests.ladder.result_counts import ResultCounts
from referee.contests.ladder.state import Ladder, LadderPlayTerms, evolve
from referee.contests.strength.joint_fit import fit_field
from referee.contests.strength.rating import FinishOrder, SkillRating
from referee.match.setup import Player
from tests.contests.simulated_matches import gauss, random_numbers, simulated_match

Errors = Mapping[str, tuple[float, float]]
"""Error and deviation of each estimate. Both scales are shifted to the same average."""


@dataclass
class SimulatedLadder:
    """A ladder and its bots, which are always online and play one match at a time."""

    strengths: Mapping[str, float]
    draws: Iterator[float]
    terms: LadderPlayTerms
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    matches: int = 0
    ladder: Ladder = field(init=False)
    counts: ResultCounts = field(default_factory=ResultCounts)
    rated: list[MatchRated] = field(default_factory=list)
    now_ms: int = 0

    def __post_init__(self) -> None:
        self.ladder = Ladder(self.terms)
        for name in self.strengths:
            self._do(JoinLadder(ContestEntrant(name, (Player(name),), owners=self.owners.get(name, ()))))

    def player(self, name: str) -> Player:
        return Player(name)

    def ranks(self, seats: Sequence[str]) -> tuple[int, ...]:
        return simulated_match([self.strengths[name] for name in seats], range(len(seats)), self.draws).ranks

    def play_paired(self, rounds: int, online: Iterable[str] = ()) -> Self:
        here = self._available(online or self.strengths)
        for _ in range(rounds):
            self._do(PairEntrants(here))
            for due in select_matches_to_start(self.ladder, here):
                self._play(due.seats, due.id)
        return self

    def play_overlapping(self, rounds: int) -> Self:
        """Play as many matches as in that number of rounds, where the next match to end is always drawn by lot."""
        last = self.matches + rounds * (len(self.strengths) // self.terms.table_size)
        while self.matches < last:
            busy = {name for due in self.ladder.matches_in_play for name in due.seats}
            here = self._available(self.strengths, busy)
            self._do(PairEntrants(here))
            for due in select_matches_to_start(self.ladder, here):
                self._do(StartLadderMatch(due.id, due.id))
            ended = self.ladder.matches_in_play[int(next(self.draws) * len(self.ladder.matches_in_play))]
            self._play(ended.seats, ended.id, ended.id)
        return self

    def play_random(self, rounds: int) -> Self:
        at_a_table = self.terms.table_size
        for _ in range(rounds):
            lots = sorted(self.strengths, key=lambda _: next(self.draws))
            for start in range(0, len(lots) - at_a_table + 1, at_a_table):
                self._play(tuple(lots[start : start + at_a_table]))
        return self

    def _available(self, online: Iterable[str], busy: Iterable[str] = ()) -> tuple[AvailableEntrant, ...]:
        return tuple(AvailableEntrant(name, (self.player(name),), int(name not in busy)) for name in online)

    def _play(self, seats: tuple[str, ...], due: str = "", match_id: str = "") -> None:
        self.matches += 1
        finish = FinishOrder(tuple((self.player(name),) for name in seats), self.ranks(seats))
        self._do(RateMatch(match_id or f"m{self.matches}", finish, due_id=due, at_ms=self.now_ms))

    def _do(self, command: LadderCommand) -> None:
        for event in decide(self.ladder, command):
            self.ladder = evolve(self.ladder, event)
            if isinstance(event, MatchRated):
                self.rated.append(event)
                self.counts.add(event)

    @property
    def estimates(self) -> dict[Player, SkillRating]:
        """The ratings from all results at once, of all players that have played."""
        return self.counts.ratings(1, fit_field(self.counts.season(1)))

    @property
    def errors(self) -> Errors:
        return self._errors(self.estimates)

    @property
    def live_errors(self) -> Errors:
        """Errors of the ratings that follow each match."""
        season = self.ladder.current_season
        return self._errors({Player(name): season.rating(Player(name)).rating for name in self.strengths})

    def _errors(self, ratings: Mapping[Player, SkillRating]) -> Errors:
        found = {name: ratings[Player(name)] for name in self.strengths}
        shift = sum(skill.value - self.strengths[name] for name, skill in found.items()) / len(found)
        return {name: (skill.value - self.strengths[name] - shift, skill.deviation) for name, skill in found.items()}


def root_mean_square(errors: Errors) -> float:
    return sqrt(sum(error**2 for error, _ in errors.values()) / len(errors))


def share_contained(errors: Errors) -> float:
    """Return the share of intervals of a ladder that contain the true strength."""
    return sum(abs(error) <= 2 * deviation for error, deviation in errors.values()) / len(errors)


BOTS = 50
TOP = 8


def _clusters(draws: Iterator[float], place: int) -> float:
    return (1200 if place % 2 else 1800) + 60 * gauss(draws)


def _outliers(draws: Iterator[float], place: int) -> float:
    return (2100 if place % 6 == 0 and place < 6 * TOP else 1400) + 100 * gauss(draws)


FIELDS: Mapping[str, Callable[[Iterator[float], int], float]] = {
    "even": lambda _, place: 800 + 30.0 * (17 * place % BOTS),
    "normal 100": lambda draws, _: 1500 + 100 * gauss(draws),
    "normal 250": lambda draws, _: 1500 + 250 * gauss(draws),
    "normal 400": lambda draws, _: 1500 + 400 * gauss(draws),
    "two clusters": _clusters,
    "outliers": _outliers,
}
"""The strength of the bot at each place. `even` is from 800 to 2270; the eight outliers are 700 Elo ahead."""


def ladder_of_field(kind: str, seed: str, terms: LadderPlayTerms) -> SimulatedLadder:
    """Return a ladder of fifty bots that have not played yet."""
    draws = random_numbers(seed)
    return SimulatedLadder({f"bot{place:02}": FIELDS[kind](draws, place) for place in range(BOTS)}, draws, terms)
