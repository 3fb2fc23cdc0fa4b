"""`referee site`: the web site of a running referee."""

import asyncio
import json
import signal
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

import click
from referee_client.address import Address, address

from referee.cli._shared.client_options import ClientCommand, referee_options
from referee.observability.logs import LogFormat, LogLevel, set_up_logs
from referee.server.setting_types import LISTEN, InvalidSetting

BACKLOG = 1_024
PACKAGES = ("hypercorn", "starlette")


@click.command(cls=ClientCommand)
@referee_options
@click.option(
    "--listen",
    default="127.0.0.1:7790",
    show_default=True,
    metavar="HOST:PORT",
    help="Address of the site; port 0 is any free port.",
)
@click.option(
    "--shown-address", metavar="HOST:PORT", help="Address where bots connect, as the page for them says. [that of --at]"
)
def site(at: str | None, token: str | None, ca: Path | None, listen: str, shown_address: str | None) -> None:
    """Serve a web site about a referee until SIGTERM or Ctrl-C: live matches, replays, ladders and tournaments.

    It needs a token of a spectator, and shows what that can see. Prints its address to standard output, as one line of
    JSON unless that is a terminal.
    """
    if any(find_spec(package) is None for package in PACKAGES):
        raise click.ClickException("the site needs more packages: pip install 'referee[site]'")
    set_up_logs(LogFormat.AUTO, LogLevel.INFO, sys.stderr)
    try:
        where = LISTEN.read(listen)
    except InvalidSetting as why:
        raise click.BadParameter(str(why), param_hint="--listen") from None
    try:
        family = socket.AF_INET6 if ":" in where.host else socket.AF_INET
        opened = socket.create_server((where.host, where.port), family=family, backlog=BACKLOG)
    except OSError as why:
        raise click.ClickException(f"cannot listen on {listen}: {why.strerror}") from None
    with opened:
        asyncio.run(_serve(address(at, token, ca), opened, shown_address))


async def _serve(referee: Address, opened: socket.socket, shown_address: str | None) -> None:
    from referee.spectator.site_server import serve_site  # noqa: PLC0415  # Its packages are an extra.

    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    host, port = opened.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def print_ready() -> None:
        click.echo(f"The site is at {url}; Ctrl-C stops it." if sys.stdout.isatty() else json.dumps({"site": url}))
        sys.stdout.flush()

    await serve_site(referee, opened, shown_address or referee.target, stop, print_ready)
