"""The table of a ladder: the best first, those behind who have played too little to be ranked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from referee.contest.balance import Balance
from referee.contest.ladder import Ladder, Season
from referee.contest.ladder_events import Entrant
from referee.contest.rated import Rated
from referee.core.setup import Player

NOBODY: Mapping[str, Player] = {}


@dataclass(frozen=True, slots=True)
class LadderRow:
    rank: int
    """From 1."""
    entrant: Entrant
    player: Player
    """The version that is rated; of partners, none."""
    rated: Rated
    provisional: bool
    balance: Balance
    """Of the season."""
    idle: bool
    """It gets no matches: somebody is paused, or away."""


def ladder_standings(
    ladder: Ladder, there: Mapping[str, Player] = NOBODY, season: int = 0, all_versions: bool = False
) -> list[LadderRow]:
    """Of that season (0: the present one), whose number must be known.

    A row for each entrant, for the version that is `there`, or else that was rated last; or for all that were rated.
    """
    of, entrants = _season(ladder, season)
    players = [
        (entrant, player)
        for entrant in entrants.values()
        for player in _players(of, entrant, there.get(entrant.name) if of is ladder.standing else None, all_versions)
    ]
    in_order = sorted(players, key=lambda it: _merit(ladder, of, it[1]))
    return [_row(ladder, of, rank, *it, idle=it[0].name not in there) for rank, it in enumerate(in_order, 1)]


def _season(ladder: Ladder, season: int) -> tuple[Season, Mapping[str, Entrant]]:
    if season in (0, ladder.season):
        return ladder.standing, ladder.entrants
    return ladder.past[season - 1]


def _players(of: Season, entrant: Entrant, there: Player | None, all_versions: bool) -> Iterable[Player]:
    present = there or of.players.get(entrant.name) or entrant.player()
    if not all_versions:
        return [present]
    mine = {present.bot}
    return dict.fromkeys([present, *(player for player in of.balances if player.bot in mine)])


def _merit(ladder: Ladder, of: Season, player: Player) -> tuple[bool, float, float, str, str]:
    known = of.rating(player)
    return (
        ladder.terms.provisional(known),
        -known.rating.value,
        known.rating.deviation,
        player.bot,
        player.version,
    )


def _row(ladder: Ladder, of: Season, rank: int, entrant: Entrant, player: Player, *, idle: bool) -> LadderRow:
    known = of.rating(player)
    return LadderRow(rank, entrant, player, known, ladder.terms.provisional(known), of.balance(player), idle)
