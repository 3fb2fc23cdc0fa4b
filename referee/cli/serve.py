"""`referee serve`: run the server."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import click
import structlog

from referee.cli._shared.game_options import GameCommand
from referee.cli.settings import settings_options
from referee.observability.logs import set_up_logs
from referee.server.settings import Settings
from referee.server.settings_reader import LoadedSettings

if TYPE_CHECKING:
    from referee.observability.tracing import Tracing
    from referee.server.referee_server import RefereeServer, ServerInfo

START_RETRY_S = 0.5
SHUTDOWN_SIGNALS = (signal.SIGTERM, signal.SIGINT)
WITHOUT_EVENT_ENGINE = {"GRPC_EXPERIMENTS": "-event_engine_listener"}


@click.command(cls=GameCommand)
@settings_options
def serve(in_force: LoadedSettings) -> None:
    """Run the server until SIGTERM or Ctrl-C.

    Prints its addresses to standard output, as one line of JSON unless that is a terminal: `grpc`, `http`, and at the
    first start the `admin_token`, or the `admin_token_file` that it was written to. The log goes to standard error.
    """
    settings = in_force.settings
    set_up_logs(settings.log_format, settings.log_level, sys.stderr)
    _raise_open_files_limit()
    if not settings.grpc_event_engine:
        os.environ |= {**WITHOUT_EVENT_ENGINE, **os.environ}
    # Not before: gRPC reads its environment when it is imported.
    from referee.server.garbage_collection import frozen_survivors  # noqa: PLC0415
    from referee.server.stores import StartupError  # noqa: PLC0415

    try:
        with asyncio.Runner(loop_factory=_uvloop_factory()) as runner, frozen_survivors(runner.get_loop()):
            runner.run(_serve(settings))
    except StartupError as why:
        raise click.ClickException(str(why)) from None


async def _serve(settings: Settings) -> None:
    from referee.server.referee_server import RefereeServer  # noqa: PLC0415
    from referee.server.setting_types import LISTEN  # noqa: PLC0415

    stop = asyncio.Event()
    for number in SHUTDOWN_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    first = RefereeServer(settings, _tracing(settings))
    opened = await first.open()
    click.echo(_startup_message(opened))
    sys.stdout.flush()
    # The same ports in each start, or nobody would find the node.
    settings = replace(settings, listen=LISTEN.read(opened.grpc), http_listen=LISTEN.read(opened.http))
    server: RefereeServer | None = first
    while server is not None:
        await _run(server, stop)
        if server.failure:  # A supervisor that restarts failed servers must see it as one.
            raise click.ClickException(server.failure)
        server = await _start_again(settings, stop) if server.restarts else None


async def _run(server: "RefereeServer", stop: asyncio.Event) -> None:
    """Run a server until `stop` is set, or until it ends by itself."""
    stopping = asyncio.create_task(stop.wait())
    stopping.add_done_callback(lambda _: server.shutdown() if stop.is_set() else None)
    await server.wait_for_shutdown()
    stopping.cancel()
    await server.close()


async def _start_again(settings: Settings, stop: asyncio.Event) -> "RefereeServer | None":
    """Return a server that runs in place of one that has ended, as soon as it can start; None: `stop` was set."""
    from referee.server.referee_server import RefereeServer  # noqa: PLC0415
    from referee.server.stores import StartupError  # noqa: PLC0415

    while not stop.is_set():
        try:
            server = RefereeServer(settings, _tracing(settings))
            await server.open()
        except StartupError as why:
            structlog.get_logger("referee").warning("the server cannot start again yet", reason=str(why))
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), START_RETRY_S)
        else:
            return server
    return None


def _tracing(settings: Settings) -> "Tracing":
    """Raises StartupError."""
    from referee.observability.tracing import TracesUnavailable, create_tracing  # noqa: PLC0415
    from referee.server.stores import StartupError  # noqa: PLC0415

    try:
        return create_tracing(settings.traces_to, settings.traces_one_in, version("referee"))
    except TracesUnavailable as why:
        raise StartupError(str(why)) from None


def _startup_message(opened: "ServerInfo") -> str:
    facts = {name: text for name, text in asdict(opened).items() if text}
    if not sys.stdout.isatty():
        return json.dumps(facts)
    lines = [f"gRPC on {opened.grpc}, metrics and health on http://{opened.http}; Ctrl-C stops it."]
    if opened.admin_token:
        lines.append(f"Administrator's token, shown only once: {opened.admin_token}")
    if opened.admin_token_file:
        lines.append(f"The administrator's token is in {opened.admin_token_file}")
    return "\n".join(lines)


def _raise_open_files_limit() -> None:
    """Raise the soft limit of open files to the hard one, since each connection is an open file."""
    import resource  # noqa: PLC0415  # POSIX only, and other commands also run elsewhere.

    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def _uvloop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop factory if it is installed."""
    try:
        import uvloop  # noqa: PLC0415  # Optional.
    except ImportError:
        return None
    return uvloop.new_event_loop
