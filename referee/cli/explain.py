"""`referee explain`: show the turns of one seat of a record, its answers, and how its clock was charged."""

from collections.abc import Sequence
from pathlib import Path

import click
from google.protobuf.json_format import MessageToJson

from engines.api import Seat
from engines.registry import find
from referee.cli._shared.output import write
from referee.cli._shared.record_files import PackedCommand, open_named_record, record_argument
from referee.live.sessions import TurnOptions
from referee.match.events import MoveRejected
from referee.match.state import Match
from referee.records.describe_event import escape_unprintable, player_text
from referee.records.record_reader import RecordHistory, RecordInvalid, read_history
from referee.records.seat_turns import SeatTurn, seat_turns
from referee.show.frames import record_frames
from referee.show.turn_report import answer_text, bars_legend, format_page, turns_table
from referee.show.words import seat_control_text
from referee.transport.wire.clocks import clock_charge_of
from referee.transport.wire.matches import turn_of

EVERYTHING = TurnOptions(max_legal_moves=5_000, view=True, all_moves=False)


@click.command(cls=PackedCommand)
@record_argument
@click.option("--seat", required=True, metavar="SEAT", help="Number from 0, or the name of its bot.")
@click.option("--ply", type=click.IntRange(0), help="Show only the turns at this ply, in full, as sent.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write an HTML page with a chart.",
)
def explain(record: str, seat: str, ply: int | None, html: Path | None) -> None:
    """Show each turn of a seat, its answer and its clock charge, as a table and a chart.

    Only what the seat could see is shown. RECORD is a file, one of packed records: FILE#MATCH, or the id of a match of
    the server that BOT_REFEREE names.
    """
    history = read_record(record)
    last = history.last
    number = find_seat(last, seat)
    turns = list(seat_turns(history, number))
    if ply is not None:
        _print_turns(turns, ply)
        return
    title = f"{escape_unprintable(last.setup.match_id)}: {last.game.title}, seat {number}"
    facts = [*_facts(last, number), _ending(history, number)]
    for line in (title, *facts, "", turns_table(turns).to_text(), bars_legend(turns)):
        click.echo(line)
    if html:
        write(html, format_page(title, facts, turns))
        click.echo(f"written: {html}")


def read_record(record: str) -> RecordHistory:
    """Read a record. Raises BadParameter if it cannot be read."""
    try:
        with open_named_record(record) as file:
            return read_history(file, find)
    except RecordInvalid as trouble:
        raise click.BadParameter(
            escape_unprintable(str(trouble.verdict)), param_hint=click.format_filename(record)
        ) from None


def find_seat(match: Match, given: str) -> Seat:
    """Return the seat with this number, or the only seat of this bot. Raises BadParameter."""
    seats = range(len(match.players))
    if given.isdecimal() and int(given) in seats:
        return int(given)
    held = [seat for seat in seats if match.players[seat].bot == given]
    if len(held) == 1:
        return held[0]
    names = ", ".join(f"{seat} ({escape_unprintable(match.players[seat].bot)})" for seat in seats)
    raise click.BadParameter(
        f"{given!r} does not name exactly one seat of this match; seats: {names}", param_hint="--seat"
    )


def _facts(match: Match, seat: Seat) -> list[str]:
    who = escape_unprintable(player_text(match, seat))
    others = ", ".join(escape_unprintable(match.players[at].bot) for at in range(len(match.players)) if at != seat)
    return [f"{match.table.seats[seat]} is {who}, against {others}; {seat_control_text(match, seat)}."]


def _ending(history: RecordHistory, seat: Seat) -> str:
    """Return how the match ended."""
    last = record_frames(history, seat)[1][-1]
    return last.text if last.kind == "play_ended" else "The record ends before the end of the match."


def _print_turns(turns: Sequence[SeatTurn], ply: int) -> None:
    found = [turn for turn in turns if turn.due.match.ply == ply]
    if not found:
        plies = ", ".join(sorted({str(turn.due.match.ply) for turn in turns}, key=int))
        raise click.BadParameter(f"this seat had no turn at ply {ply}; it had turns at {plies}", param_hint="--ply")
    for turn in found:
        click.echo(MessageToJson(turn_of(turn.due, EVERYTHING), preserving_proto_field_name=True, ensure_ascii=False))
        click.echo(f"answered: {answer_text(turn)}")
        if isinstance(turn.answer, MoveRejected):
            why = escape_unprintable(turn.answer.sentence)
            click.echo(f"why: {why} ({turn.answer.reason}; {turn.answer.attempts_left} attempts left)")
        if turn.row:
            row = clock_charge_of(turn.row, turn.due.seat, turn.due.match.controls[turn.due.seat])
            click.echo(f"clock charge: {MessageToJson(row, preserving_proto_field_name=True)}")
