"""Local bots: starts their programs, one process for each bot, supervises and restarts them, and stops them."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from referee_client import AsyncOrganiser, Refused

from referee.local.bot_process import DIRECTLY, BotProcess, check_program
from referee.local.entrant import CLIENT, BadEntrant, Entrant
from referee.local.results_folder import ResultsFolder
from referee.local.sandbox import ENVIRONMENT, Sandbox

PASSED_ON = ("PATH", "HOME", "LANG", "TMPDIR", "TZ")
"""Environment variables that are passed on to every bot, besides LC_*."""
POLL_INTERVAL_S = 0.1
LABEL = "local"
"""Label of the tokens of bots."""
MAX_CRASHES = 5
"""Consecutive crashes without a finished match, after which a bot is given up."""


class Launcher:
    """Starts processes of bots for one server, with their environment, token, folder and optional sandbox."""

    def __init__(self, address: str, run_in: Path, results: ResultsFolder, sandbox: Sandbox | None) -> None:
        """`address` is the server's, `run_in` the plan's folder; sandboxes hide the results folder."""
        self._address = address
        self._run_in = run_in
        self._results = results
        self._sandbox = sandbox
        self._numbers = count()

    async def start(self, entrant: Entrant, token: str, max_matches: int) -> BotProcess:
        """Start a bot. Raises OSError if its program does not exist."""
        environment = {
            **passed_on(os.environ, entrant),
            "BOT_REFEREE": self._address,
            "BOT_MAX_MATCHES": str(1 if entrant.alone else max_matches),
        }
        folder, command, relayed_to = self._run_in / entrant.folder, entrant.command_for(max_matches), DIRECTLY
        # A program that listens elsewhere is started by someone else; only our bridge runs here.
        if self._sandbox and not entrant.alone:
            check_program(command[0], folder, environment.get("PATH"))
            port, number = int(self._address.rpartition(":")[2]), next(self._numbers)
            command = self._sandbox.command(command, folder, self._results.path.resolve(), port, number)
            environment |= ENVIRONMENT
            relayed_to = f"{self._address},{self._sandbox.memory_bytes},{self._sandbox.create_group(number) or ''}"
        return await BotProcess.start(
            command, environment, folder, self._results.bot_log(entrant.name), token=token, relayed_to=relayed_to
        )


def passed_on(environment: Mapping[str, str], entrant: Entrant) -> dict[str, str]:
    """Return the environment variables that are passed on to a bot."""
    return {
        name: text
        for name, text in environment.items()
        if name in PASSED_ON or name.startswith("LC_") or name in entrant.env
    }


def check_programs(entrants: Iterable[Entrant], run_in: Path) -> None:
    """Raise BadEntrant if the program of a bot, or its Python file, does not exist or is not executable."""
    for entrant in entrants:
        try:
            check_program(entrant.program, run_in / entrant.folder, passed_on(os.environ, entrant).get("PATH"))
        except OSError as why:
            raise BadEntrant(entrant.program, f"cannot be started: {why.strerror}") from None
        file, _, _ = entrant.command[-1].rpartition(":")
        if entrant.command[:-1] == CLIENT and file.endswith(".py") and not (run_in / entrant.folder / file).is_file():
            raise BadEntrant(entrant.command[-1], f"cannot be started: there is no file {file}")


class BotStartFailed(Exception):
    """A bot could not be started. `str()` says why, with the last lines of its output."""


@dataclass(slots=True)
class LocalBot:
    """A bot, with its latest process if it was started."""

    entrant: Entrant
    secret: str
    process: BotProcess | None = None
    crashes: int = 0
    """Consecutive crashes without a finished match."""

    @property
    def name(self) -> str:
        return self.entrant.name

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.is_running

    async def wait(self) -> None:
        """Wait until the process has exited."""
        if self.process:
            await self.process.wait()

    async def end(self) -> None:
        """Stop the process."""
        if self.process:
            await self.process.end()

    def start_failed(self, why: str = "") -> BotStartFailed:
        """Return the error that describes the process; `why` comes first."""
        how = self.process.exit_summary() if self.process else ""
        return BotStartFailed(f"{why}; {how}" if why else how)


class BotAccounts:
    """The accounts of the bots on the embedded server."""

    def __init__(self, organiser: AsyncOrganiser) -> None:
        """`organiser` has an administrator's token."""
        self._organiser = organiser

    async def register(self, bot: str) -> str:
        """Register a bot unless an earlier run has done so, and return a new token for it.

        Each bot has a holder of its own, so that it is not credited with the delay that its own calls cause, but all
        others are.
        """
        try:
            await self._organiser.register_bot(bot)
        except Refused as refused:
            if refused.reason != "NAME_TAKEN":
                raise
        return (await self._organiser.administration.make_token("bot", f"bot {bot}", bot=bot, label=LABEL)).secret

    async def is_ready(self, bot: str, game: str) -> bool:
        """Return whether the bot is online and accepts the game."""
        sessions = (await self._organiser.accounts.get(bot)).presence.sessions
        return any(session.max_matches and (not session.games or game in session.games) for session in sessions)

    async def refuses(self, bot: str, game: str) -> bool:
        """Return whether the bot is online, but accepts only other games."""
        sessions = (await self._organiser.accounts.get(bot)).presence.sessions
        return bool(sessions) and all(session.games and game not in session.games for session in sessions)

    async def is_playing(self, bot: str) -> bool:
        """Return whether the bot is in a match that has started."""
        return bool([match async for match in self._organiser.matches(bot=bot, phase="playing")])


