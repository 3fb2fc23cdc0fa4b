"""Matches and the entries of their logs as tables, lines or JSON."""

from collections.abc import Iterable

import click
from referee_api.conversion import to_message
from referee_api.v1 import entry_pb2, match_pb2
from referee_values import Entry, Match

from referee.cli._shared.account_tables import NONE, time_of
from referee.cli._shared.client_options import print_json, to_dict
from referee.show import words
from referee.show.formatting import plain
from referee.show.table import Table


def print_matches(matches: Iterable[Match], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(match, match_pb2.Match) for match in matches])
    else:
        columns = ("match", "game", "bots", "created", "phase", "result")
        click.echo(Table(columns, map(_match_row, matches)).to_text())


def _match_row(match: Match) -> tuple[str, ...]:
    message = to_message(match, match_pb2.Match)
    bots = ", ".join(seat.bot or NONE for seat in match.seats)
    result = words.result_text(message, message.result) or NONE
    return match.id, match.terms.rules.game, bots, time_of(match.create_time), match.phase, result


def entry_line(match: match_pb2.Match, entry: Entry) -> str:
    """Format an entry of a match as one line."""
    message = to_message(entry, entry_pb2.Entry)
    text = words.entry_text(match, message) or plain(message.WhichOneof("event") or "hidden")
    return f"{entry.number:6}  {text}"
