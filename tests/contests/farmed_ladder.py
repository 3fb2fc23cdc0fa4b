"""Ladders of 22 bots with known strengths on which an owner tries to raise a rating; the real core pairs and rates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.commands import AvailableEntrant, JoinLadder, LadderCommand, PairEntrants, RateMatch
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import MatchRated
from referee.contests.ladder.matchmaking import select_matches_to_start
from referee.contests.ladder.result_counts import ResultCounts
from referee.contests.ladder.state import Ladder, LadderPlayTerms, evolve
from referee.contests.strength.joint_fit import fit_field
from referee.contests.strength.rating import FinishOrder, RatingRecord, SkillRating
from referee.match.setup import Player
from tests.contests.random_draws import random_numbers
from tests.contests.simulated_matches import gauss, simulated_match

FARMER, HELPER = "farmer", "helper"
HELPERS = (HELPER, "helper2", "helper3", "helper4", "helper5")
STRENGTH = 1500.0
"""True strength of the farmer and of its helpers, and the average of the others."""
HOUR_MS = 3_600_000
OTHERS = tuple(f"bot{number:02}" for number in range(20))


@dataclass
class FarmedLadder:
    """One match per bot and round; one round is played every hour."""

    seed: str
    owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    throws: bool = False
    """Whether helpers lose every match against the farmer while nobody else is online."""
    helpers: int = 1
    rounds: int = 0
    matches: int = 0
    version: str = ""
    """Version of the farmer."""
    rated: list[MatchRated] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.draws: Iterator[float] = random_numbers(self.seed)
        strengths = {name: 200 * gauss(self.draws) for name in OTHERS}
        middle = mean(strengths.values())
        self.strengths = {name: STRENGTH + value - middle for name, value in strengths.items()}
        self.cheating = (FARMER, *HELPERS[: self.helpers])
        self.everybody = (*self.cheating, *OTHERS)
        self.strengths |= dict.fromkeys(self.cheating, STRENGTH)
        self.ladder = Ladder(LadderPlayTerms("main", b"seed"))
        self.counts = ResultCounts()
        for name in self.everybody:
            self._do(JoinLadder(ContestEntrant(name, (Player(name),), owners=self.owners.get(name, ()))))

    def play(self, online: Sequence[str] = ()) -> None:
        """Play a round of the bots that are online, by default of all."""
        self.rounds += 1
        online = online or self.everybody
        here = tuple(AvailableEntrant(name, (self._player(name),), 1) for name in online)
        self._do(PairEntrants(here))
        for due in select_matches_to_start(self.ladder, here):
            self.matches += 1
            finish = FinishOrder(tuple((self._player(name),) for name in due.seats), self._ranks(due.seats, online))
            self._do(RateMatch(f"m{self.matches}", finish, due_id=due.id, at_ms=self.now_ms))

    def play_half_alone(self, rounds: int) -> None:
        """Play with everybody and with the farmer and its helpers alone, in turns."""
        for number in range(rounds):
            self.play(self.everybody if number % 2 else self.cheating)

    def estimate(self, name: str = FARMER) -> SkillRating:
        """Return the estimate from all results at once, relative to the true average of the others."""
        return self.estimates[self._player(name)]

    @property
    def estimates(self) -> dict[Player, SkillRating]:
        """Estimates of all players that have played."""
        return self.counts.ratings(1, fit_field(self.counts.season(1)))

    def rating(self, name: str = FARMER, days: int = 0) -> RatingRecord:
        """Return the rating that many days after the last round, relative to the true average of the others."""
        return self.ladder.rating(self._player(name), self.now_ms + days * 24 * HOUR_MS)

    @property
    def now_ms(self) -> int:
        return 1 + self.rounds * HOUR_MS

    @property
    def places_gained(self) -> int:
        """How many places the farmer ranks above the place of its true strength."""
        rows = self.ladder.standings(now_ms=self.now_ms, estimates=self.estimates)
        rank = next(row.rank for row in rows if row.entrant.name == FARMER)
        return 1 + sum(self.strengths[name] > STRENGTH for name in OTHERS) - rank

    @property
    def errors(self) -> list[float]:
        """Errors of the estimates of the other bots."""
        found = self.estimates
        return [found[self._player(name)].value - self.strengths[name] for name in OTHERS]

    def _ranks(self, seats: Sequence[str], online: Sequence[str]) -> tuple[int, ...]:
        if self.throws and online == self.cheating and FARMER in seats:
            return tuple(1 if name == FARMER else 2 for name in seats)
        return simulated_match([self.strengths[name] for name in seats], range(len(seats)), self.draws).ranks

    def _player(self, name: str) -> Player:
        return Player(name, self.version if name == FARMER else "")

    def _do(self, command: LadderCommand) -> None:
        for event in decide(self.ladder, command):
            self.ladder = evolve(self.ladder, event)
            if isinstance(event, MatchRated):
                self.rated.append(event)
                self.counts.add(event)
