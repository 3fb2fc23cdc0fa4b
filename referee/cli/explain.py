"""What my bot was asked in a match, what it answered, and where its time went."""

from collections.abc import Sequence
from pathlib import Path

import click
from google.protobuf.json_format import MessageToJson

from engines.api import Seat
from engines.registry import find
from referee.app.sessions import TurnWishes
from referee.cli.choosing import Refusing
from referee.cli.clocks import control_text
from referee.cli.report import write
from referee.core.events import MoveRefused
from referee.core.match import Match
from referee.debugging.ending import ending
from referee.debugging.page import page
from referee.debugging.questions import Question, questions
from referee.debugging.told import answer_text, table
from referee.storage.record.story import Story, story
from referee.storage.record.verdict import Trouble
from referee.storage.record.wording import plain
from referee.transport.convert.clocks import row_of
from referee.transport.convert.turns import turn_of

EVERYTHING = TurnWishes(legal_moves_at_most=5_000, view=True, all_moves=False)


@click.command(cls=Refusing)
@click.argument("record", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--seat", required=True, metavar="SEAT", help="A number from 0, or the name of the bot that sat there.")
@click.option("--ply", type=click.IntRange(0), help="Show just what was asked at this ply, in full, as it was sent.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page with the picture here.")
def explain(record: Path, seat: str, ply: int | None, html: Path | None) -> None:
    """Show what a seat was asked in a match, what it answered, and each clock row, as a table and a picture.

    Nothing is shown that the seat could not see.
    """
    tale = tale_of(record)
    last = tale.steps[-1].after if tale.steps else tale.first
    number = seat_of(last, seat)
    asked = list(questions(tale, number))
    if ply is not None:
        _show(asked, ply)
        return
    title = f"{plain(last.setup.match_id)}: {last.game.title}, seat {number}"
    facts = [*_facts(last, number), ending(last)]
    for line in (title, *facts, "", *table(asked)):
        click.echo(line)
    if html:
        write(html, page(title, facts, asked))
        click.echo(f"written: {html}")


def tale_of(record: Path) -> Story:
    """What the record tells. A record that cannot be read is a mistake."""
    try:
        return story(record, find)
    except Trouble as trouble:
        raise click.BadParameter(plain(str(trouble.verdict)), param_hint=click.format_filename(record)) from None


def seat_of(match: Match, given: str) -> Seat:
    """By number, or by the bot that sat there and nowhere else."""
    seats = range(len(match.players))
    if given.isdecimal() and int(given) in seats:
        return int(given)
    held = [seat for seat in seats if match.players[seat].bot == given]
    if len(held) == 1:
        return held[0]
    names = ", ".join(f"{seat} ({plain(match.players[seat].bot)})" for seat in seats)
    raise click.BadParameter(
        f"{given!r} is no seat of this match, or more than one; they are {names}", param_hint="--seat"
    )


def _facts(match: Match, seat: Seat) -> list[str]:
    player = match.players[seat]
    who = plain(f"{player.bot} {player.version}".strip() or "nobody")
    others = ", ".join(plain(one.bot) for number, one in enumerate(match.players) if number != seat)
    return [f"{match.table.seats[seat]} is {who}, against {others}; {control_text(match.setup.controls[seat])}."]


def _show(asked: Sequence[Question], ply: int) -> None:
    found = [one for one in asked if one.due.match.ply == ply]
    if not found:
        plies = ", ".join(sorted({str(one.due.match.ply) for one in asked}, key=int))
        raise click.BadParameter(f"this seat was asked nothing at ply {ply}, but at {plies}", param_hint="--ply")
    for one in found:
        click.echo(MessageToJson(turn_of(one.due, EVERYTHING), preserving_proto_field_name=True, ensure_ascii=False))
        click.echo(f"answered: {answer_text(one)}")
        if isinstance(one.answer, MoveRefused):
            click.echo(
                f"why: {plain(one.answer.sentence)} ({one.answer.reason}; {one.answer.attempts_left} attempts left)"
            )
        if one.row:
            row = row_of(one.row, one.due.seat, one.due.match.setup.controls[one.due.seat])
            click.echo(f"clock row: {MessageToJson(row, preserving_proto_field_name=True)}")
