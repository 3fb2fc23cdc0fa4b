"""Ladders of 22 bots with known strengths on which an owner tries to raise a rating; the real core pairs and rates."""

from collections.abc import Mapping, Sequence
from statistics import mean

from referee.contests.ladder.state import LadderPlayTerms
from referee.contests.strength.rating import RatingRecord, SkillRating
from referee.match.setup import Player
from tests.contests.simulated_ladder import SimulatedLadder
from tests.contests.simulated_matches import gauss, random_numbers

FARMER, HELPER = "farmer", "helper"
HELPERS = (HELPER, "helper2", "helper3", "helper4", "helper5")
STRENGTH = 1500.0
"""True strength of the farmer and of its helpers, and the average of the others."""
HOUR_MS = 3_600_000
OTHERS = tuple(f"bot{number:02}" for number in range(20))


class FarmedLadder(SimulatedLadder):
    """One match per bot and round; one round is played every hour."""

    def __init__(
        self, seed: str, owners: Mapping[str, tuple[str, ...]] | None = None, throws: bool = False, helpers: int = 1
    ) -> None:
        """`throws`: whether helpers lose every match against the farmer while nobody else is online."""
        draws = random_numbers(seed)
        others = {name: 200 * gauss(draws) for name in OTHERS}
        middle = mean(others.values())
        self.throws = throws
        self.cheating = (FARMER, *HELPERS[:helpers])
        self.online: Sequence[str] = ()
        self.version = ""
        """Version of the farmer."""
        strengths = dict.fromkeys(self.cheating, STRENGTH)
        strengths |= {name: STRENGTH + value - middle for name, value in others.items()}
        super().__init__(strengths, draws, LadderPlayTerms("main", b"seed"), owners or {}, now_ms=1)

    def play(self, online: Sequence[str] = ()) -> None:
        """Play a round of the bots that are online, by default of all."""
        self.now_ms += HOUR_MS
        self.online = online
        self.play_paired(1, online)

    def play_half_alone(self, rounds: int) -> None:
        """Play with everybody and with the farmer and its helpers alone, in turns."""
        for number in range(rounds):
            self.play(() if number % 2 else self.cheating)

    def player(self, name: str) -> Player:
        return Player(name, self.version if name == FARMER else "")

    def ranks(self, seats: Sequence[str]) -> tuple[int, ...]:
        if self.throws and self.online == self.cheating and FARMER in seats:
            return tuple(1 if name == FARMER else 2 for name in seats)
        return super().ranks(seats)

    def estimate(self) -> SkillRating:
        """Return the estimate of the farmer from all results at once, relative to the true average of the others."""
        return self.estimates[self.player(FARMER)]

    def rating(self) -> RatingRecord:
        """Return the rating of the farmer after the last round."""
        return self.ladder.rating(self.player(FARMER), self.now_ms)

    @property
    def places_gained(self) -> int:
        """How many places the farmer ranks above the place of its true strength."""
        rows = self.ladder.standings(now_ms=self.now_ms, estimates=self.estimates)
        rank = next(row.rank for row in rows if row.entrant.name == FARMER)
        return 1 + sum(self.strengths[name] > STRENGTH for name in OTHERS) - rank

    @property
    def errors_of_others(self) -> list[float]:
        found = self.estimates
        return [found[Player(name)].value - self.strengths[name] for name in OTHERS]
