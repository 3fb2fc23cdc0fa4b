"""`referee site`: the web site of a running referee."""

import asyncio
import json
import socket
import sys
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import TypeAlias, TypeVar

import click
from referee_client.address import Address, address

from referee.cli._shared.client_options import ClientCommand, referee_options
from referee.cli._shared.signals import on_end_of_input, on_stop_signals
from referee.observability.logs import LogFormat, LogLevel, set_up_logs
from referee.server.setting_types import HOST_NAMES, LISTEN, NETWORKS, SettingType
from referee.server.site_process import CERT_FLAG, CHILD_FLAG, PLAINTEXT_FLAG, SiteUnavailable, open_socket
from referee.site.join_page import BotsAddress, authorities_in

T = TypeVar("T")
Served: TypeAlias = tuple[tuple[str, ...], tuple[IPv4Network | IPv6Network, ...]]
"""Names and proxies of the site."""


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
    "--bots-address", metavar="HOST:PORT", help="Address where bots connect, as the site tells visitors. [that of --at]"
)
@click.option(
    "--names", default="", metavar="NAMES", help="Host names by which visitors reach it, with commas. [only addresses]"
)
@click.option(
    "--proxies",
    default="",
    metavar="NETWORKS",
    help="Proxies, with commas: of their requests, the last other address in X-Forwarded-For is the visitor's. [none]",
)
@click.option(CHILD_FLAG, "inherited", type=int, hidden=True)
@click.option(CERT_FLAG, "cert", type=click.Path(path_type=Path), hidden=True)
@click.option(PLAINTEXT_FLAG, "plaintext", is_flag=True, hidden=True)
def site(
    at: str | None,
    token: str | None,
    ca: Path | None,
    listen: str,
    bots_address: str | None,
    names: str,
    proxies: str,
    inherited: int | None,
    cert: Path | None,
    plaintext: bool,
) -> None:
    """Serve a web site about a referee until SIGTERM or Ctrl-C: live matches, replays, ladders and tournaments.

    It needs the token of a spectator (an empty one where the public may read), and shows what that can see. Prints its
    address to standard output, as one line of JSON unless that is a terminal. `referee serve --site-listen` runs the
    same beside the server.
    """
    set_up_logs(LogFormat.AUTO, LogLevel.INFO, sys.stderr)
    served = _read(HOST_NAMES, names, "--names"), _read(NETWORKS, proxies, "--proxies")
    if inherited is not None:
        referee = Address(at or "", sys.stdin.readline().strip(), plaintext=True)
        opened = socket.socket(fileno=inherited)
        target = bots_address or ""
    else:
        referee = address(at, token, ca)
        opened = _open_socket(listen)
        target, plaintext = bots_address or referee.target, not referee.tls
    with opened:
        bots = BotsAddress(target, plaintext, _authorities(referee, cert))
        asyncio.run(_serve(referee, opened, bots, served, is_child=inherited is not None))


def _authorities(referee: Address, cert: Path | None) -> bytes:
    """Return the certificate authorities that visitors need, from the server's own certificate, or as given here."""
    if cert:
        return authorities_in(cert)
    return Path(referee.ca).read_bytes() if referee.ca else b""


def _open_socket(listen: str) -> socket.socket:
    try:
        return open_socket(_read(LISTEN, listen, "--listen"))
    except SiteUnavailable as why:
        raise click.ClickException(str(why)) from None


def _read(kind: SettingType[T], text: str, option: str) -> T:
    try:
        return kind.read(text)
    except ValueError:
        raise click.BadParameter(f"expected {kind.takes}", param_hint=option) from None


async def _serve(referee: Address, opened: socket.socket, bots: BotsAddress, served: Served, *, is_child: bool) -> None:
    # Its packages are an extra.
    from referee.site.site_server import serve_site  # noqa: PLC0415
    from referee.site.visitors import SiteAccess  # noqa: PLC0415

    names, proxies = served
    stop = asyncio.Event()
    on_stop_signals(stop.set)
    if is_child:
        on_end_of_input(stop.set)
    host, port = opened.getsockname()[:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def print_ready() -> None:
        click.echo(f"The site is at {url}; Ctrl-C stops it." if sys.stdout.isatty() else json.dumps({"site": url}))
        sys.stdout.flush()

    await serve_site(referee, opened, bots, stop, print_ready, SiteAccess(frozenset(names), proxies))
