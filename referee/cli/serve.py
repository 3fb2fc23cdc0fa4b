"""`referee serve`: run the server."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import click
import structlog

from referee.cli._shared.game_options import GameCommand
from referee.cli._shared.signals import on_end_of_input, on_stop_signals
from referee.cli.settings import settings_options
from referee.observability.logs import set_up_logs
from referee.server.node_processes import OWN_LISTEN_FLAG, NodeProcesses, PortUnavailable, StartupMessage
from referee.server.open_files import raise_open_files_limit
from referee.server.setting_types import LISTEN, Address
from referee.server.settings import Settings
from referee.server.settings_reader import LoadedSettings

if TYPE_CHECKING:
    from referee.observability.tracing import Tracing
    from referee.server.referee_server import RefereeServer

START_RETRY_S = 0.5
WITHOUT_EVENT_ENGINE = {"GRPC_EXPERIMENTS": "-event_engine_listener"}


@click.command(cls=GameCommand)
@click.option(OWN_LISTEN_FLAG, hidden=True)
@settings_options
def serve(in_force: LoadedSettings, own_listen: str | None) -> None:
    """Run the server until SIGTERM or Ctrl-C.

    Prints its addresses to standard output, as one line of JSON unless that is a terminal: `grpc`, `http`, `site` if
    there is one, and at the first start the `admin_token`, or the `admin_token_file` that it was written to. The log
    goes to standard error. With --processes, `http` is the list of the addresses of all nodes.
    """
    settings = in_force.settings
    set_up_logs(settings.log_format, settings.log_level, sys.stderr)
    raise_open_files_limit()
    if settings.processes > 1:
        sys.exit(asyncio.run(_serve_processes(settings)))
    if not settings.grpc_event_engine:
        os.environ |= {**WITHOUT_EVENT_ENGINE, **os.environ}
    # Not before: gRPC reads its environment when it is imported.
    from referee.server.garbage_collection import frozen_survivors  # noqa: PLC0415
    from referee.server.stores import StartupError  # noqa: PLC0415

    try:
        with asyncio.Runner(loop_factory=_uvloop_factory()) as runner, frozen_survivors(runner.get_loop()):
            runner.run(_serve(settings, LISTEN.read(own_listen) if own_listen else None))
    except StartupError as why:
        raise click.ClickException(str(why)) from None


async def _serve_processes(settings: Settings) -> int:
    """Run several nodes; return the exit status."""
    try:
        nodes = NodeProcesses(settings)
    except PortUnavailable as why:
        raise click.ClickException(str(why)) from None
    on_stop_signals(nodes.stop)
    return await nodes.run(lambda messages: _print_startup_of_all(messages, settings.processes))


def _print_startup_of_all(messages: Sequence[StartupMessage], processes: int) -> None:
    """Print their addresses if all are ready; otherwise the administrator's token, which is not created again."""
    if len(messages) == processes:
        _print_startup({**messages[0], "http": [message["http"] for message in messages]})
    elif messages and "admin_token" in messages[0]:
        _print_startup({"admin_token": messages[0]["admin_token"]})


async def _serve(settings: Settings, own_listen: Address | None) -> None:
    stop = asyncio.Event()
    on_stop_signals(stop.set)
    if own_listen:
        structlog.contextvars.bind_contextvars(node_address=str(settings.advertise))
        on_end_of_input(stop.set)
    first = _create_server(settings, own_listen)
    opened = await first.open()
    _print_startup({name: text for name, text in asdict(opened).items() if text})
    # The same ports in each start, or nobody would find the node.
    settings = replace(settings, listen=LISTEN.read(opened.grpc), http_listen=LISTEN.read(opened.http))
    if opened.site:
        settings = replace(settings, site_listen=LISTEN.read(opened.site))
    server: RefereeServer | None = first
    while server is not None:
        await _run(server, stop)
        if server.failure:  # A supervisor that restarts failed servers must see it as one.
            raise click.ClickException(server.failure)
        server = await _start_again(settings, own_listen, stop) if server.restarts else None


async def _run(server: "RefereeServer", stop: asyncio.Event) -> None:
    """Run a server until `stop` is set, or until it ends by itself."""
    stopping = asyncio.create_task(stop.wait())
    stopping.add_done_callback(lambda _: server.shutdown() if stop.is_set() else None)
    await server.wait_for_shutdown()
    stopping.cancel()
    await server.close()


async def _start_again(settings: Settings, own_listen: Address | None, stop: asyncio.Event) -> "RefereeServer | None":
    """Return a server that runs in place of one that has ended, as soon as it can start; None: `stop` was set."""
    from referee.server.stores import StartupError  # noqa: PLC0415

    while not stop.is_set():
        try:
            server = _create_server(settings, own_listen)
            await server.open()
        except StartupError as why:
            structlog.get_logger("referee").warning("the server cannot start again yet", reason=str(why))
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), START_RETRY_S)
        else:
            return server
    return None


def _create_server(settings: Settings, own_listen: Address | None) -> "RefereeServer":
    """Raises StartupError."""
    from referee.server.edge_process import find_program  # noqa: PLC0415
    from referee.server.referee_server import RefereeServer  # noqa: PLC0415

    edge_program = find_program(settings.edge)
    return RefereeServer(settings, _tracing(settings), own_listen=own_listen, edge_program=edge_program)


def _tracing(settings: Settings) -> "Tracing":
    """Raises StartupError."""
    from referee.observability.tracing import TracesUnavailable, create_tracing  # noqa: PLC0415
    from referee.server.stores import StartupError  # noqa: PLC0415

    try:
        return create_tracing(settings.traces_to, settings.traces_one_in, version("referee"))
    except TracesUnavailable as why:
        raise StartupError(str(why)) from None


def _print_startup(message: StartupMessage) -> None:
    click.echo("\n".join(_startup_lines(message)) if sys.stdout.isatty() else json.dumps(message))
    sys.stdout.flush()


def _startup_lines(message: StartupMessage) -> list[str]:
    lines = []
    if "grpc" in message:
        http = message["http"]
        pages = ", ".join(f"http://{address}" for address in ([http] if isinstance(http, str) else http))
        lines.append(f"gRPC on {message['grpc']}, metrics and health on {pages}; Ctrl-C stops it.")
    if "site" in message:
        lines.append(f"The site is at http://{message['site']}")
    if "admin_token" in message:
        lines.append(f"Administrator's token, shown only once: {message['admin_token']}")
    if "admin_token_file" in message:
        lines.append(f"The administrator's token is in {message['admin_token_file']}")
    return lines


def _uvloop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return uvloop's loop factory if it is installed."""
    try:
        import uvloop  # noqa: PLC0415  # Optional.
    except ImportError:
        return None
    return uvloop.new_event_loop
