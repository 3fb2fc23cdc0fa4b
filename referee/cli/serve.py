"""The server, as a command."""

import asyncio
import json
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version

import click

from referee.cli.choosing import Refusing
from referee.cli.settings import settings_options
from referee.settings.declared import Settings
from referee.settings.reading import InForce
from referee.telemetry.logs import set_up_logs
from referee.telemetry.tracing import TracesUnavailable, Tracing, tracing
from referee.wiring import heap
from referee.wiring.books import CannotStart
from referee.wiring.house import House, Open

LEAVING = (signal.SIGTERM, signal.SIGINT)


@click.command(cls=Refusing)
@settings_options
def serve(in_force: InForce) -> None:
    """Referee matches until SIGTERM, or Ctrl-C.

    What it serves stands on standard output, as one line of JSON where that is no terminal: `grpc`, `http`, and
    at the first start the `admin_token`, or the `admin_token_file` that it was written to. The log goes to standard
    error.
    """
    settings = in_force.settings
    set_up_logs(settings.log_format, settings.log_level, sys.stderr)
    _let_many_come()
    heap.look_seldom()
    try:
        with asyncio.Runner(loop_factory=_fast_loop()) as runner:
            runner.run(_serve(settings))
    except CannotStart as why:
        raise click.ClickException(str(why)) from None


async def _serve(settings: Settings) -> None:
    house = House(settings, _tracing(settings))
    loop = asyncio.get_running_loop()
    for number in LEAVING:
        loop.add_signal_handler(number, house.go)
    opened = await house.open()
    heap.settle()
    click.echo(_told(opened))
    sys.stdout.flush()
    await house.until_it_goes()
    await house.close()


def _tracing(settings: Settings) -> Tracing:
    """Raises CannotStart."""
    try:
        return tracing(settings.traces_to, settings.traces_one_in, version("referee"))
    except TracesUnavailable as why:
        raise CannotStart(str(why)) from None


def _told(opened: Open) -> str:
    facts = {name: text for name, text in asdict(opened).items() if text}
    if not sys.stdout.isatty():
        return json.dumps(facts)
    lines = [f"gRPC on {opened.grpc}, metrics and health on http://{opened.http}; Ctrl-C ends it."]
    if opened.admin_token:
        lines.append(f"The administrator's token, shown this once: {opened.admin_token}")
    if opened.admin_token_file:
        lines.append(f"The administrator's token is in {opened.admin_token_file}")
    return "\n".join(lines)


def _let_many_come() -> None:
    """A connection is an open file; the usual limit would let a thousand silent strangers lock everybody out."""
    import resource  # noqa: PLC0415  # POSIX only, and other commands run elsewhere too.

    _, at_most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (at_most, at_most))


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The loop of uvloop, where that is installed."""
    try:
        import uvloop  # noqa: PLC0415  # It is no more than a wish.
    except ImportError:
        return None
    return uvloop.new_event_loop
