"""The program under test, started by the kit or by someone else."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from referee.conformance.clause import ClauseFailed, ClauseNotApplicable
from referee.conformance.protocol_observer import ProtocolObserver
from referee.local.bot_process import BotProcess

TOKEN = "BOT_TOKEN"


class BotProgram(ABC):
    """One bot, which may be restarted."""

    def __init__(self, token: str, patience_s: float, is_checked: bool = True) -> None:
        self._token = token
        self._create_observer = partial(ProtocolObserver, token, patience_s, is_checked)
        self.observer = self._create_observer()
        """Observes the process that runs now or ran last."""

    @abstractmethod
    async def ensure_running(self) -> bool:
        """Start the program unless it is running. Return whether it was started."""

    @abstractmethod
    async def restart_with_token_file(self) -> None:
        """Restart the program with its token in a file instead of the environment. Raises ClauseNotApplicable."""

    @abstractmethod
    async def restart_with(self, **settings: str) -> None:
        """Restart the program with other variables in its environment. Raises ClauseNotApplicable."""

    @abstractmethod
    async def wait_for_exit(self, within_s: float) -> int:
        """Wait for the exit status. Raises ClauseFailed on timeout, ClauseNotApplicable if it cannot be observed."""

    @abstractmethod
    def terminate(self) -> None:
        """Ask the program to exit (SIGTERM). Raises ClauseNotApplicable."""

    @abstractmethod
    def exit_summary(self) -> str:
        """Return the exit status and last lines of output; empty if unknown."""

    @abstractmethod
    async def end(self) -> None: ...


class StartedProgram(BotProgram):
    """A program that the kit starts, and restarts after it has exited."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        patience_s: float,
        is_checked: bool = True,
    ) -> None:
        """Without `is_checked`, only the answers that the caller waits for matter."""
        super().__init__(environment[TOKEN], patience_s, is_checked)
        self._command = command
        self._environment = environment
        self._log_file = folder / "bot.log"
        self._process: BotProcess | None = None

    async def ensure_running(self) -> bool:
        anew = self._process is None or not self._process.is_running
        if anew:
            await self._start({})
        return anew

    async def restart_with_token_file(self) -> None:
        await self.end()
        # Pass it in a pipe as arenas do. A pipe can be read only once, so programs that manage this can read any file.
        await self._start({}, f"{self._token}\n")

    async def restart_with(self, **settings: str) -> None:
        await self.end()
        await self._start(settings)

    async def _start(self, settings: Mapping[str, str], token_in_file: str = "") -> None:
        environment = {**os.environ, **self._environment, **settings}
        if token_in_file:
            del environment[TOKEN]
        self.observer = self._create_observer()
        self._process = await BotProcess.start(
            self._command, environment, Path.cwd(), self._log_file, token=token_in_file
        )

    async def wait_for_exit(self, within_s: float) -> int:
        assert self._process
        try:
            async with asyncio.timeout(within_s):
                await self._process.wait()
        except TimeoutError:
            raise ClauseFailed(f"the program is still running after {within_s:g} s") from None
        assert self._process.status is not None
        return self._process.status

    def terminate(self) -> None:
        assert self._process
        self.observer.is_stopping = True
        self._process.terminate()

    def exit_summary(self) -> str:
        return "" if self._process is None else self._process.exit_summary()

    async def end(self) -> None:
        self.observer.is_stopping = True
        if self._process:
            await self._process.end()


class ExternalProgram(BotProgram):
    """A bot that someone else starts."""

    async def ensure_running(self) -> bool:
        """Assume that it is running."""
        return False

    async def restart_with_token_file(self) -> None:
        raise ClauseNotApplicable("requires a program that the kit starts")

    async def restart_with(self, **settings: str) -> None:
        raise ClauseNotApplicable("requires a program that the kit starts")

    async def wait_for_exit(self, within_s: float) -> int:
        raise ClauseNotApplicable("requires a program that the kit starts")

    def terminate(self) -> None:
        raise ClauseNotApplicable("requires a program that the kit starts")

    def exit_summary(self) -> str:
        return ""

    async def end(self) -> None:
        """Do nothing: the kit did not start it."""
