"""Options and output that the administrator's commands share."""

import json
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

import click
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from referee_client import Organiser

from referee.cli._shared.client_options import open_organiser, referee_options
from referee.cli._shared.table import columns

P = ParamSpec("P")

NONE = "-"

why_option = click.option("--why", required=True, metavar="SENTENCE", help="One sentence that the affected users see.")


def with_organiser(command: Callable[Concatenate[Organiser, bool, P], None]) -> Callable[P, None]:
    """Pass an organiser client and the --json flag to the command."""

    @wraps(command)
    def with_client(*args: P.args, **given: P.kwargs) -> None:
        at, token, ca, as_json = (given.pop(name) for name in ("at", "token", "ca", "as_json"))
        with open_organiser(_given(at), _given(token), Path(str(ca)) if ca else None) as organiser:
            command(organiser, bool(as_json), *args, **given)

    json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    return referee_options(json_option(with_client))


def to_dict(message: Message) -> dict[str, Any]:
    """Convert to a dict with the field names of the contract."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def print_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2))


def print_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    first, *others = columns([heading, *rows])
    click.echo(click.style(first, bold=True))
    for line in others:
        click.echo(line)


def moment(message: Message, field: str) -> str:
    """Format a timestamp field to the minute in UTC; a dash if it is not set."""
    if not message.HasField(field):
        return NONE
    timestamp: Timestamp = getattr(message, field)
    return f"{timestamp.ToDatetime():%Y-%m-%d %H:%M}"


def _given(text: object) -> str | None:
    return str(text) if text else None
