"""Ladders of bots with known strengths: pairing and rating are real, results are random."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import sqrt

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
from tests.contests.simulated_matches import simulated_match


@dataclass
class SimulatedLadder:
    """A ladder and its bots, which are always online and play one match at a time."""

    strengths: Mapping[str, float]
    draws: Iterator[float]
    terms: LadderPlayTerms
    matches: int = 0
    ladder: Ladder = field(init=False)
    counts: ResultCounts = field(default_factory=ResultCounts)

    def __post_init__(self) -> None:
        self.ladder = Ladder(self.terms)
        for name in self.strengths:
            self._do(JoinLadder(ContestEntrant(name, (Player(name),))))

    def play_paired(self, rounds: int) -> "SimulatedLadder":
        here = tuple(AvailableEntrant(name, (Player(name),), 1) for name in self.strengths)
        for _ in range(rounds):
            self._do(PairEntrants(here))
            for due in select_matches_to_start(self.ladder, here):
                self._play(due.seats, due.id)
        return self

    def play_overlapping(self, rounds: int) -> "SimulatedLadder":
        """Play as many matches as in that number of rounds, where the next match to end is always drawn by lot."""
        last = self.matches + rounds * (len(self.strengths) // self.terms.table_size)
        while self.matches < last:
            busy = {name for due in self.ladder.matches_in_play for name in due.seats}
            here = tuple(AvailableEntrant(name, (Player(name),), int(name not in busy)) for name in self.strengths)
            self._do(PairEntrants(here))
            for due in select_matches_to_start(self.ladder, here):
                self._do(StartLadderMatch(due.id, due.id))
            ended = self.ladder.matches_in_play[int(next(self.draws) * len(self.ladder.matches_in_play))]
            self._play(ended.seats, ended.id, ended.id)
        return self

    def play_random(self, rounds: int) -> "SimulatedLadder":
        at_a_table = self.terms.table_size
        for _ in range(rounds):
            lots = sorted(self.strengths, key=lambda _: next(self.draws))
            for start in range(0, len(lots) - at_a_table + 1, at_a_table):
                self._play(tuple(lots[start : start + at_a_table]))
        return self

    def _play(self, seats: tuple[str, ...], due: str = "", match_id: str = "") -> None:
        finish = simulated_match([self.strengths[name] for name in seats], range(len(seats)), self.draws)
        self.matches += 1
        sides = tuple((Player(name),) for name in seats)
        self._do(RateMatch(match_id or f"m{self.matches}", FinishOrder(sides, finish.ranks), due_id=due))

    def _do(self, command: LadderCommand) -> None:
        for event in decide(self.ladder, command):
            self.ladder = evolve(self.ladder, event)
            if isinstance(event, MatchRated):
                self.counts.add(event)

    @property
    def estimates(self) -> dict[str, SkillRating]:
        """The ratings from all results at once."""
        ratings = self.counts.ratings(1, fit_field(self.counts.season(1)))
        return {name: ratings[Player(name)] for name in self.strengths}

    @property
    def live_ratings(self) -> dict[str, SkillRating]:
        """The ratings that follow each match."""
        return {name: self.ladder.current_season.rating(Player(name)).rating for name in self.strengths}

    @property
    def errors(self) -> dict[str, tuple[float, float]]:
        """Error and deviation of each estimate. Both scales are shifted to the same average."""
        return self._errors(self.estimates)

    @property
    def mean_error(self) -> float:
        """Root mean square of the errors."""
        return root_mean_square(self.errors)

    @property
    def live_error(self) -> float:
        """The same of the live ratings."""
        return root_mean_square(self._errors(self.live_ratings))

    @property
    def coverage(self) -> float:
        """Share of the intervals that contain the true strength."""
        return share_contained(self.errors)

    @property
    def live_coverage(self) -> float:
        return share_contained(self._errors(self.live_ratings))

    def _errors(self, ratings: Mapping[str, SkillRating]) -> dict[str, tuple[float, float]]:
        shift = sum(ratings[name].value - self.strengths[name] for name in ratings) / len(ratings)
        return {name: (skill.value - self.strengths[name] - shift, skill.deviation) for name, skill in ratings.items()}


def root_mean_square(errors: Mapping[str, tuple[float, float]]) -> float:
    """Return that of the errors of a ladder, each with its deviation."""
    return sqrt(sum(error**2 for error, _ in errors.values()) / len(errors))


def share_contained(errors: Mapping[str, tuple[float, float]]) -> float:
    """Return the share of intervals of a ladder that contain the true strength, given their errors and deviations."""
    return sum(abs(error) <= 2 * deviation for error, deviation in errors.values()) / len(errors)
