"""How commands run tournaments here, with progress and reports."""

import asyncio
import time
from collections.abc import Callable, Iterable
from enum import IntEnum
from pathlib import Path
from typing import TypeVar

import click
from referee_client import Organiser, Refused
from referee_client.errors import RefereeError
from referee_values import (
    Elimination,
    ExportFormat,
    Pairing,
    PairingsPlanned,
    RoundStarted,
    SprtState,
    Swiss,
    Tournament,
    TournamentEntry,
)

from referee.cli._shared.output import Show, echo_start, keep_page, progress
from referee.cli._shared.report_text import report_text
from referee.cli._shared.signals import BY_SIGNAL, until_interrupted
from referee.local.contest_file import TournamentPlan, read_tournament
from referee.local.local_tournament import ContestRuntime, LocalContest, TooFewEntrants, TournamentRuntime
from referee.local.results_folder import ResultsFolder
from referee.local.terms_reader import LOCAL_POLICIES
from referee.server.stores import StartupError
from referee.show.collector import read_saved_report, save_report_data
from referee.show.formatting import sprt_text
from referee.show.page import page
from referee.show.report import Report
from referee.show.value_conversion import pairing_text

EXPORTS: dict[ExportFormat, str] = {"csv": "standings.csv", "json": "tournament.json", "trf": "tournament.trf"}
DEFAULT_OUT = Path("referee-tournament")
PAGE = "report.html"
HOW_TO_RESUME = "to play the rest, run the same command with the same --out"

Trouble = TypeVar("Trouble", bound=Exception)


class ContestRunner:
    """A tournament or an arena that is run, and its reports."""

    def __init__(self, contest: LocalContest, summarise: Callable[["ContestRunner"], str]) -> None:
        """`summarise` returns the text that is printed at the end, unless nothing was played."""
        self.contest = contest
        self.reports: dict[str, Report] = {}
        """The report of each tournament that has started, by its name."""
        self.absent: dict[str, str] = {}
        """Bots that could not be started, with the reasons."""
        self.broken_pairing = ""
        """A pairing whose matches are void again and again. Empty: none."""
        self.interrupted_by = 0
        self._summary = summarise
        self._began_at = time.monotonic()
        self._summarised = False

    def run(self) -> None:
        """Run until the end or an interruption, then print the summary. Raises ClickException."""
        if trouble := self._run_to_end():
            raise click.ClickException(trouble)
        self._summarise()

    def status(self, otherwise: int | None = None) -> int:
        """Return the exit status: of the signal that interrupted the run, of a trouble, or `otherwise`."""
        if self.interrupted_by:
            return BY_SIGNAL + self.interrupted_by
        if self.absent:
            return ContestExitStatus.WOULD_NOT_START
        if self.broken_pairing:
            return ContestExitStatus.VOID
        forfeited = any(game.end.kind == "forfeited" for report in self.reports.values() for game in report.games)
        at_fault = forfeited or any(self._failures().values())
        return otherwise if otherwise is not None else ContestExitStatus.FAULT if at_fault else 0

    def _failures(self) -> dict[str, int]:
        """Return how many matches each bot resigned because its code failed."""
        return {bot.name: self.contest.folder.count_failures(bot.name) for bot in self.contest.plans[0].bots}

    def _run_to_end(self) -> str:
        """Run the contest. Return the error that ended it, or an empty string."""
        trouble = ""
        try:
            asyncio.run(self._run_until_interrupted())
        except* (StartupError, RefereeError) as whys:
            trouble = str(_first_of(whys))
        except* OSError as whys:
            what = _first_of(whys).strerror
            trouble = f"cannot write to {self.contest.folder.path}: {what}; {HOW_TO_RESUME}"
        return trouble

    async def _run_until_interrupted(self) -> None:
        self.interrupted_by = await until_interrupted(self._play())

    async def _play(self) -> None:
        async with self.contest.open(self._report_outage) as runtime:
            echo_start(runtime.server.info, self.contest.plans[0].sandbox_notice())
            try:
                for plan in self.contest.plans:
                    await self._play_plan(runtime, plan)
            finally:
                self.absent = {bot.name: why for bot, why in runtime.absent.items()}
            await keep_page(runtime.server.info, self._summarise)

    async def _play_plan(self, runtime: ContestRuntime, plan: TournamentPlan) -> None:
        try:
            async for tournament in runtime.tournaments(plan):
                if not self.broken_pairing:
                    await self._play_tournament(tournament)
        except TooFewEntrants:
            click.echo(
                f"\n{plan.name} cannot start, since bots are missing, as said below; then run the same command",
                err=True,
            )

    async def _play_tournament(self, runtime: TournamentRuntime) -> None:
        label = f"{runtime.name}/" if self.contest.is_arena else ""
        try:
            if before := await runtime.count_done_pairings():
                of = estimate_pairings(runtime.tournament)
                click.echo(f"{before} of {of} pairings are already played{label and ' of ' + runtime.name}")
            if not runtime.tournament.end_time:
                await runtime.start()
                with progress(max(0, estimate_pairings(runtime.tournament) - before)) as show:
                    await runtime.play(TournamentProgress(runtime.tournament, before, show, label).update)
            await runtime.save_records()
        finally:
            self.broken_pairing = self.broken_pairing or runtime.broken_pairing
            if report := await asyncio.to_thread(_save_report, runtime):
                self.reports[runtime.name] = report

    def _report_outage(self, why: str) -> None:
        where = self.contest.folder.path
        if why:
            click.echo(f"\n{why}; clocks are stopped until {where} can be written again", err=True)
        else:
            click.echo(f"\n{where} can be written again; the tournament continues", err=True)

    def _summarise(self) -> None:
        """Print the summary, once."""
        if self._summarised:
            return
        self._summarised = True
        folder, took_s = self.contest.folder, time.monotonic() - self._began_at
        if self.reports:
            report = f"NAME/{PAGE}" if self.contest.is_arena else PAGE
            click.echo(f"\n{self._summary(self)}\n")
            click.echo(f"this run took {took_s:.0f} s; results: {folder.path}, report: {report}")
        for bot, failures in self._failures().items():
            if failures:
                log = folder.bot_log(bot)
                click.echo(f"\n{bot} failed and resigned, matches: {failures}; its output: {log}", err=True)
        for name, why in self.absent.items():
            click.echo(f"\n{name} could not be started: {why}\nits output: {folder.bot_log(name)}", err=True)
        if self.broken_pairing:
            click.echo(f"\nthe matches of pairing {self.broken_pairing} are void again and again", err=True)
        if self.interrupted_by:
            click.echo(f"\ninterrupted; {HOW_TO_RESUME}", err=True)


