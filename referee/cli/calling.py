"""Calling a referee that runs: where it is, by whose token, and what is said when it says no."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import click
from referee_client import Organiser
from referee_client.errors import RefereeError

from referee.cli.choosing import Refusing

P = ParamSpec("P")
Command = TypeVar("Command", bound=Callable[..., object])

PATIENCE_S = 15.0
"""For how long a referee that is away is waited for; who watches waits longer."""


class Calling(Refusing):
    """A command whose refusals by the referee are one sentence and exit status 1."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except RefereeError as why:
            raise click.ClickException(str(why)) from None


def referee_options(command: Command) -> Command:
    """--at, --token and --ca, or the environment that bots and organisers have."""
    options = (
        click.option("--at", "at", envvar="BOT_REFEREE", show_envvar=True, metavar="HOST:PORT", help="The referee."),
        click.option(
            "--token", envvar="BOT_TOKEN", show_envvar=True, help="Who calls. Better left to the environment."
        ),
        click.option(
            "--ca",
            type=click.Path(path_type=Path),
            envvar="BOT_CA",
            show_envvar=True,
            help="Roots to trust. [the system's; a referee on this machine is spoken to without TLS]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def asking(command: Callable[Concatenate[Organiser, P], None]) -> Callable[..., None]:
    """The command gets a referee to ask, as its first argument, in place of where that is."""

    @wraps(command)
    def asks(at: str | None, token: str | None, ca: Path | None, *args: P.args, **given: P.kwargs) -> None:
        with calling(at, token, ca) as organiser:
            command(organiser, *args, **given)

    return referee_options(asks)


@contextmanager
def calling(at: str | None, token: str | None, ca: Path | None) -> Iterator[Organiser]:
    """Raises Misconfigured, and what an organiser raises."""
    with Organiser(at, token, ca=ca, patience_s=PATIENCE_S) as organiser:
        yield organiser
