"""Strength estimates of a tournament's entrants, and export as CSV and JSON."""

import csv
import json
from collections.abc import Iterator
from typing import Any

from msgspec import to_builtins

from referee.contests.corrections import Correction
from referee.contests.pairing import GameKey
from referee.contests.strength.bradley_terry import fit_strengths
from referee.contests.strength.elo import EloEstimate
from referee.contests.strength.rating import FinishOrder
from referee.contests.tables.round_result import PointsCell, build_cross_table
from referee.contests.tables.standings import StandingsRow
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_terms import SprtTrial


def estimate_strengths(tournament: Tournament, until: int | None = None) -> dict[str, EloEstimate]:
    """Return the estimated strength of each entrant that has played, in the order of the standings, up to a round.

    Elo is relative to the average of the field, or to the opponent if there is only one. The superiority is over the
    next entrant in the standings, or over the only opponent; it is 0 for the last one of several. Of an SPRT trial it
    is always the current estimate of the test.
    """
    if isinstance(tournament.terms.format, SprtTrial):
        return _trial_estimates(tournament)
    order = [row.entrant for row in tournament.standings(until)]
    return fit_strengths(finish_orders(tournament, until)).table(order)


def finish_orders(tournament: Tournament, until: int | None = None) -> Iterator[FinishOrder[str]]:
    """Yield the results up to a round, without repeated games. The first side of each has the first seat."""
    repeated = repeated_matches(tournament)
    for progress in tournament.pairings.values():
        pairing = progress.pairing
        if until is None or pairing.round <= until:
            for number, score in progress.scores.items():
                if (pairing.id, number) in repeated:
                    continue
                teams = pairing.teams_of_match(number)
                sides = tuple(tuple(pairing.entrants[place] for place in side) for side in teams)
                yield FinishOrder(sides, tuple(score.ranks[side[0]] for side in teams))


def repeated_matches(tournament: Tournament) -> set[tuple[str, int]]:
    """Return the matches, as pairing and number, that repeat the game of one planned before them."""
    games: set[GameKey] = set()
    repeated = set()
    for progress in tournament.pairings.values():
        for number in sorted(progress.scores):
            key = progress.game_key(number)
            if key in games:
                repeated.add((progress.pairing.id, number))
            elif key:
                games.add(key)
    return repeated


def _repeated_ids(tournament: Tournament) -> list[str]:
    """Return the ids of these matches."""
    found = []
    for pairing, number in repeated_matches(tournament):
        progress = tournament.pairings[pairing]
        if match_id := progress.match_ids.get((number, progress.current_attempt(number))):
            found.append(match_id)
    return sorted(found)


def _trial_estimates(tournament: Tournament) -> dict[str, EloEstimate]:
    """Return the estimates of the test, which counts in its own way."""
    if not tournament.trial_progress.sets or tournament.trial_state is None:
        return {}
    first, second = tournament.entrants
    return {first: tournament.trial_state.estimate, second: tournament.trial_state.estimate.mirrored}


class _Lines(list[str]):
    """A list of lines that `csv` can write to."""

    write = list.append


def to_csv(tournament: Tournament) -> str:
    """Return a row for each entrant, best first: rank, points, tie-breaks, and points against each entrant by rank."""
    rows = tournament.standings()
    names = [row.entrant for row in rows]
    lines = _Lines()
    sheet = csv.writer(lines, lineterminator="\n")
    sheet.writerow(["rank", "entrant", "points", *tournament.tie_breaks, *names])
    for row, cells in zip(rows, build_cross_table(tournament.round_results(), names), strict=True):
        sheet.writerow([row.rank, row.entrant, *map(_cell_text, (row.points, *row.tie_breaks, *cells))])
    return "".join(lines)


def to_json(tournament: Tournament) -> str:
    """Return a JSON object with sorted keys: phase, standings, cross table, pairings, SPRT trial, repeated matches."""
    rows, strengths = tournament.standings(), estimate_strengths(tournament)
    forfeits, no_shows = tournament.pairings.forfeit_counts(), tournament.pairings.no_show_counts()
    names = [row.entrant for row in rows]
    cells = build_cross_table(tournament.round_results(), names)
    document: dict[str, Any] = {
        "phase": tournament.phase,
        "round": tournament.round,
        "standings": [
            {
                **_standings_object(row, tournament, forfeits[row.entrant], strengths.get(row.entrant)),
                "no_shows": no_shows[row.entrant],
                "bots": [
                    "/".join(filter(None, (player.bot, player.version)))
                    for player in tournament.entrants[row.entrant].bots
                ],
            }
            for row in rows
        ],
        "requested_byes": [
            {"entrant": name, "round": number, "kind": kind}
            for (name, number), kind in tournament.requested_byes.items()
        ],
        "test": to_builtins(tournament.trial_state),
        "repeated": _repeated_ids(tournament),
        "cross_table": {
            name: {other: cell for other, cell in zip(names, line, strict=True) if cell is not None}
            for name, line in zip(names, cells, strict=True)
        },
        "pairings": [
            {
                "id": progress.pairing.id,
                "round": progress.pairing.round,
                "board": progress.pairing.board,
                "entrants": list(progress.pairing.entrants),
                "done": progress.is_done,
                "points": [progress.round_result(name).points for name in progress.pairing.entrants]
                if progress.is_done
                else [],
                "absent": sorted(progress.absent),
                "absent_boards": {board: sorted(names) for board, names in progress.absent_boards.items()},
                "voided": sum(progress.void_counts.values()),
                "match_ids": list(progress.match_ids.values()),
                "corrections": [_correction_object(fix.correction) for _, fix in sorted(progress.corrections.items())],
            }
            for progress in tournament.pairings.values()
        ],
    }
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def _cell_text(points: PointsCell) -> str:
    return "" if points is None else f"{points:.12g}"


def _standings_object(
    row: StandingsRow, tournament: Tournament, forfeits: int, estimate: EloEstimate | None
) -> dict[str, Any]:
    document: dict[str, Any] = to_builtins(row)
    document["tie_breaks"] = dict(zip(tournament.tie_breaks, row.tie_breaks, strict=True))
    document["forfeits"] = forfeits
    document["estimate"] = to_builtins(estimate)
    return document


def _correction_object(correction: Correction) -> dict[str, Any]:
    """Return the correction without its request, which is the business of the caller."""
    return {field: value for field, value in to_builtins(correction).items() if field != "request"}
