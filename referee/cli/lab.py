"""`referee lab`: play the contest of a plan file in processes of this machine, without a server."""

import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

import click

from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.lab_summary import summarise
from referee.cli._shared.output import counted, progress, write
from referee.cli._shared.signals import BY_SIGNAL
from referee.cli._shared.standings_text import as_typed
from referee.cli.sprt import VERDICTS, SprtExitStatus
from referee.contests.tournament.sprt_trial import TrialState
from referee.lab.crew import LabWorkerDied, play_all
from referee.lab.lab_contest import AlwaysVoid, Resumed, trial_course
from referee.lab.lab_folder import LabFolder
from referee.lab.lab_match import LabResult, repeated_games
from referee.lab.lab_plan import LabPlan, read_lab_plan
from referee.lab.lab_worker import LabJob
from referee.lab.same_table import DEFAULT_SEED
from referee.local.local_standings import points
from referee.local.plan import MAX_PARALLEL
from referee.records.packed_format import PackageMissing, zstandard
from referee.records.packed_reader import split_name
from referee.server.stores import StartupError
from referee.show.formatting import SCORE_LEGEND, repeated_text, signed
from referee.show.lab_page import FAULTS, LabSummary, LossGroup, lab_page, local_standings_table, points_text
from referee.show.table import Table, number

DEFAULT_OUT = Path("referee-lab")
SHOW_EVERY_S = 1.0
FORFEITS_SHOWN = 5
WORKER_DIED, FAULT, VOID = 1, 3, 5
STATUSES = """\b
Exit status:
    0  all matches were played and none was forfeited; of a test: passed
    1  the results folder cannot be used, or a bot has ended its worker process
    2  invalid input
    3  a bot forfeited a match: late, illegal
    5  a match was void: the rules failed, or two engines differ
    6  of a test: failed
    7  of a test: undecided
  130  Ctrl-C (143: SIGTERM); the same command continues
"""


@click.command(cls=GameCommand, epilog=STATUSES)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the results. [referee-lab/NAME OF THE FILE]")
@click.option(
    "--workers",
    type=click.IntRange(0, MAX_PARALLEL),
    help="Processes that play; 0: this one alone. [`max_concurrent_matches` in the file, or the number of cores]",
)
@click.option("--seed", default=DEFAULT_SEED, show_default=True, help="Any text; another one gives other matches.")
@click.option("--records", is_flag=True, help="Write the records of all matches, packed if possible.")
@click.pass_context
def lab(
    context: click.Context,
    file: Path,
    out: Path | None,
    workers: int | None,
    seed: str,
    records: bool,
) -> None:
    """Play the contest of FILE without a server: Python bots in the process of the match, programs on pipes.

    FILE is a plan file as for `referee arena` or `referee tournament run`. Running the same command again continues
    where it was interrupted.
    """
    plan = read_lab_plan(file)
    with closing(LabFolder(out or DEFAULT_OUT / file.stem)) as folder:
        run = LabRun(file.stem, plan, folder, seed, records)
        try:
            run.play(plan.workers if workers is None else workers)
        except StartupError as why:
            raise click.ClickException(str(why)) from None
        run.summarise()
    context.exit(run.status)


