"""A whole referee with its tournaments in one process, with bots that play by themselves, and a world that may stop.

What a bot plays depends on the match and the ply alone, so that the same match comes out the same in every run.
"""

import asyncio
import zlib
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from engines.api import Game
from engines.refusals import Refusal
from referee.app.accounts import Bot, NamesAtMost, Version
from referee.app.asked import NotRunHere
from referee.app.conduct import Conduct
from referee.app.contests.events import ContestEvent
from referee.app.contests.held import Held
from referee.app.contests.ladders import Ladders, faults_at_most, shelf_of_ladders
from referee.app.contests.log import Beside, ContestEntry, Unreadable
from referee.app.contests.making import Making
from referee.app.contests.matchmaker import Around
from referee.app.contests.present import Present
from referee.app.contests.ratings import Ratings
from referee.app.contests.terms import MatchTerms, Partners, TournamentTerms
from referee.app.contests.tournament_wish import TournamentWish
from referee.app.contests.tournaments import Tournaments
from referee.app.lag import Lag
from referee.app.notices import Notices
from referee.app.outbox import Asked
from referee.app.ports import Entry, LogUnavailable, Request, Summaries
from referee.app.referee import Referee
from referee.app.scribe import Scribe
from referee.app.sessions import Hello, Session
from referee.app.tokens import Role, Token
from referee.app.wish import EVERY_MATCH, REQUEST_ID, Limits, MatchFilter, Opening
from referee.contest.formats import Format
from referee.contest.terms import Terms
from referee.contest.tournament_events import Entrant
from referee.core.clock import SECOND, SuddenDeath
from referee.core.errors import MatchOver
from referee.core.events import Event
from referee.core.match import Match
from referee.core.result import Cause
from referee.core.setup import Player
from referee.storage.accounts_memory import MemoryAccounts, MemoryTokens
from referee.storage.bot_log_memory import MemoryBotLog
from referee.storage.memory import MemoryEventLog
from referee.storage.sqlite import SqliteEventLog
from referee.storage.unheard_memory import MemoryUnheardEnds
from tests.app.hall import GAMES
from tests.app.stopped_time import StoppedTime

MANY = Hello(matches_at_most=1000)
Choose = Callable[[Match, int, Sequence[str]], str]
"""What a seat of a match plays, out of what it may. Nothing: it does not answer."""


Stored: TypeAlias = MemoryEventLog | SqliteEventLog
WITHIN_S = 180
"""Nothing here takes that long."""


class Fuse:
    """The world stops when so many writes are durable: whoever writes or reads then waits for ever."""

    def __init__(self, writes: int | None = None) -> None:
        """None: it never does."""
        self._writes = writes
        self.written = 0
        self.away = False
        """Nothing can be written or read for the time being."""
        self.blown = asyncio.Event()

    def blows_after(self, more: int) -> None:
        """When so many more writes are durable."""
        self._writes = self.written + more

    async def wrote(self) -> None:
        self.written += 1
        if self.written == self._writes:
            self.blown.set()
        await self.holds()

    async def holds(self) -> None:
        if self.away:
            raise LogUnavailable("the disk is full")
        if self.blown.is_set():
            await asyncio.Event().wait()


