"""Plays until cancelled, and opens a new session after each one that ends."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress

from referee_client.address import Address, address
from referee_client.backoff import Backoff
from referee_client.bot import Bot, Players
from referee_client.errors import Misconfigured, NotAllowed, TakenOver
from referee_client.nonces import NonceFunction, Nonces, random_nonce
from referee_client.runners import BotRunner, SeatRunner
from referee_client.seats import Seats
from referee_client.session import Session, SessionOptions
from referee_client.workers import WorkerRunner

DEFAULT_MAX_MATCHES = 1
"""Default of `max_matches`: most bots think in one thread, and while they do, all their clocks run."""

MAX_UINT32 = (1 << 32) - 1
MAX_DIGITS = 10

EXIT_STATUS = {Misconfigured: 2, TakenOver: 3, NotAllowed: 4}
"""Exit status by the exception that stops a bot program."""


async def play(
    bot: Bot,
    target: str | None = None,
    token: str | None = None,
    *,
    version: str | None = None,
    games: Sequence[str] = (),
    max_matches: int | None = None,
    workers: int = 0,
    ca: str | os.PathLike[str] | None = None,
    view: bool = False,
    verdicts_with_turns: bool | None = None,
    full_history: bool = False,
    nonce: NonceFunction = random_nonce,
) -> None:
    """Play until cancelled, reconnecting after a session has ended.

    `target` is the referee's HOST:PORT, `token` the bot's secret, `ca` a PEM file of the root certificates to trust;
    missing values come from the environment. `games` are the games that the bot plays (default: all), `max_matches`
    limits how many matches it plays at once. With `workers`, the bot thinks in that many processes; otherwise in
    threads, or on the event loop if its `choose` is asynchronous. `view`: every turn contains the position as JSON.
    `verdicts_with_turns`: the verdict on an accepted move may wait for the next turn. `full_history`:
    `Turn.history` has all moves since the start. `nonce` returns what the bot adds
    to the seed of a match, given the match id and the seat; by default 32 random bytes. It is called on the event loop.

    Raises TakenOver, NotAllowed or Misconfigured.
    """
    referee = address(target, token, ca)
    options = session_options(version, games, max_matches, view, verdicts_with_turns, full_history)
    runner = _create_runner(bot, workers)
    seats = Seats(runner, Nonces(nonce))
    try:
        await _play_sessions(referee, options, seats)
    finally:
        seats.close()
        runner.close()


def run(
    bot: Bot,
    target: str | None = None,
    token: str | None = None,
    *,
    version: str | None = None,
    games: Sequence[str] = (),
    max_matches: int | None = None,
    workers: int = 0,
    ca: str | os.PathLike[str] | None = None,
    view: bool = False,
    verdicts_with_turns: bool | None = None,
    full_history: bool = False,
    nonce: NonceFunction = random_nonce,
) -> None:
    """Run `play` as a program, with messages on stderr.

    It exits with status 0 on SIGINT or SIGTERM, 3 if a newer session has taken over, 4 if the referee will never let
    the bot play, and 2 if a setting is invalid.
    """
    run_until_stopped(
        play(
            bot,
            target,
            token,
            version=version,
            games=games,
            max_matches=max_matches,
            workers=workers,
            ca=ca,
            view=view,
            verdicts_with_turns=verdicts_with_turns,
            full_history=full_history,
            nonce=nonce,
        )
    )


def run_until_stopped(coroutine: Coroutine[None, None, None]) -> None:
    """Run a coroutine as a program: it exits with status 0 when it is stopped by a signal, otherwise like `run`."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("referee_client").setLevel(logging.INFO)

    async def stoppable() -> None:
        task = asyncio.ensure_future(coroutine)
        with suppress(NotImplementedError):  # Not available on Windows, where Ctrl-C raises KeyboardInterrupt.
            for stop in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(stop, task.cancel)
        await task

    try:
        asyncio.run(stoppable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        sys.exit(0)
    except (Misconfigured, TakenOver, NotAllowed) as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(EXIT_STATUS[type(error)])


async def _play_sessions(referee: Address, options: SessionOptions, seats: Seats) -> None:
    backoff = Backoff()
    while True:
        session = Session(options, seats, backoff)
        await asyncio.sleep(await session.run(referee))
        options = session.options


def session_options(
    version: str | None = None,
    games: Sequence[str] = (),
    max_matches: int | None = None,
    view: bool = False,
    verdicts_with_turns: bool | None = None,
    full_history: bool = False,
    environ: Mapping[str, str] = os.environ,
) -> SessionOptions:
    """Return what the Hello requests; missing values come from the environment. Raises Misconfigured."""
    return SessionOptions(
        environ.get("BOT_VERSION", "") if version is None else version,
        tuple(games),
        _checked_max_matches(
            str(environ.get("BOT_MAX_MATCHES") or DEFAULT_MAX_MATCHES if max_matches is None else max_matches)
        ),
        view,
        environ.get("BOT_VERDICTS_WITH_TURNS") == "1" if verdicts_with_turns is None else verdicts_with_turns,
        full_history,
    )


def _checked_max_matches(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and int(text) <= MAX_UINT32):
        raise Misconfigured(f"BOT_MAX_MATCHES cannot be {text!r}; it must be a whole number")
    return int(text)


def _create_runner(bot: Bot, workers: int) -> BotRunner:
    return WorkerRunner(bot, workers) if workers else SeatRunner(Players(bot))
