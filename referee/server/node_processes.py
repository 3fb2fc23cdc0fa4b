"""Several nodes on this machine, each in a process of its own, that share one port for bots.

This process serves nothing and holds no connection. It reserves the ports, starts the nodes, starts a node again that
has failed, and ends when all of them have ended. It imports no grpc, so that each node can configure its own.
"""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from typing import Any, TypeVar

import structlog

from referee.server.setting_types import LISTEN, Address
from referee.server.settings import Settings
from referee.server.settings_reader import settings_environment

T = TypeVar("T")

RESTART_PAUSE_S = 1.0
OWN_LISTEN_FLAG = "--own-listen"
"""Hidden flag of `referee serve`, with the address at which only other nodes call this one."""

StartupMessage = dict[str, Any]
"""What `referee serve` prints when it is ready."""

log = structlog.get_logger("referee")


class PortUnavailable(Exception):
    """A port cannot be reserved. `str()` is one sentence."""


class PortReservation:
    """Keeps a port for processes that this one starts."""

    def __init__(self, address: Address) -> None:
        """Raises PortUnavailable, also if another program uses the port or has reserved it."""
        try:
            family, kind, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as reserved:
                _bind(reserved, where)
                self.address = replace(address, port=reserved.getsockname()[1])
                self._socket = reserved.dup()  # The file that stays open if nothing has failed.
        except OSError as error:
            why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
            raise PortUnavailable(f"cannot listen on {address}: {why}") from None

    def close(self) -> None:
        self._socket.close()


def _bind(reserved: socket.socket, where: Any) -> None:
    """Bind without listening, so that connections go only to sockets of the nodes."""
    # Allows connections of an earlier server that are not quite closed yet (TIME_WAIT), while it binds.
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(where)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
    # Only now: binding must fail if others share the port already.
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)


class NodeProcess:
    """One node. It drains and ends when its standard input ends, thus also if this process is killed."""

    def __init__(self, settings: Settings, own_listen: Address) -> None:
        """`own_listen`: where other nodes call this one; bots use `listen` of the settings, which it shares."""
        self._settings = settings
        self._own_listen = own_listen
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        # A process group of its own: Ctrl-C reaches this process only, which then tells each node once.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "referee", "serve", OWN_LISTEN_FLAG, str(self._own_listen)],
            env=settings_environment(self._settings),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,
        )

    def wait_until_ready(self) -> StartupMessage | None:
        """Return its startup message; None: it has ended before, and has printed why."""
        assert self._process
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            return None
        message: StartupMessage = json.loads(line)
        # The same port in each start, or nobody would find its metrics.
        self._settings = replace(self._settings, http_listen=LISTEN.read(message["http"]))
        return message

    def wait(self) -> int:
        """Wait until it has ended, and return its exit status; 0 if it was never started."""
        if not self._process:
            return 0
        with self._process as process:
            status = process.wait()
        # A signal before its handler was set. Otherwise as a shell reports signals.
        return 0 if status == -signal.SIGTERM else 128 - status if status < 0 else status

    def terminate(self) -> None:
        """Let it drain and end. Calling it again is harmless."""
        if self._process:
            self._process.terminate()

    def __str__(self) -> str:
        return str(self._settings.advertise)


class NodeProcesses:
    """All nodes of one command."""

    def __init__(self, settings: Settings) -> None:
        """Reserve the ports until `run` ends. Raises PortUnavailable."""
        with ExitStack() as reservations:
            shared, *own = (
                reservations.enter_context(closing(PortReservation(following(settings.listen, distance)))).address
                for distance in range(1 + settings.processes)
            )
            self._reservations = reservations.pop_all()
        self._nodes = [
            NodeProcess(_node_settings(settings, shared, address, number), address)
            for number, address in enumerate(own)
        ]
        self._stopping = asyncio.Event()
        self._threads = ThreadPoolExecutor(len(self._nodes))

    def stop(self) -> None:
        """Let all nodes drain and end. Calling it again is harmless."""
        self._stopping.set()
        for node in self._nodes:
            node.terminate()

    async def run(self, started: Callable[[Sequence[StartupMessage]], None]) -> int:
        """Run the nodes until they have ended, and return 0, or the status of one that failed in its first start.

        `started` is called with what the nodes have printed that are ready: all of them, unless one has failed.
        """
        with self._reservations:
            # Alone: it may have to create the tables, the signing key and the administrator's token.
            opened = [await self._start(self._nodes[0])]
            if opened[0]:
                opened += await asyncio.gather(*map(self._start, self._nodes[1:]))
            messages = [message for message in opened if message]
            started(messages)
            if len(messages) < len(self._nodes):
                self.stop()
            return max(await asyncio.gather(*map(self._keep, self._nodes)))

    async def _start(self, node: NodeProcess) -> StartupMessage | None:
        """Return its startup message; None: it has failed, or all nodes are told to end."""
        if self._stopping.is_set():
            return None
        node.start()
        return await self._in_thread(node.wait_until_ready)

    async def _keep(self, node: NodeProcess) -> int:
        """Start a node again whenever it fails, until all end; return its last exit status."""
        while True:
            status = await self._in_thread(node.wait)
            if not status:
                self.stop()  # An administrator has drained it, and the whole server is meant.
            if self._stopping.is_set():
                return status
            log.error("node process failed", node_address=str(node), status=status)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), RESTART_PAUSE_S)
            if self._stopping.is_set():
                return 0
            if await self._start(node):
                log.info("node process started again", node_address=str(node))

    async def _in_thread(self, block: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, block)


def _node_settings(settings: Settings, shared: Address, own: Address, number: int) -> Settings:
    return replace(
        settings,
        processes=1,
        listen=shared,
        http_listen=following(settings.http_listen, number),
        advertise=replace(settings.advertise or own, port=own.port),
        site_listen=None if number else settings.site_listen,
    )


def following(address: Address, distance: int) -> Address:
    """Return the address with a port after that of `address`, or with any free one if it has any free one."""
    return replace(address, port=address.port + distance) if address.port else address
