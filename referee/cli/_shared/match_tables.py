"""Matches and the entries of their logs as tables, lines or JSON."""

from collections.abc import Iterable

import click
from referee_api.v1 import entry_pb2, match_pb2
from referee_client.matches import result_in
from referee_client.organiser.standing import phase_in

from referee.cli._shared.account_tables import NONE, time_of
from referee.cli._shared.client_options import print_json, to_dict
from referee.cli._shared.output import text_table
from referee.reporting.formatting import plain


def print_matches(matches: Iterable[match_pb2.Match], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(match) for match in matches])
    else:
        heading = ("match", "game", "bots", "created", "phase", "result")
        click.echo(text_table(heading, [*map(_match_row, matches)]))


def _match_row(match: match_pb2.Match) -> tuple[str, ...]:
    bots = ", ".join(seat.bot or NONE for seat in match.seats)
    return match.id, match.terms.rules.game, bots, time_of(match, "create_time"), phase_in(match), result_text(match)


def result_text(match: match_pb2.Match) -> str:
    """Format as `played, resignation, 1, 0`; a dash if there is no result yet."""
    if not match.HasField("result"):
        return NONE
    result = result_in(match.result)
    return ", ".join([result.kind, plain(result.reason), *(f"{score:g}" for score in result.scores)])


def entry_text(entry: entry_pb2.Entry) -> str:
    """Format an entry as one line: what happened, to which seat, by which move."""
    kind = entry.WhichOneof("event")
    if kind is None:
        return f"{entry.number:6}  hidden"
    event = getattr(entry, kind)
    fields = event.DESCRIPTOR.fields_by_name
    seat = f"seat {event.seat}" if "seat" in fields else ""
    move = event.move if "move" in fields else ""
    return f"{entry.number:6}  {' '.join(filter(None, (plain(kind), seat, move)))}"