def _first_of(whys: BaseExceptionGroup[Trouble]) -> Trouble:
    """Return the first exception of nested groups."""
    why = whys.exceptions[0]
    return _first_of(why) if isinstance(why, BaseExceptionGroup) else why


def estimate_pairings(tournament: Tournament) -> int:
    """Estimate the number of pairings of the whole tournament."""
    many, terms = len(tournament.entrants) - len(tournament.withdrawn_entrants), tournament.terms
    match terms.format:
        case Swiss(rounds=rounds):
            return rounds * (many // 2)
        case Elimination(double_elimination=True):
            return 2 * (many - 1)
        case Elimination(third_place_match=third_place_match):
            return many - 1 + third_place_match
    return tournament.total_pairings


def _save_report(runtime: TournamentRuntime) -> Report | None:
    """Write results and report to the folder. Return None if the tournament has not started."""
    name, out = runtime.name, runtime.folder.path
    with Organiser(runtime.server.info.grpc, runtime.server.token, ca="") as organiser:
        try:
            save_report_data(organiser, name, out)
        except RefereeError:
            return None
        for form, file in EXPORTS.items():
            try:
                (out / file).write_text(organiser.tournaments.export(name, form), encoding="utf-8")
            except Refused:
                # Not every tournament format can be exported in every file format.
                (out / file).unlink(missing_ok=True)
    report = read_saved_report(out)
    (out / PAGE).write_text(page(report), encoding="utf-8")
    return report


class TournamentProgress:
    """Shows progress by the entries of a tournament. Pairings of an earlier run do not count."""

    def __init__(self, started: Tournament, before: int, show: Show, label: str = "") -> None:
        """`label` precedes the ids of pairings."""
        self._show = show
        self._label = label
        self._before = before
        self._estimate = estimate_pairings(started)
        self._done = 0
        self._planned = 0

    def update(self, entry: TournamentEntry) -> None:
        match entry.event:
            case PairingsPlanned(pairings=pairings) | RoundStarted(pairings=pairings):
                self._plan(pairings)
            case Pairing(phase="done") as pairing:
                self._step(f"{self._label}{pairing_text(pairing)}")
            case SprtState() as sprt:
                if sprt.matches > self._done:  # A set is complete.
                    self._to(sprt.matches, sprt.matches + sprt.expected_matches_left, sprt_text(sprt))

    def _plan(self, pairings: Iterable[Pairing]) -> None:
        self._planned += sum(len(pairing.entrants) > 1 for pairing in pairings)

    def _step(self, text: str) -> None:
        self._done += 1
        if self._done > self._before:
            self._show(text, 1, max(self._estimate, self._planned) - self._before)

    def _to(self, done: int, of: int, text: str) -> None:
        """Show the progress of a sequential test, counted in matches."""
        steps, self._done = done - self._done, done
        self._show(text, steps, of)


class ContestExitStatus(IntEnum):
    FAULT = 3
    WOULD_NOT_START = 4
    VOID = 5


def run_tournament(file: Path, out: Path | None, page: bool) -> int:
    """Run the tournament of a file, and return the exit status. Raises a DetailedError or ClickException."""
    plan = read_tournament(file, LOCAL_POLICIES)
    if not plan.bots:
        raise click.UsageError('no bots; add a line such as mine = "./my-bot" below [bots]')
    folder = ResultsFolder(out or DEFAULT_OUT / file.stem)
    return run_contest(LocalContest((plan,), file.parent, folder, page), full_report).status()


def run_contest(contest: LocalContest, summarise: Callable[[ContestRunner], str]) -> ContestRunner:
    """Run a contest from its check to its end. Raises a DetailedError or ClickException."""
    contest.check()
    runner = ContestRunner(contest, summarise)
    runner.run()
    return runner


def full_report(runner: ContestRunner) -> str:
    return "\n\n".join(map(report_text, runner.reports.values()))
