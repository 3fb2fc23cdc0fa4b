"""The program that is tried: started by the kit, or by somebody else."""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.arena.process import BotProcess
from referee.conformance.failed import Failed, NotForThisBot

TOKEN = "BOT_TOKEN"


class Program(ABC):
    """One bot, again and again."""

    @abstractmethod
    async def begins(self) -> bool:
        """Start it where it does not run, as far as that can be done from here. Was it started anew?"""

    @abstractmethod
    async def begin_with_token_file(self) -> str:
        """End it, and start it with its token in a file instead of its environment. Return the token.

        Raises NotForThisBot.
        """

    @abstractmethod
    async def exits(self, within_s: float) -> int:
        """Its exit status. Raises Failed if it does not end, NotForThisBot if that cannot be seen from here."""

    @abstractmethod
    def ask_to_go(self) -> None:
        """Raises NotForThisBot."""

    @abstractmethod
    def last_words(self) -> str:
        """How it goes or went, and the last lines that it wrote, as far as that can be seen from here."""

    @abstractmethod
    async def end(self) -> None: ...


class Command(Program):
    """A program that the kit starts, and starts anew where it has ended."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self._command = command
        self._environment = environment
        self._said = folder / "bot.log"
        self._process: BotProcess | None = None

    async def begins(self) -> bool:
        anew = self._process is None or not self._process.runs
        if anew:
            self._process = await BotProcess.start(
                self._command, {**os.environ, **self._environment}, Path.cwd(), self._said
            )
        return anew

    async def begin_with_token_file(self) -> str:
        await self.end()
        environment = {**os.environ, **self._environment}
        token = environment.pop(TOKEN)
        # By a pipe, as arenas hand it over: whoever reads it once can read any other file, too.
        self._process = await BotProcess.start(self._command, environment, Path.cwd(), self._said, token=token)
        return token

    async def exits(self, within_s: float) -> int:
        assert self._process
        try:
            async with asyncio.timeout(within_s):
                await self._process.exited()
        except TimeoutError:
            raise Failed(f"the program is still there after {within_s:g} s") from None
        assert self._process.status is not None
        return self._process.status

    def ask_to_go(self) -> None:
        assert self._process
        self._process.ask_to_go()

    def last_words(self) -> str:
        return "" if self._process is None else self._process.last_words()

    async def end(self) -> None:
        if self._process:
            await self._process.end()


class Elsewhere(Program):
    """A bot that somebody else starts."""

    async def begins(self) -> bool:
        """It is hoped that it runs."""
        return False

    async def begin_with_token_file(self) -> str:
        raise NotForThisBot("only with a command can its token be handed over in a file")

    async def exits(self, within_s: float) -> int:
        raise NotForThisBot("only with a command can be seen how the program ends")

    def ask_to_go(self) -> None:
        raise NotForThisBot("only with a command can the program be told to go")

    def last_words(self) -> str:
        return ""

    async def end(self) -> None:
        """It is not ours."""