class LabRun:
    """A run of a plan, and its results."""

    def __init__(self, title: str, plan: LabPlan, folder: LabFolder, seed: str, records: bool) -> None:
        self._title = title
        self._plan = plan
        self._folder = folder
        self._records = records
        self._new_source = partial(plan.source, seed)
        self._source = self._new_source()
        self._text = f"{plan.text}\nseed {seed}\n"
        self._results: list[LabResult] = []
        self._interrupted_by = 0
        self._given_up: AlwaysVoid | LabWorkerDied | None = None
        """Why the contest cannot go on."""
        self._took_s = 0.0

    def play(self, workers: int) -> None:
        """Play what is left. Raises a DetailedError or StartupError."""
        before = self._folder.open(self._text)
        source = Resumed(self._source, before)
        all_results = dict(before)
        self._folder.drop_unfinished(before.values())
        job = LabJob(self._plan.bots, str(self._folder.bots), self._records_path() if self._records else "")
        if before:
            click.echo(f"{counted(len(before), 'match is', 'matches are')} already played")
        began_at = time.monotonic()
        try:
            with _signals_interrupt(), progress(self._source.planned - len(before)) as show:
                steps = 0
                shown_at = began_at
                for results in play_all(source, job, workers, (_Interrupted,)):
                    self._folder.append(results)
                    all_results.update((result.name, result) for result in results)
                    steps += len(results)
                    now = time.monotonic()
                    if now - shown_at >= SHOW_EVERY_S:
                        show(_result_text(results[-1]), steps, self._source.planned - len(before))
                        steps, shown_at = 0, now
        except _Interrupted as interrupted:
            self._interrupted_by = interrupted.number
        except (AlwaysVoid, LabWorkerDied) as why:
            self._given_up = why
        self._results = sorted(all_results.values(), key=lambda result: result.number)
        self._took_s = time.monotonic() - began_at

    def _records_path(self) -> str:
        """Return the packed file, or the folder of records if the library that packs them is not installed."""
        try:
            zstandard()
        except PackageMissing as why:
            click.echo(f"each record is a file of its own: {why}", err=True)
            return str(self._folder.records)
        return str(self._folder.packed)

    @property
    def status(self) -> int:
        if self._interrupted_by:
            return BY_SIGNAL + self._interrupted_by
        if isinstance(self._given_up, LabWorkerDied):
            return WORKER_DIED
        if any(result.void for result in self._results):
            return VOID
        if self._source.trial:
            return VERDICTS.get(self._source.trial.verdict, SprtExitStatus.UNDECIDED)
        return FAULT if any(result.forfeited for result in self._results) else 0

    def summarise(self) -> None:
        """Print the summary and write the page. Raises StartupError."""
        results, trial = self._results, self._source.trial
        course = trial_course(self._new_source(), results) if trial else ()
        summary = summarise(self._title, list(self._plan.bots), results, trial, course)
        self._print_summary(summary)
        write(self._folder.page, lab_page(summary))

    def _print_summary(self, summary: LabSummary) -> None:
        click.echo(f"\n{local_standings_table(summary.standings).to_text()}\n\n{SCORE_LEGEND}")
        if self._source.trial:
            click.echo(f"\n{_trial_text(self._source.trial)}")
        records = self._folder.names_of_records(self._results)
        if summary.losses:
            click.echo(f"\n{_losses_table(summary.losses, records)}")
        moves = sum(result.moves for result in self._results)
        click.echo(f"\nmatches played: {len(self._results)}, moves: {moves}; this run took {self._took_s:.0f} s")
        if repeated := len(repeated_games(self._results)):
            click.echo(
                f"{repeated_text(repeated)}: same seats and moves as another, counted once in the 95 % intervals"
            )
        click.echo(f"results: {self._folder.results}, as a page: {self._folder.page}")
        self._print_commands(list(records.values()))
        for result in [played for played in self._results if played.forfeited or played.void][:FORFEITS_SHOWN]:
            click.echo(f"\n{_result_text(result)}", err=True)
        for result in [played for played in self._results if played.failures][:FORFEITS_SHOWN]:
            for seat, why in result.failures:
                bot = result.bots[seat]
                click.echo(f"\n{result.name}: {bot} failed: {why}\n  {self._folder.bots / bot}.log", err=True)
        if self._given_up:
            click.echo(f"\nError: {self._given_up}", err=True)
        if self._interrupted_by:
            click.echo("\ninterrupted; to play the rest, run the same command with the same --out", err=True)

    def _print_commands(self, records: Sequence[str]) -> None:
        """Say how to look at the records, if there are any."""
        if records:
            referee, (file, match_id) = as_typed(), split_name(records[-1])
            of_all = file if match_id else f"{file.parent}/*.jsonl"
            click.echo(f"  {referee} verify {of_all}\n  {referee} replay {records[-1]}")


def _result_text(played: LabResult) -> str:
    """Format a match in one line."""
    result = played.result
    if played.void:
        return f"{played.name}: void, {result.cause.value} ({result.reason})"
    scores = ", ".join(f"{name} {points_text(got)}" for name, got in points(played.finish()).items())
    faults = [f"{played.bots[lost.seat]} {FAULTS[lost.cause].lower()} at ply {lost.ply}" for lost in result.forfeits]
    return f"{played.name}: {scores} ({', '.join(faults) or result.reason or result.cause.value})"


def _trial_text(trial: TrialState) -> str:
    """Return the state of a test in one line."""
    estimate = trial.estimate
    elo = f"{signed(estimate.elo)} Elo [{signed(estimate.low)} to {signed(estimate.high)}]"
    ratio = "" if trial.llr is None else f", ratio {trial.llr:.2f} of {trial.lower:.2f} to {trial.upper:.2f}"
    return f"{trial.verdict}: {elo}{ratio}, {trial.matches} matches counted"


def _losses_table(groups: Sequence[LossGroup], records: Mapping[str, str]) -> str:
    """`records` has the records by the names of their matches."""
    columns = ("lost by", number("matches"), number("first"), *(("record of the first",) if records else ()))
    rows = [
        (
            f"{group.bot}, seat {group.seat}, {group.reason}",
            group.matches,
            ", ".join(group.first),
            *((records.get(group.first[0], ""),) if records else ()),
        )
        for group in groups
    ]
    return Table(columns, rows).to_text()


class _Interrupted(KeyboardInterrupt):
    """A signal. Its class is not that of a bot's own KeyboardInterrupt, which ends no run."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Raise _Interrupted on SIGINT and SIGTERM."""

    def interrupt(number: int, _: FrameType | None) -> None:
        raise _Interrupted(number)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
