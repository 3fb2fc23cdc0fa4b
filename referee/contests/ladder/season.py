"""Ratings and win-loss records of one season of a ladder."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from referee.contests.ladder.events import LadderEvent, MatchRated, SeasonStarted
from referee.contests.strength.rating import NO_RATING, FinishOrder, RatingRecord, rate_matches, widen_ratings
from referee.match.setup import Player


@dataclass(frozen=True, slots=True)
class WinLossRecord:
    """Results of one player."""

    wins: int = 0
    """Matches that its side won alone."""
    draws: int = 0
    """Matches in which its side shared the first rank."""
    losses: int = 0
    forfeits: int = 0
    """Losses by a fault of its own."""

    def after(self, finish: FinishOrder[Player], player: Player, forfeited: bool) -> "WinLossRecord":
        """Return the record with one more match."""
        rank = next(rank for side, rank in zip(finish.sides, finish.ranks, strict=True) if player in side)
        first, alone = rank == 1, finish.ranks.count(1) == 1
        return WinLossRecord(
            self.wins + (first and alone),
            self.draws + (first and not alone),
            self.losses + (not first),
            self.forfeits + forfeited,
        )


NO_MATCHES = WinLossRecord()


@dataclass(frozen=True, slots=True)
class Season:
    """Ratings and records of all players."""

    ratings: Mapping[Player, RatingRecord] = field(default_factory=dict)
    records: Mapping[Player, WinLossRecord] = field(default_factory=dict)
    last_players: Mapping[str, Player] = field(default_factory=dict)
    """The player under which each entrant was rated last, by the entrant's name."""

    def rating(self, player: Player) -> RatingRecord:
        return self.ratings.get(player, NO_RATING)

    def record(self, player: Player) -> WinLossRecord:
        return self.records.get(player, NO_MATCHES)


def recompute_ratings(events: Iterable[LadderEvent]) -> dict[Player, RatingRecord]:
    """Return the ratings of the current season, recomputed from results alone."""
    ratings: dict[Player, RatingRecord] = {}
    for event in events:
        if isinstance(event, MatchRated):
            ratings = rate_matches([event.finish], ratings)
        elif isinstance(event, SeasonStarted):
            ratings = widen_ratings(ratings)
    return ratings
