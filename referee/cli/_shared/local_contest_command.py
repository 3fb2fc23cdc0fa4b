"""Run a local contest with progress and a summary, for `referee match` and `referee arena`."""

import asyncio
import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

import click

from referee.accounts.names import natural_key
from referee.cli._shared.output import echo_start, keep_page, progress
from referee.cli._shared.signals import BY_SIGNAL, until_interrupted
from referee.local.local_contest import Done, LocalContest, SkippedPairing
from referee.local.local_standings import LocalStanding, points, repeated_games, standings
from referee.local.plan import LocalPairing
from referee.local.results_folder import MatchFinish
from referee.server.stores import StartupError
from referee.show.formatting import SCORE_LEGEND, repeated_text
from referee.show.lab_page import FAULTS, local_standings_table, points_text
from referee.show.table import Table, number

STATUSES = """\b
Exit status:
    0  all matches were played and none was forfeited
    2  invalid input
    3  a bot forfeited a match: late, illegal, absent
    4  a bot could not be started
    5  a match was void: the referee or the rules failed
  130  Ctrl-C (143: SIGTERM); finished matches are kept
"""

NAME = "referee"
FORFEITS_SHOWN = 5
"""Forfeited matches that the summary lists."""


class ContestExitStatus(IntEnum):
    ALL_PLAYED = 0
    FAULT = 3
    WOULD_NOT_START = 4
    VOID = 5


def run(contest: LocalContest) -> int:
    """Play the remaining matches, print a summary of all, and return the exit status."""
    finishes, left = contest.read_results()
    if finishes:
        click.echo(f"{len(finishes)} of {len(finishes) + len(left)} matches are already played")
    contest_run = ContestRun(contest, finishes)
    if left:
        try:
            asyncio.run(contest_run.play(left))
        except StartupError as why:
            raise click.ClickException(str(why)) from None
    contest_run.summarise()
    return contest_run.status


class ContestRun:
    """A contest that is run, and its results."""

    def __init__(self, contest: LocalContest, before: list[MatchFinish]) -> None:
        self.contest = contest
        self.finishes = list(before)
        self.skipped: list[SkippedPairing] = []
        self.interrupted_by = 0
        """Signal number; 0 if not interrupted."""
        self._began_at = time.monotonic()
        self._summarised = False

    def summarise(self) -> None:
        """Print the summary, once."""
        if not self._summarised:
            self._summarised = True
            _print_summary(self, time.monotonic() - self._began_at)

    @property
    def status(self) -> int:
        if self.interrupted_by:
            return BY_SIGNAL + self.interrupted_by
        if self.skipped:
            return ContestExitStatus.WOULD_NOT_START
        if any(finish.void for finish in self.finishes):
            return ContestExitStatus.VOID
        return (
            ContestExitStatus.FAULT
            if any(finish.forfeited for finish in self.finishes)
            else ContestExitStatus.ALL_PLAYED
        )

    async def play(self, left: Sequence[LocalPairing]) -> None:
        """Raises StartupError."""
        self.interrupted_by = await until_interrupted(self._play(left))

    async def _play(self, left: Sequence[LocalPairing]) -> None:
        async with self.contest.open() as runtime:
            echo_start(runtime.server, self.contest.plan.sandbox_notice())
            with progress(len(left)) as show:

                def report(done: Done) -> None:
                    self._add(done)
                    show(format_match(done))

                await runtime.scheduler.play(left, report)
            await keep_page(runtime.server, self.summarise)

    def _add(self, done: Done) -> None:
        if isinstance(done, SkippedPairing):
            self.skipped.append(done)
        else:
            self.finishes.append(done)


def _print_summary(contest_run: ContestRun, took_s: float) -> None:
    plan, folder = contest_run.contest.plan, contest_run.contest.folder
    rows = standings((bot.name for bot in plan.bots), contest_run.finishes)
    click.echo(f"\n{local_standings_table(rows).to_text()}")
    click.echo(f"\n{SCORE_LEGEND}")
    if len(plan.terms) > 1:
        click.echo(f"\n{_table_by_game(rows, [terms.label for terms in plan.terms])}")
    moves = sum(finish.moves for finish in contest_run.finishes)
    click.echo(f"\nmatches played: {len(contest_run.finishes)}, moves: {moves}; this run took {took_s:.0f} s")
    if repeated := len(repeated_games(contest_run.finishes)):
        click.echo(f"{repeated_text(repeated)}: same seats and moves as another, counted once in the 95 % intervals")
    if contest_run.finishes:
        shown = folder.records / f"{contest_run.finishes[-1].name}.jsonl"
        referee = as_typed()
        click.echo(f"  {referee} verify {folder.records}/*/*.jsonl\n  {referee} replay {shown}")
    for entrant, why in {skipped.entrant: skipped.why for skipped in contest_run.skipped}.items():
        wrote = folder.bot_log(entrant.name)
        click.echo(f"\n{entrant.name} could not be started: {why}\nits output: {wrote}", err=True)
    for finish in [one for one in contest_run.finishes if one.forfeited][:FORFEITS_SHOWN]:
        bots = {finish.seats[one.seat] for one in finish.result.forfeits}
        logs = ", ".join(str(folder.bot_log(bot)) for bot in sorted(bots, key=natural_key))
        click.echo(f"\n{format_match(finish)}\n  its output: {logs}", err=True)
    if contest_run.interrupted_by:
        click.echo("\ninterrupted; to play the rest, run the same command with the same --out", err=True)


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


def format_match(done: Done) -> str:
    """Format a match in one line."""
    if isinstance(done, SkippedPairing):
        return f"{done.pairing.name}: not played, {done.entrant.name} could not be started"
    if done.void:
        return f"{done.name}: void, {done.result.cause.value} ({done.result.reason})"
    scores = ", ".join(f"{name} {points_text(got)}" for name, got in points(done).items())
    return f"{done.name}: {scores} ({_why(done)})"


def _why(finish: MatchFinish) -> str:
    result = finish.result
    faults = [f"{finish.seats[one.seat]} {FAULTS[one.cause].lower()} at ply {one.ply}" for one in result.forfeits]
    why = ", ".join(faults) or result.reason or result.cause.value
    return f"{why}: {finish.last_refused}" if finish.last_refused else why
