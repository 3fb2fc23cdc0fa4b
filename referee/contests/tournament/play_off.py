"""The play-off: if several entrants have the most points after the last round, they meet once more for the first place.

Each meets each other twice, once with each seat. The points of the play-off decide their order before the tie-breaks
do; they count neither in the points of the tournament nor in its tie-breaks.
"""

from collections.abc import Sequence

from msgspec.structs import replace
from referee_values import TieBreak

from referee.contests.pairing import Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems.schedule import round_robin_cycle_length, round_robin_pairings
from referee.contests.tables.round_result import round_points
from referee.contests.tables.standings import ResultTable, StandingsRow, compute_standings, rank_groups
from referee.contests.tournament.pairing_table import PLAY_OFF_PREFIX

CYCLES = 2


def play_off_pairings(leaders: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings in the order of play. All are one round of the tournament. Empty: nobody is level."""
    if len(leaders) < 2:
        return []
    rounds = range(1, CYCLES * round_robin_cycle_length(len(leaders)) + 1)
    planned = [pairing for round_number in rounds for pairing in round_robin_pairings(leaders, round_number, CYCLES)]
    return [
        replace(pairing, id=f"{PLAY_OFF_PREFIX}1.{board}", round=number, board=board)
        for board, pairing in enumerate(planned, start=1)
    ]


def leaders_of(rows: Sequence[StandingsRow], withdrawn: Sequence[str], most: int) -> list[str]:
    """Return up to `most` entrants that have the most points of all and have not withdrawn, the best first."""
    return [row.entrant for row in rows if row.points == rows[0].points and row.entrant not in withdrawn][:most]


def standings_after(
    play_off: Sequence[PairingProgress], table: ResultTable, tie_breaks: Sequence[TieBreak]
) -> list[StandingsRow]:
    """Return the standings. Of entrants with equal points, those of the play-off are first, by their points in it.

    They have the most points, unless a result was corrected afterwards.
    """
    rows = compute_standings(table, tie_breaks)
    if not play_off:
        return rows
    scores: dict[str, float] = {}
    for progress in play_off:
        for name in progress.pairing.entrants:
            scored = progress.round_result(name).points if progress.is_done else 0.0
            scores[name] = round_points(scores.get(name, 0.0) + scored)
    groups: dict[tuple[float, float, int], list[str]] = {}
    for row in rows:
        groups.setdefault((-row.points, -scores.get(row.entrant, -1.0), row.rank), []).append(row.entrant)
    return rank_groups([groups[place] for place in sorted(groups)], table, tie_breaks)
