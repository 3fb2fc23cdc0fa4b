"""`referee conformance`: run the protocol test kit against a bot."""

import datetime as dt
import json
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import grpc

from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.signals import run
from referee.conformance.clause import Clause, ClauseResult
from referee.conformance.clauses import CLAUSES, ORGANISER_CLAUSES
from referee.conformance.kit_server import KitServer, run_clauses, throwaway_tls
from referee.conformance.organiser_kit import TASK, OrganiserKit
from referee.conformance.program import BotProgram, ExternalProgram, StartedProgram

NAMES = [clause.name for clause in (*CLAUSES, *ORGANISER_CLAUSES)]


@dataclass(frozen=True, slots=True)
class KitOptions:
    """Options of one run of the kit."""

    clauses: Sequence[Clause]
    command: tuple[str, ...]
    """Empty if the bot is started by someone else."""
    listen: str
    patience_s: float
    tls: bool
    as_json: bool
    organiser: bool


@click.command(cls=GameCommand)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--connect", is_flag=True, help="Start no program; wait for a bot to connect.")
@click.option("--organiser", is_flag=True, help="Test a program that organises a match instead of a bot.")
@click.option("--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Address to listen on.")
@click.option("--only", multiple=True, type=click.Choice(NAMES), metavar="CLAUSE", help="Run only this; repeatable.")
@click.option("--list", "listed", is_flag=True, help="List the clauses and exit.")
@click.option("--patience", default=20.0, show_default=True, metavar="SECONDS", help="Timeout for each answer.")
@click.option("--tls", is_flag=True, help="Use TLS with a temporary certificate (BOT_CA).")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each clause.")
def conformance(
    command: tuple[str, ...],
    connect: bool,
    organiser: bool,
    listen: str,
    only: tuple[str, ...],
    listed: bool,
    patience: float,
    tls: bool,
    as_json: bool,
) -> None:
    """Test whether a bot follows the protocol, clause by clause: referee conformance -- ./mybot

    The bot gets the address and token of the kit in BOT_REFEREE, BOT_TOKEN and, with --tls, BOT_CA, as it would those
    of a referee. The exit status is 0 if every clause passed, otherwise 1.

    With --organiser, the command is a program that creates and watches a match; --list shows what it has to do.
    """
    clauses = [clause for clause in (ORGANISER_CLAUSES if organiser else CLAUSES) if not only or clause.name in only]
    if listed:
        if organiser:
            click.echo(f"{TASK}\n")
        for clause in clauses:
            click.echo(f"{clause.name}\n    {clause.promise}")
        return
    if connect == bool(command):
        raise click.UsageError("give either the command of the bot, after --, or --connect")
    if connect and organiser:
        raise click.UsageError("--connect is for bots; give the command of the organiser, after --")
    options = KitOptions(clauses, command, listen, patience, tls, as_json, organiser)
    sys.exit(run(_run_kit(options)))


async def _run_kit(options: KitOptions) -> int:
    """Return the exit status."""
    with TemporaryDirectory(prefix="referee-conformance-") as made:
        folder = Path(made)
        credentials, environment = _set_up_tls(folder) if options.tls else (None, {})
        environment["BOT_TOKEN"] = secrets.token_urlsafe(16)
        kit, results = _prepare_kit(options, environment, folder)
        port = await _open_server(kit, options.listen, credentials)
        environment["BOT_REFEREE"] = f"{options.listen.rpartition(':')[0]}:{port}"
        if not options.command:
            shown = " ".join(f"{name}={text}" for name, text in sorted(environment.items()))
            click.echo(f"waiting for a bot: {shown}", err=True)
        try:
            return await _print_results(results, options)
        except OSError as error:
            raise click.ClickException(f"cannot start {options.command[0]!r}: {error.strerror}") from None
        finally:
            await kit.close()


def _prepare_kit(
    options: KitOptions, environment: dict[str, str], folder: Path
) -> tuple[KitServer | OrganiserKit, AsyncIterator[ClauseResult]]:
    """Return the kit, which is not open yet, and its results. Programs are started with `environment` as it is then."""
    if options.organiser:
        organisers = OrganiserKit(options.command, environment, environment["BOT_TOKEN"], options.patience_s)
        return organisers, _organiser_results(organisers, options.clauses)
    token, patience_s = environment["BOT_TOKEN"], options.patience_s
    program: BotProgram = ExternalProgram(token, patience_s)
    if options.command:
        program = StartedProgram(options.command, environment, folder, patience_s)
    bots = KitServer(program, options.patience_s, _write_untrusted_ca(folder) if options.tls else None)
    return bots, run_clauses(bots, options.clauses)


async def _organiser_results(kit: OrganiserKit, clauses: Sequence[Clause]) -> AsyncIterator[ClauseResult]:
    for clause in clauses:
        yield await clause.run(kit)


async def _open_server(kit: KitServer | OrganiserKit, listen: str, credentials: grpc.ServerCredentials | None) -> int:
    """Return the port."""
    try:
        return await kit.open(listen, credentials)
    except RuntimeError:  # gRPC gives no reason.
        wrong = f"cannot listen on {listen!r}: expected HOST:PORT of a free port, for example 127.0.0.1:7700"
        raise click.BadParameter(wrong, param_hint="--listen") from None


async def _print_results(results: AsyncIterator[ClauseResult], options: KitOptions) -> int:
    failed = 0
    async for result in results:
        failed += not result.passed
        line = {"clause": result.clause.name, "passed": result.passed, "why": result.why}
        click.echo(json.dumps(line) if options.as_json else _format_line(result))
    if not options.as_json:
        click.echo(f"{len(options.clauses) - failed} of {len(options.clauses)} clauses passed")
    return 1 if failed else 0


def _format_line(result: ClauseResult) -> str:
    mark = click.style("pass", fg="green") if result.passed else click.style("FAIL", fg="red", bold=True)
    if result.passed:
        return f"{mark}  {result.clause.name}{f' (skipped: {result.why})' if result.why else ''}"
    why = "\n".join(f"        {line}" for line in result.why.splitlines())
    return f"{mark}  {result.clause.name}\n      {result.clause.promise}\n{why}"


def _set_up_tls(folder: Path) -> tuple[grpc.ServerCredentials, dict[str, str]]:
    credentials, roots = throwaway_tls(dt.datetime.now(dt.UTC))
    ca = folder / "ca.pem"
    ca.write_bytes(roots)
    return credentials, {"BOT_CA": str(ca)}


def _write_untrusted_ca(folder: Path) -> Path:
    ca = folder / "untrusted.pem"
    ca.write_bytes(throwaway_tls(dt.datetime.now(dt.UTC))[1])
    return ca
