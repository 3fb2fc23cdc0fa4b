"""Requests to one engine, one at a time, from any thread.

The engine is started by the first request. If it ends, another one is started and the request is repeated once, since
requests depend on nothing but their content. An engine that is too slow or does not follow the protocol is killed.
"""

import atexit
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from engines.api import Json
from engines.external.engine_connection import (
    BrokenEngine,
    EngineConnection,
    EngineEnded,
    EngineLimits,
    EngineProcess,
    EngineSocket,
)
from engines.game_errors import shortened

T = TypeVar("T")


class ExternalGameFault(Exception):
    """An engine has failed. `str()` is one line: game, request, what is wrong, and the end of standard error."""

    def __init__(self, game: str, ask: str, wrong: str, request: str = "", errors: str = "") -> None:
        parts = [f"{game}: {ask}: {wrong}"]
        parts += [f"request: {request}"] if request else []
        parts += [f"standard error: {' | '.join(errors.splitlines())}"] if errors else []
        super().__init__("; ".join(parts))


@dataclass(frozen=True)
class Declaration:
    """An engine as the host declares it: the name of the game, and a command or an address."""

    name: str
    command: tuple[str, ...] = ()
    address: str = ""
    """HOST:PORT or unix:PATH of an engine that somebody else runs; empty: the command is run."""
    folder: str = "."
    """Where the command is run."""
    limits: EngineLimits = field(default=EngineLimits())


class EngineClient:
    """All requests of this process to one engine."""

    def __init__(self, declaration: Declaration) -> None:
        self.declaration = declaration
        self.limits = declaration.limits
        self._lock = threading.Lock()
        self._connection: EngineConnection | None = None
        self._asked = 0
        if hasattr(os, "register_at_fork"):  # Windows has no fork.
            os.register_at_fork(after_in_child=self._forget)
        atexit.register(self.close)

    def ask(self, ask: str, content: Mapping[str, Json], read: Callable[[bytes, int], T]) -> T:
        """Return what `read` makes of the answer to a request, given the line and the id of the request.

        Raises ExternalGameFault if the engine fails, or if `read` raises BrokenEngine; also what `read` raises else.
        """
        with self._lock:
            self._asked += 1
            line = json.dumps({"id": self._asked, "ask": ask, **content}, separators=(",", ":"))
            try:
                answer = self._answer(line.encode() + b"\n")
                return read(answer, self._asked)
            except (BrokenEngine, EngineEnded) as error:
                ending = isinstance(error, EngineEnded)
                ended, errors = self._end(ending)
                wrong = f"{error} ({ended})" if ended and ending else str(error)
                raise self.fault(ask, wrong, _abridged(line), errors) from None

    def fault(self, ask: str, wrong: str, request: str = "", errors: str = "") -> ExternalGameFault:
        return ExternalGameFault(self.declaration.name, ask, wrong, request, errors)

    def close(self) -> None:
        """End the engine. The next request starts another one."""
        with self._lock:
            self._end()

    def _answer(self, line: bytes) -> bytes:
        try:
            return self._exchange(line)
        except EngineEnded:
            if self._connection is None:  # It cannot be started.
                raise
        self._end(ending=True)
        return self._exchange(line)

    def _exchange(self, line: bytes) -> bytes:
        connection, limits = self._connection, self.limits
        if connection:
            return connection.exchange(line, limits.max_request_ms / 1000)
        self._connection = connection = self._connect()
        return connection.exchange(line, max(limits.max_start_ms, limits.max_request_ms) / 1000)

    def _connect(self) -> EngineConnection:
        declared, limits = self.declaration, self.limits
        if declared.address:
            return EngineSocket(declared.address, limits.max_start_ms / 1000)
        return EngineProcess(declared.command, declared.folder, limits.max_memory_mb)

    def _end(self, ending: bool = False) -> tuple[str, str]:
        """End the engine; see `EngineConnection.close`."""
        connection, self._connection = self._connection, None
        return connection.close(ending) if connection else ("", "")

    def _forget(self) -> None:
        """Leave the connection to the parent, in a child that was forked."""
        if self._connection:
            self._connection.close_files()
        self._connection, self._lock = None, threading.Lock()


def _abridged(request: str) -> str:
    return ascii(shortened(request))[1:-1]
