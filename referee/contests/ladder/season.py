"""One season of a ladder: ratings, win-loss records, and the standings, with provisional ratings last."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field

from referee.contests.ladder.events import LadderEntrant
from referee.contests.strength.rating import NO_RATING, FinishOrder, RatingRecord
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


@dataclass(frozen=True, slots=True)
class LadderStandingsRow:
    """One row of the standings."""

    rank: int
    """Rank, from 1."""
    entrant: LadderEntrant
    player: Player
    """The version that is rated. Partners have none."""
    rating: RatingRecord
    provisional: bool
    record: WinLossRecord
    """Results of the season."""
    idle: bool
    """Whether it gets no matches because a bot is offline or paused."""


@dataclass(frozen=True, slots=True)
class SeasonStandings:
    """The entrants of a season by the lower bounds of their ratings."""

    season: Season
    entrants: Mapping[str, LadderEntrant]
    is_provisional: Callable[[RatingRecord], bool]
    rating_of: Callable[[Player], RatingRecord]

    def rows(
        self, playing: Mapping[str, Player], online: Container[str], *, all_versions: bool
    ) -> list[LadderStandingsRow]:
        """Return a row for each entrant, best first: for the version in `playing`, or else the one rated last.

        With `all_versions`, each rated version has a row. Entrants that are not in `online` are idle.
        """
        players = [
            (entrant, player)
            for name, entrant in self.entrants.items()
            for player in self._players(entrant, playing.get(name), all_versions)
        ]
        in_order = sorted(players, key=lambda it: self._merit(it[1]))
        return [self._row(rank, *it, idle=it[0].name not in online) for rank, it in enumerate(in_order, 1)]

    def _players(self, entrant: LadderEntrant, playing: Player | None, all_versions: bool) -> Iterable[Player]:
        present = playing or self.season.last_players.get(entrant.name) or entrant.rated_player()
        if not all_versions:
            return [present]
        return dict.fromkeys([present, *(player for player in self.season.records if player.bot == present.bot)])

    def _merit(self, player: Player) -> tuple[bool, float, float, str, str]:
        record = self.rating_of(player)
        return (
            self.is_provisional(record),
            -record.rating.lower_bound,
            -record.rating.value,
            player.bot,
            player.version,
        )

    def _row(self, rank: int, entrant: LadderEntrant, player: Player, *, idle: bool) -> LadderStandingsRow:
        record = self.rating_of(player)
        return LadderStandingsRow(
            rank, entrant, player, record, self.is_provisional(record), self.season.record(player), idle
        )
