"""One season of a ladder: ratings, win-loss records, and the standings, with provisional ratings last."""

from collections.abc import Callable, Container, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.ladder.events import NO_MATCHES, CorrectedSeason, MatchRated, SeasonRow, WinLossRecord
from referee.contests.strength.rating import NO_RATING, RatingRecord, SkillRating, widen_ratings
from referee.match.setup import Player


class Season(Struct, frozen=True, gc=False):
    """Ratings and records of all players."""

    ratings: Mapping[Player, RatingRecord] = field(default_factory=dict)
    records: Mapping[Player, WinLossRecord] = field(default_factory=dict)
    last_players: Mapping[str, Player] = field(default_factory=dict)
    """The player under which each entrant was rated last, by the entrant's name."""

    def rating(self, player: Player) -> RatingRecord:
        return self.ratings.get(player, NO_RATING)

    def record(self, player: Player) -> WinLossRecord:
        return self.records.get(player, NO_MATCHES)

    def after_match(self, rated: MatchRated) -> "Season":
        """Return the season after one more match. The caller knows which entrants it was rated for."""
        records = {
            player: self.record(player).after(rated.finish, player, player in rated.forfeited)
            for player in rated.finish.players
        }
        return replace(
            self,
            ratings={**self.ratings, **{change.player: change.after for change in rated.changes}},
            records={**self.records, **records},
        )

    def with_estimates(self, estimates: Mapping[Player, SkillRating]) -> "Season":
        """Return the season with the estimates from all results at once instead of the ratings, where there are any."""
        shown = {player: RatingRecord(rating, self.rating(player).matches) for player, rating in estimates.items()}
        return replace(self, ratings={**self.ratings, **shown})

    def next_season(self) -> "Season":
        """Return the season that follows: ratings are less certain, and nothing was played."""
        return replace(self, ratings=widen_ratings(self.ratings), records={})

    def corrected(self, to: CorrectedSeason | None) -> "Season":
        """Return the season with the ratings and records that were computed again. None: they were not."""
        if to is None:
            return self
        ratings = {row.player: row.rating for row in to.rows}
        return replace(self, ratings=ratings, records={row.player: row.record for row in to.rows if row.record})

    def as_corrected(self, number: int, rated_ms: Mapping[Player, int]) -> CorrectedSeason:
        """Return its ratings and records for the event of a correction; `rated_ms`: when players were rated last."""
        rows = (SeasonRow(who, rating, self.records.get(who), rated_ms[who]) for who, rating in self.ratings.items())
        return CorrectedSeason(number, tuple(rows))


class LadderStandingsRow(Struct, frozen=True, gc=False):
    """One row of the standings."""

    rank: int
    """Rank, from 1."""
    entrant: ContestEntrant
    player: Player
    """The version that is rated. Partners have none."""
    rating: RatingRecord
    provisional: bool
    record: WinLossRecord
    """Results of the season."""
    idle: bool
    """Whether it gets no matches because a bot is offline or paused."""


class SeasonStandings(Struct, frozen=True, gc=False):
    """The entrants of a season by the lower bounds of their ratings."""

    season: Season
    entrants: Mapping[str, ContestEntrant]
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
        rows = []
        for rank, (entrant, player) in enumerate(sorted(players, key=lambda pair: self._merit(pair[1])), 1):
            rating, record = self.rating_of(player), self.season.record(player)
            provisional, idle = self.is_provisional(rating), entrant.name not in online
            rows.append(LadderStandingsRow(rank, entrant, player, rating, provisional, record, idle))
        return rows

    def _players(self, entrant: ContestEntrant, playing: Player | None, all_versions: bool) -> Iterable[Player]:
        present = playing or self.season.last_players.get(entrant.name) or entrant.rated_player()
        if not all_versions:
            return [present]
        return dict.fromkeys([present, *(player for player in self.season.records if player.bot == present.bot)])

    def _merit(self, player: Player) -> tuple[bool, float, float, str, str]:
        record = self.rating_of(player)
        rating = record.rating
        return self.is_provisional(record), -rating.lower_bound, -rating.value, player.bot, player.version
