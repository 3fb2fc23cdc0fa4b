"""What the commands of an administrator have in common: whom they ask, and how they answer."""

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

from referee.cli.calling import calling, referee_options
from referee.cli.table import columns

P = ParamSpec("P")

NONE = "-"

why_option = click.option("--why", required=True, metavar="SENTENCE", help="One sentence, for those it concerns.")


def asking(command: Callable[Concatenate[Organiser, bool, P], None]) -> Callable[P, None]:
    """The command gets a referee to ask, and whether to answer in JSON."""

    @wraps(command)
    def asks(*args: P.args, **given: P.kwargs) -> None:
        at, token, ca, as_json = (given.pop(name) for name in ("at", "token", "ca", "as_json"))
        with calling(_given(at), _given(token), Path(str(ca)) if ca else None) as organiser:
            command(organiser, bool(as_json), *args, **given)

    json_option = click.option("--json", "as_json", is_flag=True, help="Answer in JSON, for programs.")
    return referee_options(json_option(asks))


def plain(message: Message) -> dict[str, Any]:
    """As JSON has it, by the names of the contract."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def say_json(said: object) -> None:
    click.echo(json.dumps(said, indent=2))


def say_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    first, *others = columns([heading, *rows])
    click.echo(click.style(first, bold=True))
    for line in others:
        click.echo(line)


def moment(message: Message, field: str) -> str:
    """To the minute, in UTC; a dash where there is none."""
    if not message.HasField(field):
        return NONE
    timestamp: Timestamp = getattr(message, field)
    return f"{timestamp.ToDatetime():%Y-%m-%d %H:%M}"


def _given(text: object) -> str | None:
    return str(text) if text else None
