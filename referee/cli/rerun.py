"""`referee rerun`: ask a bot the turns of a record again and compare its answers."""

import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from engines.api import Seat
from referee.cli._shared.record_files import PackedCommand, record_argument
from referee.cli._shared.signals import run
from referee.cli.explain import find_seat, read_record
from referee.conformance.clause import ClauseFailed
from referee.conformance.kit_server import KitServer
from referee.conformance.program import StartedProgram
from referee.conformance.rerun import ComparedTurn, rerun_turns
from referee.local.entrant import BRIDGE
from referee.records.describe_event import escape_unprintable
from referee.records.record_reader import RecordHistory
from referee.records.seat_turns import SeatTurn, seat_turns

SAME, DIFFERS, BROKE = 0, 1, 2


@click.command(cls=PackedCommand)
@record_argument
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--seat", required=True, metavar="SEAT", help="Number from 0, or the name of its bot.")
@click.option("--from", "from_ply", type=click.IntRange(0), default=0, metavar="PLY", help="Skip earlier turns.")
@click.option("--lines", is_flag=True, help="The program reads and writes lines, as for referee-bridge.")
@click.option("--stop-at-first", is_flag=True, help="Stop at the first different answer.")
@click.option("--patience", default=60.0, show_default=True, metavar="SECONDS", help="Timeout for each answer.")
def rerun(
    record: str, command: tuple[str, ...], seat: str, from_ply: int, lines: bool, stop_at_first: bool, patience: float
) -> None:
    """Ask a bot the turns of a record again: referee rerun RECORD --seat 0 -- ./mybot

    The program gets address and token in BOT_REFEREE and BOT_TOKEN. After a different answer the match continues as
    recorded. Exit status: 0 if all answers were the same, 1 if not, 2 if the bot did not answer.
    """
    history = read_record(record)
    last = history.last
    number = find_seat(last, seat)
    recorded_turns = [turn for turn in seat_turns(history, number) if turn.due.match.ply >= from_ply]
    if not recorded_turns:
        raise click.BadParameter(f"the seat has no turn from ply {from_ply} on", param_hint="--from")
    program = (*BRIDGE, "--", *command) if lines else command
    sys.exit(run(_rerun(history, recorded_turns, number, program, patience, stop_at_first)))


async def _rerun(
    history: RecordHistory,
    recorded_turns: list[SeatTurn],
    seat: Seat,
    program: tuple[str, ...],
    patience: float,
    stop_at_first: bool,
) -> int:
    """Return the exit status."""
    with TemporaryDirectory(prefix="referee-rerun-") as folder:
        environment = {"BOT_TOKEN": secrets.token_urlsafe(16)}
        started = StartedProgram(program, environment, Path(folder), patience, is_checked=False)
        kit = KitServer(started, patience)
        environment["BOT_REFEREE"] = f"127.0.0.1:{await kit.open('127.0.0.1:0', None)}"
        try:
            return await _compare(kit, history, recorded_turns, seat, stop_at_first)
        except ClauseFailed as why:
            click.echo(f"the bot did not answer: {why}", err=True)
            return BROKE
        except OSError as error:
            click.echo(f"cannot start {program[0]!r}: {error.strerror}", err=True)
            return BROKE
        finally:
            await kit.close()


async def _compare(
    kit: KitServer, history: RecordHistory, recorded_turns: list[SeatTurn], seat: Seat, stop_at_first: bool
) -> int:
    different = turns = 0
    async for compared in rerun_turns(kit, history.first, recorded_turns, seat):
        turns += 1
        if not compared.same:
            different += 1
            click.echo(_line(compared))
            if stop_at_first:
                break
    click.echo(f"{turns - different} of {turns} turns answered as in the record")
    return DIFFERS if different else SAME


def _line(compared: ComparedTurn) -> str:
    wrong = f", which is illegal: {compared.wrong}" if compared.wrong else ""
    then, now = escape_unprintable(compared.then), escape_unprintable(compared.now)
    return f"ply {compared.question.due.match.ply}: then {then}, now {now}{escape_unprintable(wrong)}"
