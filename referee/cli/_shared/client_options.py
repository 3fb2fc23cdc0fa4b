"""Options of commands that call a running referee, how its errors are shown, and its values as JSON."""

import json
import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Timer
from typing import Any, Concatenate, ParamSpec, TextIO, TypeVar, get_args

import click
from click.core import ParameterSource
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from referee_api.conversion import to_message
from referee_client import Organiser
from referee_client.errors import Misconfigured, RefereeError, Refused
from referee_values import Value

from engines.game_errors import unknown
from referee.cli._shared.game_options import GameCommand
from referee.show.table import Table

P = ParamSpec("P")
Command = TypeVar("Command", bound=Callable[..., object])
V = TypeVar("V", bound=Value)
Row = tuple[str, ...]

PATIENCE_S = 15.0
"""Timeout for connecting to an unavailable referee; `watch` waits longer."""
SILENCE_S = 2.0
TOKENS = {
    "admin": "an administrator's token",
    "invitation": "an organiser's token",
    "bot": "the token of the bot or its owner",
}
"""The tokens that groups of commands need."""


class ClientCommand(GameCommand):
    failures = (RefereeError,)


at_option = click.option(
    "--at", "at", envvar="BOT_REFEREE", show_envvar=True, metavar="HOST:PORT", help="Address of the referee."
)
token_option = click.option(
    "--token",
    envvar="BOT_TOKEN",
    show_envvar=True,
    help="Token. Others on the machine can read it here; prefer the variable or --token-file.",
)
token_file_option = click.option(
    "--token-file",
    type=click.File(encoding="utf-8", errors="replace"),
    help="File that contains the token; - is standard input.  [env var: BOT_TOKEN_FILE]",
)
ca_option = click.option(
    "--ca",
    type=click.Path(path_type=Path),
    envvar="BOT_CA",
    show_envvar=True,
    help="Root certificates to trust. [the system's; no TLS to a referee on this machine]",
)


def address_options(command: Command) -> Command:
    """Add --at and --ca, with their environment variables."""
    return at_option(ca_option(command))


def referee_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add --at, --token, --token-file and --ca, with their environment variables. The command gets `at`, `token`, `ca`.

    `token` is None if neither is given; then the client reads BOT_TOKEN_FILE.
    """

    @wraps(command)
    def with_token(*args: object, token: str | None, token_file: TextIO | None, **given: object) -> None:
        if token_file is not None:
            token = _read_token(token_file)
        command(*args, token=token, **given)

    return at_option(token_option(token_file_option(ca_option(with_token))))


def _read_token(file: TextIO) -> str:
    """Return the token in a file. Raises UsageError if another one is given, or if it is empty, which would be none."""
    if click.get_current_context().get_parameter_source("token") is ParameterSource.COMMANDLINE:
        raise click.UsageError("give either --token or --token-file")
    token = file.read().strip()
    if not token:
        raise click.BadParameter("the file is empty", param_hint="--token-file")
    return token


def organiser_command(
    group: click.Group, name: str | None = None, *, has_json: bool = False, epilog: str | None = None
) -> Callable[[Callable[Concatenate[Organiser, P], None]], click.Command]:
    """Add a command to a group, which gets an organiser client as its first argument, and perhaps `as_json`.

    Its own options come before those that name the referee.
    """

    def add(command: Callable[Concatenate[Organiser, P], None]) -> click.Command:
        own = vars(command).pop("__click_params__", [])
        called = _with_organiser(json_option(command) if has_json else command)
        vars(called)["__click_params__"] += own
        return group.command(name, cls=ClientCommand, epilog=epilog)(called)

    return add


def _with_organiser(command: Callable[Concatenate[Organiser, P], None]) -> Callable[..., None]:

    @wraps(command)
    def with_client(at: str | None, token: str | None, ca: Path | None, *args: P.args, **given: P.kwargs) -> None:
        with open_organiser(at, token, ca) as organiser:
            try:
                command(organiser, *args, **given)
            except Refused as refused:
                if refused.reason != "NO_SUCH_BOT":
                    raise
                names = [bot.name for bot in organiser.bots()]
                raise click.ClickException(unknown("bot", refused.metadata["bot"], names)) from None

    return referee_options(with_client)


@contextmanager
def open_organiser(at: str | None, token: str | None, ca: Path | None) -> Iterator[Organiser]:
    """Open an organiser client, and close it at the end. Raises the errors of the client."""
    try:
        opened = Organiser(at, token, ca=ca, patience_s=PATIENCE_S)
    except Misconfigured as why:
        raise Misconfigured(str(why).replace("the bot's token", _wanted_token())) from None
    with opened as organiser, announced_wait(at):
        yield organiser


def _wanted_token() -> str:
    groups = click.get_current_context().command_path.split()
    return next((TOKENS[group] for group in groups if group in TOKENS), "a token")


@contextmanager
def announced_wait(at: str | None) -> Iterator[None]:
    """Say that the command waits if, after a while, it has not ended and the referee accepts no connection."""
    timer = Timer(SILENCE_S, _announce_wait, (at,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _announce_wait(at: str | None) -> None:
    host, _, port = (at or os.environ["BOT_REFEREE"]).rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SILENCE_S).close()
    except OSError as why:
        click.echo(f"waiting for {host}:{port}, which cannot be reached: {why.strerror or why}", err=True)


why_option = click.option("--why", required=True, metavar="SENTENCE", help="One sentence that the affected users see.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def to_dict(value: Value, kind: type[Message]) -> dict[str, Any]:
    """Convert to a dict with the field names of the contract. `kind`: the message of the value."""
    return MessageToDict(
        to_message(value, kind), preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def print_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2))


def words(literal: object) -> list[str]:
    """Return the words of an enum of the client, without the empty one."""
    return [word for word in get_args(literal) if word]


def print_values(
    values: Iterable[V], message: type[Message], heading: Sequence[str], row: Callable[[V], Row], as_json: bool
) -> None:
    """Print values as a table with these columns, or as JSON, as the `message` of the contract that they are."""
    if as_json:
        print_json([to_dict(value, message) for value in values])
    else:
        click.echo(Table(heading, map(row, values)).to_text())
