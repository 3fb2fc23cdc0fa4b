"""What `referee match` and `referee arena` share: they hold a contest, show how it goes, and say how it went."""

import asyncio
import time
from collections.abc import Sequence
from enum import IntEnum

import click

from referee.arena.conductor import Done, Missed
from referee.arena.contest import Contest
from referee.arena.kept import Finish
from referee.arena.launcher import logs_in
from referee.arena.schedule import Pairing
from referee.arena.standings import Row, standings
from referee.cli.as_typed import as_typed
from referee.cli.contest_words import FAULTS, points_text, told
from referee.cli.progress import progress
from referee.cli.table import table
from referee.cli.told_to_go import BY_SIGNAL, until_interrupted
from referee.reporting.words import SCORE_LEGEND, score_text
from referee.wiring.books import CannotStart

STATUSES = """\b
The exit status is for scripts:
    0  every match was played, and none was lost by a fault
    2  something in the input cannot be
    3  a bot lost a match by a fault of its own: late, illegal, gone
    4  a bot would not start
    5  a match was void: the referee or the rules broke down
  130  Ctrl-C (143: SIGTERM); what has been played is kept
"""


FORFEITS_SHOWN = 5
"""Matches that were lost by a fault, in full at the end."""


class Ended(IntEnum):
    ALL_PLAYED = 0
    FAULT = 3
    WOULD_NOT_START = 4
    VOID = 5


def run(contest: Contest) -> int:
    """Play what is left of it, and tell of all of it. The exit status."""
    finishes, left = contest.before()
    if finishes:
        click.echo(f"{len(finishes)} of {len(finishes) + len(left)} matches have been played before")
    running = Running(contest, finishes)
    began_at = time.monotonic()
    if left:
        try:
            asyncio.run(running.play(left))
        except CannotStart as why:
            raise click.ClickException(str(why)) from None
    _tell_the_end(running, time.monotonic() - began_at)
    return running.status


class Running:
    """A contest while it is held, and after."""

    def __init__(self, contest: Contest, before: list[Finish]) -> None:
        self.contest = contest
        self.finishes = list(before)
        self.missed: list[Missed] = []
        self.interrupted_by = 0
        """The number of a signal."""

    @property
    def status(self) -> int:
        if self.interrupted_by:
            return BY_SIGNAL + self.interrupted_by
        if self.missed:
            return Ended.WOULD_NOT_START
        if any(finish.void for finish in self.finishes):
            return Ended.VOID
        return Ended.FAULT if any(finish.forfeited for finish in self.finishes) else Ended.ALL_PLAYED

    async def play(self, left: Sequence[Pairing]) -> None:
        """Raises CannotStart."""
        self.interrupted_by = await until_interrupted(self._play(left))

    async def _play(self, left: Sequence[Pairing]) -> None:
        async with self.contest.opened() as hall:
            click.echo(f"refereed on {hall.at.grpc}, with metrics on http://{hall.at.http}/metrics")
            with progress(len(left)) as show:

                def tell(done: Done) -> None:
                    self._note(done)
                    show(told(done))

                await hall.conductor.play(left, tell)

    def _note(self, done: Done) -> None:
        if isinstance(done, Missed):
            self.missed.append(done)
        else:
            self.finishes.append(done)


def _tell_the_end(running: Running, took_s: float) -> None:
    plan, out = running.contest.plan, running.contest.out
    rows = standings((entrant.name for entrant in plan.entrants), running.finishes)
    click.echo(f"\n{_table_of_all(rows)}")
    click.echo(f"\n{SCORE_LEGEND}")
    if len(plan.terms) > 1:
        click.echo(f"\n{_table_by_game(rows, [terms.label for terms in plan.terms])}")
    moves = sum(finish.moves for finish in running.finishes)
    click.echo(f"\nmatches played: {len(running.finishes)}, moves: {moves}; this run took {took_s:.0f} s")
    if running.finishes:
        shown = running.contest.records / f"{running.finishes[-1].name}.jsonl"
        referee = as_typed()
        click.echo(f"  {referee} verify {running.contest.records}/*/*.jsonl\n  {referee} replay {shown}")
    for entrant, why in {missed.entrant: missed.why for missed in running.missed}.items():
        wrote = logs_in(out) / f"{entrant.name}.log"
        click.echo(f"\n{entrant.name} would not start: {why}\nall that it wrote: {wrote}", err=True)
    for finish in [one for one in running.finishes if one.forfeited][:FORFEITS_SHOWN]:
        bots = {finish.seats[one.seat] for one in finish.result.forfeits}
        logs = ", ".join(str(logs_in(out) / f"{bot}.log") for bot in sorted(bots))
        click.echo(f"\n{told(finish)}\n  what it wrote: {logs}", err=True)
    if running.interrupted_by:
        click.echo("\ninterrupted; the same command with the same --out plays the rest", err=True)


def _table_of_all(rows: Sequence[Row]) -> str:
    return table(["", "played", "points", "score", "won", "drawn", "lost", *FAULTS.values()], list(map(_cells, rows)))


def _cells(row: Row) -> list[str]:
    score = score_text(row.score, *row.bounds) if row.played else "-"
    counts = map(str, (row.won, row.drawn, row.lost))
    faults = (str(row.faults[fault] or "-") for fault in FAULTS)
    return [row.name, str(row.played), points_text(row.points), score, *counts, *faults]


def _table_by_game(rows: Sequence[Row], labels: Sequence[str]) -> str:
    cells = [[row.name, *(_points_in(row, label) for label in labels)] for row in rows]
    return table(["points", *labels], cells)


def _points_in(row: Row, label: str) -> str:
    return points_text(row.points_in[label]) if label in row.points_in else "-"
