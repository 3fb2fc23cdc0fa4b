"""What `referee tournament run` and `referee sprt` share: they hold a tournament, show how it goes, and keep it."""

import asyncio
import time
from collections.abc import Iterable
from typing import TypeVar

import click
from referee_api.v1 import contest_pb2, tournament_pb2
from referee_client import Refused
from referee_client.errors import RefereeError

from referee.arena.tournament import Held, Stage, TooFewCame
from referee.cli.contest_entries import pairing_text, sprt_text
from referee.cli.progress import Show, progress
from referee.cli.report_text import report_text
from referee.cli.told_to_go import BY_SIGNAL, until_interrupted
from referee.reporting.kept import keep, kept_report
from referee.reporting.of_tournament import sprt_of
from referee.reporting.page import page
from referee.reporting.report import Report
from referee.wiring.books import CannotStart

EXPORTS = {"csv": "standings.csv", "json": "tournament.json", "trf": "tournament.trf"}
PAGE = "report.html"

Trouble = TypeVar("Trouble", bound=Exception)


class Holding:
    """A tournament while it is held, and after."""

    def __init__(self, held: Held) -> None:
        self.held = held
        self.report: Report | None = None
        """None: it never began."""
        self.absent: dict[str, str] = {}
        """Bots that would not start, and why."""
        self.interrupted_by = 0

    def hold(self) -> None:
        """To the end, or until it is interrupted; then tell of all of it."""
        began_at = time.monotonic()
        if trouble := self._trouble():
            raise click.ClickException(trouble)
        self._tell_the_end(time.monotonic() - began_at)

    def status(self, otherwise: int) -> int:
        """The exit status, if nothing went wrong `otherwise`."""
        return BY_SIGNAL + self.interrupted_by if self.interrupted_by else otherwise

    def _trouble(self) -> str:
        """Hold it. What broke it off, in a sentence; empty: nothing."""
        trouble = ""
        try:
            asyncio.run(self._hold())
        except* TooFewCame as whys:
            click.echo(f"\nit cannot begin: {_first(whys)}; the same command tries again", err=True)
        except* (CannotStart, RefereeError) as whys:
            trouble = str(_first(whys))
        except* OSError as whys:
            what = _first(whys).strerror
            trouble = f"cannot write to {self.held.out}: {what}; the same command with the same --out plays the rest"
        return trouble

    async def _hold(self) -> None:
        self.interrupted_by = await until_interrupted(self._played())

    async def _played(self) -> None:
        async with self.held.opened(self._tell_outage) as stage:
            click.echo(f"refereed on {stage.at.grpc}, with metrics on http://{stage.at.http}/metrics")
            try:
                made = await stage.made_before()
                before = await stage.done_before() if made else 0
                if made and before:
                    click.echo(f"{before} of {foreseen(made)} pairings have been played before")
                if not (made and made.HasField("ended_at")):
                    begun = await stage.begin(made)
                    with progress(max(0, foreseen(begun) - before)) as show:
                        await stage.play(Following(begun, before, show).take)
                await stage.keep_records()
            finally:
                self.absent = {bot.name: why for bot, why in stage.absent.items()}
                self.report = await asyncio.to_thread(_kept, self.held, stage)

    def _tell_outage(self, why: str) -> None:
        where = self.held.out
        if why:
            click.echo(f"\n{why}; no clock runs, and all goes on when there is room in {where} again", err=True)
        else:
            click.echo(f"\nit can be written to {where} again, and all goes on", err=True)

    def _tell_the_end(self, took_s: float) -> None:
        out = self.held.out
        if self.report:
            click.echo(
                f"\n{report_text(self.report)}\n\nthis run took {took_s:.0f} s; all of it is in {out}, see {PAGE}"
            )
        for name, why in self.absent.items():
            click.echo(f"\n{name} would not start: {why}\nall that it wrote: {out}/bots/{name}.log", err=True)
        if self.interrupted_by:
            click.echo("\ninterrupted; the same command with the same --out plays the rest", err=True)


def _first(whys: BaseExceptionGroup[Trouble]) -> Trouble:
    """However deep it lies."""
    why = whys.exceptions[0]
    return _first(why) if isinstance(why, BaseExceptionGroup) else why


def foreseen(held: tournament_pb2.Tournament) -> int:
    """How many pairings there will be, as well as that can be said beforehand."""
    many, terms = len(held.entrants) - len(held.withdrawn), held.terms
    match terms.WhichOneof("format"):
        case "swiss":
            return terms.swiss.rounds * (many // 2)
        case "elimination" if terms.elimination.twice:
            return 2 * (many - 1)
        case "elimination":
            return many - 1 + terms.elimination.third_place
    return held.pairings_planned


def _kept(held: Held, stage: Stage) -> Report | None:
    """What it has come to, in its folder. None: it has not begun."""
    name, out, tournaments = held.plan.name, held.out, stage.organiser.tournaments
    try:
        keep(stage.organiser, name, out)
    except RefereeError:
        return None
    for form, file in EXPORTS.items():
        try:
            (out / file).write_text(tournaments.export(name, form), encoding="utf-8")
        except Refused:
            # Not every format can be told in every form.
            (out / file).unlink(missing_ok=True)
    report = kept_report(out)
    (out / PAGE).write_text(page(report), encoding="utf-8")
    return report


class Following:
    """Steps of a tournament, as its entries come; those of an earlier run are steps no more."""

    def __init__(self, begun: tournament_pb2.Tournament, before: int, show: Show) -> None:
        self._show = show
        self._before = before
        self._foreseen = foreseen(begun)
        self._done = 0
        self._planned = 0

    def take(self, entry: tournament_pb2.TournamentEntry) -> None:
        match entry.WhichOneof("event"):
            case "planned":
                self._plan(entry.planned.pairings)
            case "round_began":
                self._plan(entry.round_began.pairings)
            case "pairing" if entry.pairing.phase == contest_pb2.PAIRING_PHASE_DONE:
                self._step(pairing_text(entry.pairing))
            case "sprt":
                sprt = sprt_of(entry.sprt)
                if sprt.matches > self._done:  # A set is complete.
                    self._to(sprt.matches, sprt.matches + sprt.to_go, sprt_text(sprt))

    def _plan(self, pairings: Iterable[contest_pb2.Pairing]) -> None:
        self._planned += sum(len(pairing.entrants) > 1 for pairing in pairings)

    def _step(self, text: str) -> None:
        self._done += 1
        if self._done > self._before:
            self._show(text, 1, max(self._foreseen, self._planned) - self._before)

    def _to(self, done: int, of: int, text: str) -> None:
        """Matches of a test."""
        steps, self._done = done - self._done, done
        self._show(text, steps, of)
