"""The standings over all games of an arena as text, its forfeited matches, and commands that show its records."""

import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from referee_values import ForfeitCause

from referee.cli._shared.tournament_runner import ContestRunner
from referee.local.local_standings import LocalStanding, MatchFinish, standings
from referee.show.formatting import SCORE_LEGEND, repeated_text
from referee.show.lab_page import FAULTS, local_standings_table, points_text
from referee.show.report import Report
from referee.show.table import Table, number

NAME = "referee"
FORFEITS_SHOWN = 5
"""Forfeited matches that are listed."""


def arena_text(runner: ContestRunner) -> str:
    """Return the standings over all games, each of which may have had several tournaments."""
    return "\n\n".join(_parts(runner))


def _parts(runner: ContestRunner) -> Iterator[str]:
    labels = [plan.name for plan in runner.contest.plans]
    finishes = [end for name, report in runner.reports.items() for end in _finishes(name.partition("--")[0], report)]
    names = dict.fromkeys(name for report in runner.reports.values() for name in report.names)
    rows = standings(names, finishes)
    yield local_standings_table(rows).to_text()
    yield SCORE_LEGEND
    if len(labels) > 1:
        yield _table_by_game(rows, labels)
    if forfeits := [text for name, report in runner.reports.items() for text in _forfeits(runner, name, report)]:
        yield "\n".join(forfeits[:FORFEITS_SHOWN])
    yield "\n".join(_closing_lines(runner, finishes))


def _finishes(label: str, report: Report) -> Iterator[MatchFinish]:
    for game in report.games:
        seats = tuple(name for side in game.sides for name in side)
        ranks = tuple(rank for side, rank in zip(game.sides, game.ranks, strict=False) for _ in side)
        faults = Counter((name, cast(ForfeitCause, game.end.reason)) for name in game.at_fault)
        yield MatchFinish(label, seats, ranks, game.ranks, faults, game.id in report.repeated)


def _forfeits(runner: ContestRunner, name: str, report: Report) -> Iterator[str]:
    refused = {(move.match_id, move.entrant): move.refused for move in report.illegal_moves}
    for game in report.games:
        for bot in game.at_fault:
            why = refused.get((game.id, bot), "")
            log = runner.contest.folder.bot_log(bot)
            fault = FAULTS.get(cast(ForfeitCause, game.end.reason), game.end.reason).lower()
            yield f"{name}: {bot} {fault}{why and ': ' + why}; match {game.id}, its output: {log}"


def _closing_lines(runner: ContestRunner, finishes: Sequence[MatchFinish]) -> Iterator[str]:
    yield f"matches played: {len(finishes)}"
    if repeated := sum(finish.repeated for finish in finishes):
        yield f"{repeated_text(repeated)}: same seats and moves as another, counted once in the 95 % intervals"
    if records := sorted(runner.contest.folder_of(next(reversed(runner.reports))).records.iterdir()):
        everywhere = "*/records/*" if runner.contest.is_arena else "records/*"
        yield f"  {as_typed()} verify {runner.contest.folder.path}/{everywhere}\n  {as_typed()} replay {records[-1]}"


def _table_by_game(rows: Sequence[LocalStanding], labels: Sequence[str]) -> str:
    cells = [(row.name, *(_points_in(row, label) for label in labels)) for row in rows]
    return Table(("points", *map(number, labels)), cells).to_text()


def _points_in(row: LocalStanding, label: str) -> str:
    return points_text(row.points_in[label]) if label in row.points_in else "-"


def as_typed() -> str:
    """Return `referee` if PATH finds this program, otherwise how it was started."""
    called = Path(sys.argv[0])
    if called.name != NAME:
        return shlex.join([sys.executable, "-m", NAME])
    found = shutil.which(NAME)
    return NAME if found and Path(found).resolve() == called.resolve() else shlex.quote(sys.argv[0])
