"""Ladders: all that can be asked of them, for whoever speaks with the world.

Whether somebody may ask is settled before. What is told here is open to everybody, but for the openings of
duplicate play (`HeldLadder.terms`), which are for the organiser alone until the ladder is closed.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from engines.api import Game
from referee.app import wish as labels
from referee.app.contests.book import Book
from referee.app.contests.entering import checked
from referee.app.contests.events import LadderMade
from referee.app.contests.held_ladder import HeldLadder, LadderFold
from referee.app.contests.history import Point, history
from referee.app.contests.ladder_wish import OPEN_LADDERS, LadderFilter, LadderWish, check_ladder, is_wanted
from referee.app.contests.log import LADDER, ContestEntry, ContestLog, contest_id
from referee.app.contests.matchmaker import Around
from referee.app.contests.matchmakers import Matchmakers
from referee.app.contests.queue import Queue, queue_of
from referee.app.contests.refusals import ContestDamaged, UnknownLadder
from referee.app.contests.shelf import Shelf
from referee.app.contests.watching import Watching
from referee.app.names import check_name, check_words
from referee.app.ports import Conflict
from referee.app.refusals import BadField, BotPaused, NameTaken
from referee.app.wish import Limits
from referee.app.worker_pool import Run, run_here
from referee.contest import tournament_events as tournament
from referee.contest.climbing import challenge, decide
from referee.contest.ladder import Phase
from referee.contest.ladder_commands import Challenge, Close, Command, Join, Leave, Pause, Resume, StartSeason
from referee.contest.ladder_events import Closed, Entrant
from referee.contest.ladder_standings import LadderRow, ladder_standings
from referee.contest.pairing import Course
from referee.contest.refusals import LadderClosed
from referee.core.errors import RequestIdReused
from referee.core.match import Match
from referee.core.setup import Player

__all__ = ["LadderFilter", "LadderWish", "Point"]

WORDS_CHARS = 200
"""Of a title or a message."""


def shelf_of_ladders(
    log: ContestLog, games: Mapping[str, Game], complain: Callable[[str, Exception], None]
) -> Shelf[HeldLadder]:
    """To be opened before any match goes on: its end may be rated."""
    return Shelf(log, LADDER, LadderFold(games), Closed, complain)


def faults_at_most(ladders: Shelf[HeldLadder], match: Match, usual: int) -> int:
    """How many faults in a row pause a bot, if the last was in that match: as its ladder says, or else as usual."""
    name = dict(match.setup.labels).get(labels.LADDER)
    first = ladders.first.get(contest_id(LADDER, name)) if name else None
    made = first.event if first else None
    return made.terms.pause_after_faults if isinstance(made, LadderMade) else usual


class Ladders:
    """All ladders of one process.

    Every method that names a ladder raises UnknownLadder if there is none, and ContestDamaged if its log is; every
    method raises LogUnavailable if the log cannot be used now.
    """

    def __init__(
        self,
        log: ContestLog,
        shelf: Shelf[HeldLadder],
        around: Around,
        games: Mapping[str, Game],
        limits: Limits,
        draw_seed: Callable[[], bytes],
        run: Run = run_here,
    ) -> None:
        """`draw_seed` gives 32 bytes that nobody knows; `run` runs what may take long."""
        self._log = log
        self._shelf = shelf
        self._around = around
        self._games = games
        self._limits = limits
        self._draw_seed = draw_seed
        self._run = run
        self._fold = LadderFold(games)
        self._matchmakers = Matchmakers(shelf, around)
        self._making_one = asyncio.Lock()

    def open(self) -> None:
        """Let them go on, when the shelf is open and the matches are taken up."""
        self._matchmakers.open()

    async def stop(self, why: Exception) -> None:
        """Finish what was begun, make nothing more, and send away who watches. All goes on after the next `open`."""
        await self._matchmakers.close()
        await asyncio.gather(*(book.close(why) for book in self._shelf.live))

    async def create(self, wish: LadderWish) -> HeldLadder:
        """Make a ladder, or find the one that this very request of the organiser's has made.

        Raises BadName, NameTaken, RequestIdReused, BadField, or what `MatchWish.setup` raises of the terms of its
        matches.
        """
        check_name(wish.name)
        check_words("title", wish.title, WORDS_CHARS)
        run = self._run if wish.terms.duplicate and wish.terms.duplicate.openings else run_here
        await run(check_ladder, wish.terms, self._games, self._limits, holder=wish.organiser)
        made = LadderMade(
            wish.name, wish.title or wish.name, wish.organiser, wish.request_id, self._draw_seed(), wish.terms
        )
        async with self._making_one:
            if known := self._shelf.made_by(wish.organiser, wish.request_id):
                return await self._made_again(known, made)
            try:
                book = await self._shelf.add(wish.name, [made])
            except Conflict:
                raise NameTaken(wish.name) from None
        self._matchmakers.set_to_work(book)
        return book.state

    def check_known(self, name: str) -> None:
        """Raises UnknownLadder."""
        if not self._shelf.knows(contest_id(LADDER, name)):
            raise UnknownLadder(name)

    async def ladder(self, name: str) -> HeldLadder:
        """As it is now. `held.ladder.open` are the pairings that are planned or being played."""
        return (await self._book(name)).state

    async def ladders(
        self, wanted: LadderFilter = OPEN_LADDERS, after: str = "", at_most: int = 100
    ) -> list[HeldLadder]:
        """Ladders by name, from the first behind `after`. One whose log is damaged has nothing that could be shown."""
        found: list[HeldLadder] = []
        last = contest_id(LADDER, after)
        for contest in sorted(it for it in self._shelf.first if it > last):
            if len(found) == at_most:
                break
            with suppress(ContestDamaged):
                held = (await self._shelf.book(contest)).state
                if is_wanted(held, wanted):
                    found.append(held)
        return found

    async def join(self, name: str, entrant: Entrant) -> LadderRow:
        """Take an entrant in; without a name, it has that of its only bot. Its first standing.

        Raises LadderClosed, AlreadyOn, NameTaken (of `contest.refusals`), AlreadyIn, UnknownBot, UnknownVersion,
        BotPaused, BadField, or WrongSeats if it is not one bot for each seat of a side.
        """
        book = await self._book(name)
        good = await checked(
            tournament.Entrant(entrant.name, bots=entrant.bots), book.state.seating.bots, self._around.present.accounts
        )
        await self._change(book, Join(Entrant(good.name, good.bots)))
        rows = await self._standings(book.state, 0, all_versions=False)
        return next(row for row in rows if row.entrant.name == good.name)

    async def leave(self, name: str, entrant: str, message: str = "") -> None:
        """Its matches in play are played to the end and rated. Raises NotAMember or BadField."""
        check_words("message", message, WORDS_CHARS)
        await self._change(await self._book(name), Leave(entrant, message))

    async def challenge(self, name: str, request: str, entrants: tuple[str, ...]) -> Course:
        """Have them meet as soon as all have room: one for each seat, or for each side where partners are fixed.

        The same request again finds the same pairing; `request` is kept apart by who asks. How many challenges an
        entrant waits for already: `held.ladder.challenges_of`.
        Raises LadderClosed, NotAMember, WrongSeats, BotPaused, RequestIdReused or RefereeDraining.
        """
        book = await self._book(name)
        if challenge(book.state.ladder, request) is None:
            await self._check_rivals(book.state, entrants)
        held = await self._change(book, Challenge(request, entrants))
        course = challenge(held.ladder, request)
        assert course
        return course

    async def start_season(self, name: str, request: str) -> HeldLadder:
        """Ratings start again, wide but not blank. The same request again changes nothing. Raises LadderClosed."""
        return await self._change(await self._book(name), StartSeason(request))

    async def pause(self, name: str, message: str = "") -> HeldLadder:
        """Begin no matches until it is resumed. Raises LadderClosed or BadField."""
        check_words("message", message, WORDS_CHARS)
        return await self._change(await self._book(name), Pause(message))

    async def resume(self, name: str) -> HeldLadder:
        """Begin matches again. Raises LadderClosed."""
        return await self._change(await self._book(name), Resume())

    async def close(self, name: str, message: str = "") -> HeldLadder:
        """Pair nobody any more. When its last match is over, and rated, its log ends (`Closed`). Raises BadField."""
        check_words("message", message, WORDS_CHARS)
        return await self._change(await self._book(name), Close(message))

    async def standings(self, name: str, season: int = 0, all_versions: bool = False) -> list[LadderRow]:
        """The table, the best first: of the present season (0), or of an earlier one. Raises BadField (season)."""
        held = await self.ladder(name)
        if not 0 <= season <= held.ladder.season:
            raise BadField("season", f"there is none of that number; 1 to {held.ladder.season} are right")
        return await self._standings(held, season, all_versions)

    async def history(self, name: str, bot: str, version: str = "", after: int = 0, at_most: int = 100) -> list[Point]:
        """How its ratings came to be what they are, the oldest first, from the first entry behind number `after`.

        Of partners, under the name of each bot. Raises UnknownBot or UnknownVersion.
        """
        held, accounts = await self.ladder(name), self._around.present.accounts
        await accounts.bot(bot)
        if version:
            await accounts.versions(bot, version, 1)
        return await history(self._log, held, Player(bot, version), after, at_most)

    async def watch(self, name: str, after: int | None) -> tuple[HeldLadder, Watching[HeldLadder]]:
        """The ladder as it is now, and what follows after that number (None: from now on). Raises NumberAhead.

        To be iterated over: batches of `book.Step`, in order, until it is closed. The pairing that an entry is about
        is in `step.state.ladder.courses`; what a match did to ratings tells `step.state.by_seat`. Raises SlowConsumer
        on the way.
        """
        behind_at_most, book = self._limits.watcher_behind_at_most, await self._book(name)
        watching = Watching(self._log, self._fold, lambda held: held.over, book, behind_at_most)
        return await watching.begin(after), watching

    def queue(self, now_ms: int) -> Queue:
        """Of all ladders together, as it is at that time."""
        return queue_of([book.state for book in self._shelf.live], self._around.making, now_ms)

    def set_open(self, name: str, set_id: str, but: str) -> bool:
        """See `sealed.SetKeeper`."""
        return self._matchmakers.set_open(contest_id(LADDER, name), set_id, but)

    async def _book(self, name: str) -> Book[HeldLadder]:
        try:
            return await self._shelf.book(contest_id(LADDER, name))
        except KeyError:
            raise UnknownLadder(name) from None

    async def _change(self, book: Book[HeldLadder], command: Command) -> HeldLadder:
        await book.change(lambda held: decide(held.ladder, command))
        self._matchmakers.wake(book.contest)
        return book.state

    async def _check_rivals(self, held: HeldLadder, entrants: tuple[str, ...]) -> None:
        """May they be paired now? Raises LadderClosed, BotPaused or RefereeDraining."""
        if held.ladder.phase is not Phase.OPEN:
            raise LadderClosed(held.made.name)
        if self._around.referee.draining:
            raise self._around.referee.draining
        for name in entrants:
            for player in held.ladder.entrants[name].bots if name in held.ladder.entrants else ():
                bot = await self._around.present.accounts.bot(player.bot)
                if bot.pause:
                    raise BotPaused(bot.name, bot.pause.cause.value)

    async def _standings(self, held: HeldLadder, season: int, all_versions: bool) -> list[LadderRow]:
        here, _ = await self._around.present.here(held, busy_too=True)
        there = {it.name: held.ladder.entrants[it.name].player(it.bots) for it in here}
        return ladder_standings(held.ladder, there, season, all_versions)

    async def _made_again(self, first: ContestEntry, asked: LadderMade) -> HeldLadder:
        """Raises RequestIdReused if that request asked for something else."""
        made = first.event
        if not isinstance(made, LadderMade) or replace(made, seed=asked.seed) != asked:
            raise RequestIdReused(asked.request_id)
        return await self.ladder(made.name)