class FusedContests:
    """A ContestLog."""

    def __init__(self, stored: Stored, fuse: Fuse) -> None:
        self._stored = stored.contests
        self._fuse = fuse

    async def append(self, contest: str, after: int, events: Sequence[ContestEvent]) -> list[ContestEntry]:
        await self._fuse.holds()
        entries = await self._stored.append(contest, after, events)
        await self._fuse.wrote()
        return entries

    async def read(self, contest: str, after: int = 0, at_most: int | None = None) -> list[ContestEntry]:
        await self._fuse.holds()
        return await self._stored.read(contest, after, at_most)

    async def contests(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        await self._fuse.holds()
        return await self._stored.contests(kind)

    async def lasts(self, kind: str) -> Sequence[ContestEntry | Unreadable]:
        await self._fuse.holds()
        return await self._stored.lasts(kind)


class FusedLog:
    """An EventLog."""

    def __init__(self, stored: Stored, fuse: Fuse) -> None:
        self._stored = stored
        self._fuse = fuse

    async def append(
        self,
        match_id: str,
        after: int,
        events: Sequence[Event],
        request: Request | None = None,
        beside: Beside | None = None,
    ) -> list[Entry]:
        await self._fuse.holds()
        entries = await self._stored.append(match_id, after, events, request, beside)
        await self._fuse.wrote()
        return entries

    async def read(self, match_id: str, after: int = 0, at_most: int | None = None) -> list[Entry]:
        await self._fuse.holds()
        return await self._stored.read(match_id, after, at_most)

    async def unfinished(self) -> list[str]:
        return await self._stored.unfinished()

    async def summaries(self, wanted: MatchFilter = EVERY_MATCH, before: str = "", at_most: int = 100) -> Summaries:
        return await self._stored.summaries(wanted, before, at_most)

    async def close(self) -> None:
        pass


class Store:
    """What outlives a process."""

    def __init__(self, on_disk: Path | None = None) -> None:
        """In memory, if no file is given."""
        self.time = StoppedTime()
        """Of the process that uses it."""
        in_memory = MemoryEventLog(self._wall_ms)
        self._on_disk = on_disk
        self.matches: Stored = SqliteEventLog(on_disk, self._wall_ms) if on_disk else in_memory
        self.unheard = MemoryUnheardEnds(in_memory)
        self.tokens = MemoryTokens()
        self.accounts = MemoryAccounts(self.tokens)
        self._tokens = count(1)

    async def survives(self) -> None:
        """Its process is dead. What was on its way to the disk arrived."""
        if self._on_disk:
            await self.matches.close()
            self.matches = SqliteEventLog(self._on_disk, self._wall_ms)

    def _wall_ms(self) -> int:
        return self.time.wall_ms()

    async def register(self, *bots: str, versions: Sequence[str] = ("1",)) -> None:
        for name in bots:
            token = Token(next(self._tokens).to_bytes(32, "big"), Role.BOT, "owner", 1, bot=name)
            await self.accounts.register(f"r-{name}", Bot(name, "owner", 1), token, NamesAtMost(1000, 1000))
            for version in versions:
                await self.accounts.add_version(Version(name, version, 1), 100)

    async def match_ids(self) -> list[str]:
        """Of all matches there are."""
        return [summary[0].match_id for summary in (await self.matches.summaries(at_most=10_000)).found]


class Stage:
    """One process, from `open` to `close`, or until it is killed."""

    def __init__(self, store: Store, fuse: Fuse | None = None, games: dict[str, Game] = GAMES) -> None:
        self.store = store
        self.fuse = fuse or Fuse()
        self.time = store.time = StoppedTime()
        self.faults: list[tuple[str, Exception]] = []
        self.choose: Choose = by_the_match
        self.voided: frozenset[str] = frozenset()
        """Matches, by what was due, that somebody declares void before a move is played."""
        ids = count(1)
        self.contests = FusedContests(store.matches, self.fuse)
        self.shelf = shelf_of_ladders(self.contests, games, self._complain)
        self.conduct = Conduct(
            store.accounts,
            Notices(Scribe(MemoryBotLog(1000)), self._sessions_of, self.time),
            self.time,
            lambda match: faults_at_most(self.shelf, match, 1000),
        )
        ratings = Ratings(self.shelf, games)
        self.referee = Referee(
            FusedLog(store.matches, self.fuse),
            store.unheard,
            self.time,
            games,
            Limits(),
            lambda: f"s{next(ids)}",
            lambda: bytes(32),
            Lag(self.time),
            [self.conduct],
            ratings,
        )
        self.making = Making(self.referee, store.accounts)
        self.ladders = Ladders(
            self.contests,
            self.shelf,
            Around(
                self.referee,
                self.making,
                Present(self.referee, self.making, store.accounts),
                ratings.played,
                self.conduct.counted,
                self.time,
                self._complain,
            ),
            games,
            Limits(),
            lambda: bytes(32),
        )
        self.tournaments = Tournaments(
            self.contests,
            self.referee,
            store.accounts,
            self.ladders,
            self.making,
            self.time,
            games,
            Limits(),
            lambda: bytes(32),
            self._complain,
        )
        self._playing: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        await self.shelf.open()
        await self.referee.recover()
        self.ladders.open()
        await self.tournaments.open()

    async def close(self) -> None:
        await self.ladders.stop(NotRunHere(""))
        await self.tournaments.close(NotRunHere(""))
        await self.referee.close()
        if self._playing:
            await asyncio.wait(self._playing)
        assert self.faults == []

    def come(self, *names: str, hello: Hello = MANY, version: str = "1") -> list[Session]:
        """Bots that play what they are asked."""
        sessions = [self.referee.sessions.open(Player(name, version), hello) for name in names]
        for session in sessions:
            task = asyncio.create_task(self._plays(session))
            self._playing.add(task)
            task.add_done_callback(self._playing.discard)
        return sessions

    async def over(self, name: str) -> Held:
        """The tournament when it is."""
        return await self.until(name, lambda held: held.over)

    async def until(self, name: str, holds: Callable[[Held], bool]) -> Held:
        """The tournament as soon as that holds."""
        held, watching = await self.tournaments.watch(name, None)
        async with asyncio.timeout(WITHIN_S):
            while not holds(held):
                held = (await anext(watching))[-1].state
        return held

    def _complain(self, contest: str, fault: Exception) -> None:
        self.faults.append((contest, fault))

    def _sessions_of(self, bot: str) -> Sequence[Session]:
        return self.referee.sessions.of_bot(bot)

    async def _plays(self, session: Session) -> None:
        while not session.outbox.closed:
            await session.outbox.wait()
            for item in session.outbox.drain(1000):
                if isinstance(item, Asked):
                    await self._answers(item)

    async def _answers(self, asked: Asked) -> None:
        due = self.referee.turn_due(asked.match_id, asked.seat)
        if due and dict(due.match.setup.labels).get(REQUEST_ID) in self.voided:
            with suppress(MatchOver):
                await self.referee.void(asked.match_id, Cause.DECLARED, "the hall is on fire")
        elif due:
            moves = due.match.at_play().moves(asked.seat)
            move = self.choose(due.match, asked.seat, moves)
            with suppress(Refusal, NotRunHere):  # It was called off.
                if move:
                    await self.referee.submit(asked.match_id, asked.seat, due.turn.token, move)


def by_the_match(match: Match, seat: int, moves: Sequence[str]) -> str:
    """The same in every run."""
    return moves[zlib.crc32(f"{match.setup.match_id} {match.ply} {seat}".encode()) % len(moves)]


def terms(
    form: Format,
    game: str = "nim",
    options: dict[str, Any] | None = None,
    openings: tuple[Opening, ...] = (),
    partners: Partners = Partners.INDIVIDUAL,
    nonce_within_us: int = 0,
    **more: Any,
) -> TournamentTerms:
    """Small matches of ten seconds a seat."""
    chosen = {"heap": 6} if game == "nim" and options is None else options or {}
    match_terms = MatchTerms(
        game, GAMES[game].settings(chosen), (SuddenDeath(10 * SECOND),), nonce_within_us=nonce_within_us
    )
    return TournamentTerms((match_terms,), Terms(form, b"", **more), openings, partners=partners)


def wish(terms: TournamentTerms, *bots: str, name: str = "cup", request_id: str = "r1") -> TournamentWish:
    return TournamentWish(name, "org", request_id, terms, entrants=tuple(map(entrant, bots)))


def entrant(bot: str, *partners: str, name: str = "") -> Entrant:
    return Entrant(name or bot, bots=tuple(Player(one) for one in (bot, *partners)))


def all_tasks_but_this() -> set[asyncio.Task[Any]]:
    mine = asyncio.current_task()
    return {task for task in asyncio.all_tasks() if task is not mine}


async def killed() -> None:
    """Whatever runs here, but for the test itself, does nothing any more."""
    tasks = all_tasks_but_this()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def first_of(*work: Coroutine[Any, Any, Any]) -> None:
    """Come back when one of them is done. The others are given up."""
    done, others = await asyncio.wait([asyncio.create_task(one) for one in work], return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for task in done:
        task.result()
