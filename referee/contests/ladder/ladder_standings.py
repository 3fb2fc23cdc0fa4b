"""Standings of a ladder: by rating, with provisional ratings last."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee.contests.ladder.events import LadderEntrant
from referee.contests.ladder.season import Season, WinLossRecord
from referee.contests.ladder.state import Ladder
from referee.contests.strength.rating import RatingRecord
from referee.match.setup import Player

NO_PLAYERS: Mapping[str, Player] = {}


@dataclass(frozen=True, slots=True)
class LadderStandingsRow:
    """One row."""

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


def compute_ladder_standings(
    ladder: Ladder, online: Mapping[str, Player] = NO_PLAYERS, season: int = 0, all_versions: bool = False
) -> list[LadderStandingsRow]:
    """Return the standings of a season, which must exist; 0 is the current one.

    Each entrant has a row for the version in `online`, or else for the one that was rated last. With `all_versions`,
    each rated version has a row.
    """
    shown, entrants = _season(ladder, season)
    players = [
        (entrant, player)
        for entrant in entrants.values()
        for player in _players(
            shown,
            entrant,
            online.get(entrant.name) if shown is ladder.current_season else None,
            all_versions,
        )
    ]
    in_order = sorted(players, key=lambda it: _merit(ladder, shown, it[1]))
    return [_row(ladder, shown, rank, *it, idle=it[0].name not in online) for rank, it in enumerate(in_order, 1)]


def _season(ladder: Ladder, number: int) -> tuple[Season, Mapping[str, LadderEntrant]]:
    if number in (0, ladder.season):
        return ladder.current_season, ladder.entrants
    return ladder.past_seasons[number - 1]


def _players(season: Season, entrant: LadderEntrant, online: Player | None, all_versions: bool) -> Iterable[Player]:
    present = online or season.last_players.get(entrant.name) or entrant.rated_player()
    if not all_versions:
        return [present]
    own_bots = {present.bot}
    return dict.fromkeys([present, *(player for player in season.records if player.bot in own_bots)])


def _merit(ladder: Ladder, season: Season, player: Player) -> tuple[bool, float, float, str, str]:
    record = season.rating(player)
    return (
        ladder.terms.is_provisional(record),
        -record.rating.value,
        record.rating.deviation,
        player.bot,
        player.version,
    )


def _row(
    ladder: Ladder, season: Season, rank: int, entrant: LadderEntrant, player: Player, *, idle: bool
) -> LadderStandingsRow:
    record = season.rating(player)
    return LadderStandingsRow(
        rank, entrant, player, record, ladder.terms.is_provisional(record), season.record(player), idle
    )
