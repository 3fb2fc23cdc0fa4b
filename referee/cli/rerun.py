"""Would my bot play it the same way today?"""

import secrets
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from engines.api import Seat
from referee.arena.entrant import BRIDGE
from referee.cli.choosing import Refusing
from referee.cli.explain import seat_of, tale_of
from referee.cli.told_to_go import run
from referee.conformance.failed import Failed
from referee.conformance.program import Command
from referee.conformance.stage import Stage
from referee.debugging.again import Compared, again
from referee.debugging.questions import Question, questions
from referee.storage.record.story import Story
from referee.storage.record.wording import plain

SAME, DIFFERS, BROKE = 0, 1, 2


@click.command(cls=Refusing)
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--seat", required=True, metavar="SEAT", help="A number from 0, or the name of the bot that sat there.")
@click.option("--from", "from_ply", type=click.IntRange(0), default=0, metavar="PLY", help="Begin there.")
@click.option("--lines", is_flag=True, help="The program reads and writes lines (docs/bridge.md).")
@click.option("--stop-at-first", is_flag=True, help="Stop where it answers differently for the first time.")
@click.option("--patience", default=60.0, show_default=True, metavar="SECONDS", help="How long it may think.")
def rerun(
    record: Path, command: tuple[str, ...], seat: str, from_ply: int, lines: bool, stop_at_first: bool, patience: float
) -> None:
    """Ask a bot the turns of a record again: referee rerun RECORD --seat 0 -- ./mybot

    The program finds them by BOT_REFEREE and BOT_TOKEN, as it would find a referee. Where it answers differently the
    match goes on as it did. Exit status: 0 the same throughout, 1 not the same, 2 the bot did not answer.
    """
    tale = tale_of(record)
    last = tale.steps[-1].after if tale.steps else tale.first
    number = seat_of(last, seat)
    asked = [one for one in questions(tale, number) if one.due.match.ply >= from_ply]
    if not asked:
        raise click.BadParameter(f"the seat was asked nothing from ply {from_ply} on", param_hint="--from")
    program = (*BRIDGE, "--", *command) if lines else command
    sys.exit(run(_rerun(tale, asked, number, program, patience, stop_at_first)))


async def _rerun(
    tale: Story, asked: list[Question], seat: Seat, program: tuple[str, ...], patience: float, stop_at_first: bool
) -> int:
    """The exit status."""
    with TemporaryDirectory(prefix="referee-rerun-") as folder:
        environment = {"BOT_TOKEN": secrets.token_urlsafe(16)}
        stage = Stage(Command(program, environment, Path(folder)), patience)
        environment["BOT_REFEREE"] = f"127.0.0.1:{await stage.open('127.0.0.1:0', None)}"
        try:
            return await _compared(stage, tale, asked, seat, stop_at_first)
        except Failed as why:
            click.echo(f"the bot did not answer: {why}", err=True)
            return BROKE
        except OSError as error:
            click.echo(f"cannot start {program[0]!r}: {error.strerror}", err=True)
            return BROKE
        finally:
            await stage.close()


async def _compared(stage: Stage, tale: Story, asked: list[Question], seat: Seat, stop_at_first: bool) -> int:
    different = turns = 0
    async for one in again(stage, tale.first, asked, seat):
        turns += 1
        if not one.same:
            different += 1
            click.echo(_line(one))
            if stop_at_first:
                break
    click.echo(f"{turns - different} of {turns} turns answered as in the record")
    return DIFFERS if different else SAME


def _line(one: Compared) -> str:
    wrong = f", which cannot be played: {one.wrong}" if one.wrong else ""
    return f"ply {one.question.due.match.ply}: then {plain(one.then)}, now {plain(one.now)}{plain(wrong)}"
