"""Plays in one session after the other, until cancelled."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Coroutine, Sequence
from contextlib import suppress

from referee_client.address import Address, address
from referee_client.bot import Bot, Cast
from referee_client.errors import Misconfigured, NotAllowed, TakenOver
from referee_client.pauses import Pauses
from referee_client.seats import Seats
from referee_client.session import Session, Wanted
from referee_client.thinking import InThreads, OnLoop, Thinker
from referee_client.workers import InWorkers

DEFAULT_MAX_MATCHES = 1
"""Default of `max_matches`: most bots think in one thread, and while they do, all their clocks run."""

STATUS = {Misconfigured: 2, TakenOver: 3, NotAllowed: 4}
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
) -> None:
    """Play until cancelled, reconnecting after a session has ended.

    `target` is the referee's HOST:PORT, `token` the bot's secret, `ca` a PEM file of the root certificates to trust;
    missing values come from the environment. `games` are the games that the bot plays (default: all), `max_matches`
    limits how many matches it plays at once. With `workers`, the bot thinks in that many processes; otherwise in
    threads, or on the event loop if its `choose` is asynchronous. `view`: every turn contains the position as JSON.
    `verdicts_with_turns`: the verdict on an accepted move may wait for the next turn.

    Raises TakenOver, NotAllowed or Misconfigured.
    """
    given = address(target, token, ca)
    version = os.environ.get("BOT_VERSION", "") if version is None else version
    wanted = Wanted(version, tuple(games), _max_matches(max_matches), view, _verdicts_with_turns(verdicts_with_turns))
    thinker = _thinker(bot, workers)
    seats = Seats(thinker)
    try:
        await _session_after_session(given, wanted, seats)
    finally:
        seats.close()
        thinker.close()


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
) -> None:
    """Run `play` as a program, with messages on stderr.

    It exits with status 0 on SIGINT or SIGTERM, 3 if a newer session has taken over, 4 if the referee will never let
    the bot play, and 2 if a setting is invalid.
    """
    until_stopped(
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
        )
    )


def until_stopped(playing: Coroutine[None, None, None]) -> None:
    """Run a coroutine as a program: it exits with status 0 when it is stopped by a signal, otherwise like `run`."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("referee_client").setLevel(logging.INFO)

    async def stoppable() -> None:
        task = asyncio.ensure_future(playing)
        with suppress(NotImplementedError):  # Not available on Windows, where Ctrl-C raises KeyboardInterrupt.
            for stop in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(stop, task.cancel)
        await task

    try:
        asyncio.run(stoppable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        sys.exit(0)
    except (Misconfigured, TakenOver, NotAllowed) as why:
        sys.stderr.write(f"{why}\n")
        sys.exit(STATUS[type(why)])


async def _session_after_session(given: Address, wanted: Wanted, seats: Seats) -> None:
    pauses = Pauses()
    while True:
        session = Session(wanted, seats, pauses)
        await asyncio.sleep(await session.lasts(given))
        wanted = session.wanted


def _max_matches(matches: int | None) -> int:
    text = str(os.environ.get("BOT_MAX_MATCHES") or DEFAULT_MAX_MATCHES if matches is None else matches)
    if not text.isdecimal():
        raise Misconfigured(f"BOT_MAX_MATCHES cannot be {text!r}; it takes a whole number")
    return int(text)


def _verdicts_with_turns(wanted: bool | None) -> bool:
    return os.environ.get("BOT_VERDICTS_WITH_TURNS") == "1" if wanted is None else wanted


def _thinker(bot: Bot, workers: int) -> Thinker:
    if workers:
        return InWorkers(bot, workers)
    cast = Cast(bot)
    return OnLoop(cast) if cast.is_async else InThreads(cast)
