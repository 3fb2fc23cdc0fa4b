"""Does a bot keep to the protocol? The kit, as a command."""

import datetime as dt
import json
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import grpc

from referee.cli.choosing import Refusing
from referee.cli.told_to_go import run
from referee.conformance.clause import Clause
from referee.conformance.clauses import CLAUSES
from referee.conformance.kit import Tried, tried
from referee.conformance.program import Command, Elsewhere
from referee.conformance.stage import Stage
from referee.conformance.throwaway_tls import throwaway_tls

NAMES = [clause.name for clause in CLAUSES]


@dataclass(frozen=True, slots=True)
class Trial:
    """How a bot is tried."""

    clauses: Sequence[Clause]
    command: tuple[str, ...]
    """Empty: somebody else starts the bot."""
    listen: str
    patience_s: float
    tls: bool
    as_json: bool


@click.command(cls=Refusing)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--connect", is_flag=True, help="Start no program: wait for a bot that somebody else starts.")
@click.option("--listen", default="127.0.0.1:0", show_default=True, metavar="HOST:PORT", help="Where the bot is met.")
@click.option("--only", multiple=True, type=click.Choice(NAMES), metavar="CLAUSE", help="Just this; can be repeated.")
@click.option("--list", "listed", is_flag=True, help="Say which clauses there are, and try none.")
@click.option("--patience", default=20.0, show_default=True, metavar="SECONDS", help="How long to wait for an answer.")
@click.option("--tls", is_flag=True, help="Meet the bot over TLS, with a certificate for this trial (BOT_CA).")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each clause.")
def conformance(
    command: tuple[str, ...],
    connect: bool,
    listen: str,
    only: tuple[str, ...],
    listed: bool,
    patience: float,
    tls: bool,
    as_json: bool,
) -> None:
    """Play the protocol clause by clause against a bot: referee conformance -- ./mybot

    The program finds the kit by BOT_REFEREE, BOT_TOKEN and, over TLS, BOT_CA, as it would find a referee. The exit
    status is 0 if every clause passed, and 1 if not.
    """
    clauses = [clause for clause in CLAUSES if not only or clause.name in only]
    if listed:
        for clause in clauses:
            click.echo(f"{clause.name}\n    {clause.promise}")
        return
    if connect == bool(command):
        raise click.UsageError("a bot is tried either by its command, after --, or with --connect")
    trial = Trial(clauses, command, listen, patience, tls, as_json)
    sys.exit(run(_try(trial)))


async def _try(trial: Trial) -> int:
    """The exit status."""
    with TemporaryDirectory(prefix="referee-conformance-") as made:
        folder = Path(made)
        credentials, environment = _secured(folder) if trial.tls else (None, {})
        environment["BOT_TOKEN"] = secrets.token_urlsafe(16)
        program = Command(trial.command, environment, folder) if trial.command else Elsewhere()
        stage = Stage(program, trial.patience_s)
        port = await _opened(stage, trial.listen, credentials)
        environment["BOT_REFEREE"] = f"{trial.listen.rpartition(':')[0]}:{port}"
        if not trial.command:
            shown = " ".join(f"{name}={text}" for name, text in sorted(environment.items()))
            click.echo(f"waiting for a bot: {shown}", err=True)
        try:
            return await _told(stage, trial)
        except OSError as error:
            raise click.ClickException(f"cannot start {trial.command[0]!r}: {error.strerror}") from None
        finally:
            await stage.close()


async def _opened(stage: Stage, listen: str, credentials: grpc.ServerCredentials | None) -> int:
    """The port."""
    try:
        return await stage.open(listen, credentials)
    except RuntimeError:  # gRPC says no more than that.
        wrong = f"cannot listen at {listen!r}; it is written 127.0.0.1:7700, and nobody else listens there"
        raise click.BadParameter(wrong, param_hint="--listen") from None


async def _told(stage: Stage, trial: Trial) -> int:
    failed = 0
    async for one in tried(stage, trial.clauses):
        failed += not one.passed
        click.echo(_json(one) if trial.as_json else _line(one))
    if not trial.as_json:
        click.echo(f"{len(trial.clauses) - failed} of {len(trial.clauses)} clauses passed")
    return 1 if failed else 0


def _line(one: Tried) -> str:
    mark = click.style("pass", fg="green") if one.passed else click.style("FAIL", fg="red", bold=True)
    if one.passed:
        return f"{mark}  {one.clause.name}{f' (not tried: {one.why})' if one.why else ''}"
    why = "\n".join(f"        {line}" for line in one.why.splitlines())
    return f"{mark}  {one.clause.name}\n      {one.clause.promise}\n{why}"


def _json(one: Tried) -> str:
    return json.dumps({"clause": one.clause.name, "passed": one.passed, "why": one.why})


def _secured(folder: Path) -> tuple[grpc.ServerCredentials, dict[str, str]]:
    credentials, roots = throwaway_tls(dt.datetime.now(dt.UTC))
    ca = folder / "ca.pem"
    ca.write_bytes(roots)
    return credentials, {"BOT_CA": str(ca)}
