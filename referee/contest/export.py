"""A tournament's tables as text: for spreadsheets, for programs, and for those of chess clubs."""

import csv
import json
from dataclasses import asdict
from typing import Any

from referee.contest.cross_table import Cell, cross_table
from referee.contest.encounters import score
from referee.contest.estimate import Estimate
from referee.contest.estimates import estimates
from referee.contest.formats import Elimination, Gauntlet, Pools, Swiss, Trial
from referee.contest.refusals import NoReport
from referee.contest.standings import Standing
from referee.contest.tournament import Tournament
from referee.contest.trf import POINTS_AT_MOST as TRF_POINTS_AT_MOST
from referee.contest.trf import Report, write_trf
from referee.contest.trial import State


class Page(list[str]):
    """What `csv` takes for a file."""

    write = list.append


def to_csv(tournament: Tournament) -> str:
    """A row for each entrant, the best first: rank, points, tie-breaks, and the points against each, by rank."""
    rows = tournament.standings()
    names = [row.entrant for row in rows]
    page = Page()
    sheet = csv.writer(page, lineterminator="\n")
    sheet.writerow(["rank", "entrant", "points", *(it.value for it in tournament.tie_breaks), *names])
    for row, cells in zip(rows, cross_table(tournament.table(), names), strict=True):
        sheet.writerow([row.rank, row.entrant, *map(_cell, (row.points, *row.tie_breaks, *cells))])
    return "".join(page)


def to_json(tournament: Tournament) -> str:
    """Phase, standings, cross table, all pairings, and how a trial's test stands, as one object with sorted keys."""
    rows, strengths, forfeits = tournament.standings(), estimates(tournament), tournament.forfeits()
    names = [row.entrant for row in rows]
    cells = cross_table(tournament.table(), names)
    told: dict[str, Any] = {
        "phase": tournament.phase.value,
        "round": tournament.round,
        "standings": [_standing(row, tournament, forfeits[row.entrant], strengths.get(row.entrant)) for row in rows],
        "test": _test(tournament.test),
        "cross_table": {
            name: {other: cell for other, cell in zip(names, line, strict=True) if cell is not None}
            for name, line in zip(names, cells, strict=True)
        },
        "pairings": [
            {
                "id": course.pairing.id,
                "round": course.pairing.round,
                "board": course.pairing.board,
                "entrants": list(course.pairing.entrants),
                "done": course.done,
                "points": [course.encounter(name).points for name in course.pairing.entrants] if course.done else [],
                "voided": sum(course.voided.values()),
                "match_ids": list(course.match_ids.values()),
            }
            for course in tournament.courses.values()
        ],
    }
    return json.dumps(told, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def to_trf(tournament: Tournament, title: str) -> str:
    """The rounds that are complete, so that others can check pairings and ranks. Raises NoReport."""
    form = tournament.terms.format
    if isinstance(form, Elimination | Gauntlet | Pools | Trial):
        raise NoReport("it knows round robin and Swiss only")
    if tournament.terms.sets:
        raise NoReport("it knows pairings of one match only")
    rounds = tournament.complete_rounds
    table = tournament.table(rounds)
    if max(map(score, table.values()), default=0.0) > TRF_POINTS_AT_MOST:
        raise NoReport(f"it has no place for more than {TRF_POINTS_AT_MOST} points")
    report = Report(
        title,
        form.rounds if isinstance(form, Swiss) else tournament.round,
        table,
        {name: round(it.rating) for name, it in tournament.entrants.items() if it.rating is not None},
        {row.entrant: row.rank for row in tournament.standings(rounds)},
    )
    return write_trf(report)


def _cell(points: Cell) -> str:
    return "" if points is None else f"{points:.12g}"


def _standing(row: Standing, tournament: Tournament, forfeits: int, strength: Estimate | None) -> dict[str, Any]:
    told = asdict(row)
    told["tie_breaks"] = {it.value: value for it, value in zip(tournament.tie_breaks, row.tie_breaks, strict=True)}
    told["forfeits"] = forfeits
    told["estimate"] = asdict(strength) if strength else None
    return told


def _test(state: State | None) -> dict[str, Any] | None:
    return {**asdict(state), "verdict": state.verdict.value} if state else None
