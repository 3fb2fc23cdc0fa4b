"""Matches and the entries of their logs as tables, lines or JSON."""

from collections.abc import Iterable

import click
from referee_api.v1 import match_pb2
from referee_client.results import outcome, reason, scores
from referee_values import Entry, Forfeit, Match

from referee.cli._shared.account_tables import NONE, time_of
from referee.cli._shared.client_options import print_json, to_dict
from referee.show.formatting import plain
from referee.show.table import Table
from referee.show.value_conversion import type_text

EVENTS: dict[type, str] = {Match: "match created", Forfeit: "seat forfeited"}
"""Events that are not named like their type."""


def print_matches(matches: Iterable[Match], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(match, match_pb2.Match) for match in matches])
    else:
        heading = ("match", "game", "bots", "created", "phase", "result")
        click.echo(Table(heading, [*map(_match_row, matches)]).to_text())


def _match_row(match: Match) -> tuple[str, ...]:
    bots = ", ".join(seat.bot or NONE for seat in match.seats)
    return match.id, match.terms.rules.game, bots, time_of(match.create_time), match.phase, result_text(match)


def result_text(match: Match) -> str:
    """Format as `played, resignation, 1, 0`; a dash if there is no result yet."""
    result = match.result
    if not result:
        return NONE
    return ", ".join([outcome(result), plain(reason(result)), *(f"{score:g}" for score in scores(result))])


def entry_text(entry: Entry) -> str:
    """Format an entry as one line: what happened, to which seat, by which move."""
    event = entry.event
    if event is None:
        return f"{entry.number:6}  hidden"
    seat = f"seat {event.seat}" if hasattr(event, "seat") else ""
    move = getattr(event, "move", "")
    return f"{entry.number:6}  {' '.join(filter(None, (EVENTS.get(type(event)) or type_text(event), seat, move)))}"