class BotPool:
    """All bots, until `end`."""

    def __init__(self, accounts: BotAccounts, launcher: Launcher, max_matches: int = 1) -> None:
        """`max_matches` is the maximum number of concurrent matches of each process."""
        self._accounts = accounts
        self._launcher = launcher
        self._max_matches = max_matches
        self._bots: dict[str, LocalBot] = {}

    async def end(self) -> None:
        """Stop all processes."""
        await asyncio.gather(*(bot.end() for bot in self._bots.values()))

    async def start(self, entrants: Iterable[Entrant], game: str, within_s: float) -> dict[Entrant, str]:
        """Start all bots that do not run. Return those that are not ready for the game in time, with the reasons."""
        entrants = list(entrants)
        for entrant in entrants:
            if entrant.name not in self._bots:
                self._bots[entrant.name] = LocalBot(entrant, await self._accounts.register(entrant.name))
        tried = await asyncio.gather(
            *(self._try_start(self._bots[entrant.name], game, within_s) for entrant in entrants)
        )
        return {entrant: why for entrant, why in zip(entrants, tried, strict=True) if why}

    async def keep_running(self, entrant: Entrant, game: str, within_s: float) -> str:
        """Restart a bot whenever it crashes, for its next match; the current one is lost.

        Returns the reason when the bot is given up.
        """
        bot = self._bots[entrant.name]
        while True:
            await bot.wait()
            bot.crashes += 1
            if bot.crashes >= MAX_CRASHES:
                return str(bot.start_failed(f"it crashed {bot.crashes} times in a row"))
            while await self._accounts.is_playing(bot.name):
                await asyncio.sleep(POLL_INTERVAL_S)
            if why := await self._try_start(bot, game, within_s):
                return why

    def reset_crashes(self, bot: str) -> None:
        """Reset the crash counter of a bot, after a finished match."""
        if bot in self._bots:
            self._bots[bot].crashes = 0

    async def _try_start(self, bot: LocalBot, game: str, within_s: float) -> str:
        """Start a bot unless it runs, and wait until it is ready. Return an empty string, or why it is not."""
        try:
            if not bot.is_running:
                await self._start(bot)
            await self._wait_until_ready(bot, game, within_s)
        except BotStartFailed as failed:
            return str(failed)
        return ""

    async def _start(self, bot: LocalBot) -> None:
        """Start a process of the bot. Raises BotStartFailed if the program does not exist."""
        await bot.end()
        try:
            bot.process = await self._launcher.start(bot.entrant, bot.secret, self._max_matches)
        except OSError as error:
            raise BotStartFailed(f"{bot.entrant.command[0]}: {error.strerror}") from None

    async def _wait_until_ready(self, bot: LocalBot, game: str, within_s: float) -> None:
        """Raises BotStartFailed if it is not ready in time."""
        try:
            async with asyncio.timeout(within_s):
                while not await self._accounts.is_ready(bot.name, game):
                    if not bot.is_running:
                        if await self._accounts.is_playing(bot.name):
                            return  # It did start, and crashed during a match.
                        raise bot.start_failed()
                    if await self._accounts.refuses(bot.name, game):
                        raise bot.start_failed(f"it does not accept {game}")
                    await asyncio.sleep(POLL_INTERVAL_S)
        except TimeoutError:
            raise bot.start_failed(f"it sent no Hello, or does not accept {game}") from None
