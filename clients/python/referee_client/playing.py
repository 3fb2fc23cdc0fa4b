"""Playing: session after session, until nobody wants it any more."""

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

MATCHES_AT_MOST = 1
"""Where nothing is said: most bots think in one thread, and while they think in one match all their clocks run."""

STATUS = {Misconfigured: 2, TakenOver: 3, NotAllowed: 4}
"""With which exit status a bot program stops for good."""


async def play(
    bot: Bot,
    target: str | None = None,
    token: str | None = None,
    *,
    version: str | None = None,
    games: Sequence[str] = (),
    matches_at_most: int | None = None,
    workers: int = 0,
    ca: str | os.PathLike[str] | None = None,
    view: bool = False,
) -> None:
    """Play until cancelled; after a break, come back.

    `target` is the referee's HOST:PORT, `token` the bot's secret, `ca` a PEM file of the roots to trust; what is not
    given is told by the environment. `games` it plays (default: all), `matches_at_most` at once. With `workers` the
    bot thinks in so many processes, else in threads, or on the loop if its `choose` is asynchronous. `view`: every
    turn carries its view.

    Raises TakenOver, NotAllowed or Misconfigured.
    """
    given = address(target, token, ca)
    version = os.environ.get("BOT_VERSION", "") if version is None else version
    wanted = Wanted(version, tuple(games), _at_most(matches_at_most), view)
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
    matches_at_most: int | None = None,
    workers: int = 0,
    ca: str | os.PathLike[str] | None = None,
    view: bool = False,
) -> None:
    """As `play`, as a program: it ends with status 0 on SIGINT or SIGTERM, 3 when a newer session has taken over, 4
    when the referee will never let it play, 2 when a setting is wrong. What happens is told on stderr.
    """
    until_stopped(
        play(
            bot,
            target,
            token,
            version=version,
            games=games,
            matches_at_most=matches_at_most,
            workers=workers,
            ca=ca,
            view=view,
        )
    )


def until_stopped(playing: Coroutine[None, None, None]) -> None:
    """As a program: told to go, it ends with status 0; otherwise as `run` says."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("referee_client").setLevel(logging.INFO)

    async def stoppable() -> None:
        task = asyncio.ensure_future(playing)
        with suppress(NotImplementedError):  # Windows: there Ctrl-C is a KeyboardInterrupt.
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


def _at_most(matches: int | None) -> int:
    told = str(os.environ.get("BOT_MATCHES_AT_MOST") or MATCHES_AT_MOST if matches is None else matches)
    if not told.isdecimal():
        raise Misconfigured(f"BOT_MATCHES_AT_MOST cannot be {told!r}; it takes a whole number")
    return int(told)


def _thinker(bot: Bot, workers: int) -> Thinker:
    if workers:
        return InWorkers(bot, workers)
    cast = Cast(bot)
    return OnLoop(cast) if cast.is_async else InThreads(cast)
