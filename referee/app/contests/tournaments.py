"""Tournaments: all that can be asked of them, for whoever speaks with the world.

Whether somebody may ask is settled before. What is told here is open to everybody, but for the openings of
duplicate play (`Held.terms`), which are for the organiser alone until the tournament is over.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from engines.api import Game
from referee.app.accounts import Accounts
from referee.app.contests.book import Book
from referee.app.contests.directors import Directors
from referee.app.contests.entering import checked, decided, entered, named
from referee.app.contests.events import TournamentMade
from referee.app.contests.held import Held, fold
from referee.app.contests.ladders import Ladders
from referee.app.contests.log import TOURNAMENT, ContestEntry, ContestLog, contest_id
from referee.app.contests.making import Making
from referee.app.contests.queue import Queue, queue_of
from referee.app.contests.refusals import (
    ContestDamaged,
    NotAnEntrant,
    NotExportable,
    UnknownTournament,
)
from referee.app.contests.seeds import rating_on
from referee.app.contests.shelf import Shelf
from referee.app.contests.terms import TournamentTerms
from referee.app.contests.tournament_tables import TournamentTables
from referee.app.contests.tournament_terms import check_terms, seating_of
from referee.app.contests.tournament_wish import (
    EVERY_PAIRING,
    EVERY_TOURNAMENT,
    ExportFormat,
    PairingFilter,
    TournamentFilter,
    TournamentWish,
    first_events,
    is_wanted,
    pairing_is_wanted,
)
from referee.app.contests.watching import Watching
from referee.app.names import check_name, check_words
from referee.app.ports import Conflict, Time
from referee.app.referee import Referee
from referee.app.refusals import NameTaken
from referee.app.wish import Limits
from referee.app.worker_pool import Run, run_here
from referee.contest.directing import Cancel, Start, Withdraw
from referee.contest.export import to_csv, to_json, to_trf
from referee.contest.pairing import Course
from referee.contest.refusals import NoReport
from referee.contest.terms import Seeding
from referee.contest.tournament import Phase
from referee.contest.tournament_events import Ended, Entered, Entrant
from referee.core.errors import RequestIdReused

LOOKED_AT_ONCE = 5_000
"""How many pairings are filtered before the event loop goes on."""

WORDS_CHARS = 200
"""Of a title or a message."""


class Tournaments:
    """All tournaments of one process.

    Every method that names a tournament raises UnknownTournament if there is none, and ContestDamaged if its log is;
    every method raises LogUnavailable if the log cannot be used now.
    """

    def __init__(
        self,
        log: ContestLog,
        referee: Referee,
        accounts: Accounts,
        ladders: Ladders,
        making: Making,
        time: Time,
        games: Mapping[str, Game],
        limits: Limits,
        draw_seed: Callable[[], bytes],
        complain: Callable[[str, Exception], None],
        run: Run = run_here,
    ) -> None:
        """`draw_seed` gives 32 bytes that nobody knows; `complain` hears of what is nobody's doing, by contest.

        `run` runs what may take long.
        """
        self._log = log
        self._referee = referee
        self._accounts = accounts
        self._ladders = ladders
        self._making = making
        self._games = games
        self._limits = limits
        self._draw_seed = draw_seed
        self._run = run
        self.tables = TournamentTables(run)
        self._shelf = Shelf(log, TOURNAMENT, fold, Ended, complain)
        self._directors = Directors(self._shelf, making, referee, time, games, complain, run)
        self._making_one = asyncio.Lock()

    async def open(self) -> int:
        """Take up every tournament that goes on, as its log tells it; how many. After the matches are taken up."""
        return await self._directors.open()

    async def close(self, why: Exception) -> None:
        """Finish what was begun, make nothing more, and send away who watches."""
        await self._directors.close()
        await asyncio.gather(*(book.close(why) for book in self._shelf.live))

    async def create(self, wish: TournamentWish) -> Held:
        """Make a tournament, or find the one that this very request of the organiser's has made.

        Raises BadName, NameTaken, RequestIdReused, BadField, UnknownLadder, what `MatchWish.setup` raises of the
        terms of its matches, and of the entrants what `enter` raises.
        """
        check_name(wish.name)
        check_words("title", wish.title, WORDS_CHARS)
        run = self._run if wish.terms.openings else run_here
        await run(check_terms, wish.terms, self._games, self._limits, holder=wish.organiser)
        async with self._making_one:
            known = self._shelf.made_by(wish.organiser, wish.request_id)
            if known:
                return await self._made_again(known, wish)
            if wish.terms.ladder:
                await self._ladders.ladder(wish.terms.ladder)
            entrants = [await self._checked(wish.terms, entrant) for entrant in wish.entrants]
            try:
                book = await self._shelf.add(wish.name, first_events(wish, self._draw_seed(), entrants))
            except Conflict:
                raise NameTaken(wish.name) from None
        self._directors.direct(book)
        return book.state

    def check_known(self, name: str) -> None:
        """Raises UnknownTournament."""
        if not self._shelf.knows(contest_id(TOURNAMENT, name)):
            raise UnknownTournament(name)

    async def tournament(self, name: str) -> Held:
        """As it is now."""
        return (await self._book(name)).state

    async def tournaments(
        self, wanted: TournamentFilter = EVERY_TOURNAMENT, after: str = "", at_most: int = 100
    ) -> list[Held]:
        """Tournaments, the newest first, from the first older than the tournament `after`.

        One whose log is damaged has nothing that could be shown.
        """
        contests = [*reversed(self._shelf.first)]
        last = contest_id(TOURNAMENT, after)
        found: list[Held] = []
        for contest in contests[contests.index(last) + 1 if last in contests else 0 :]:
            if len(found) == at_most:
                break
            with suppress(ContestDamaged):
                held = (await self._shelf.book(contest)).state
                if is_wanted(held, wanted):
                    found.append(held)
        return found

    async def enter(self, name: str, entrant: Entrant) -> Held:
        """Take an entrant in; without a name, it has that of its only bot. Its rating is found here.

        Raises TournamentStarted, TournamentOver, AlreadyIn, NameTaken, WrongEntrantCount, UnknownBot,
        UnknownVersion, BotPaused, BadField, or WrongSeats if it is not one bot for each seat of a side.
        """
        book = await self._book(name)
        entrant = await self._checked(book.state.terms, entrant)
        await book.change(lambda held: entered(held, entrant))
        return self._changed(book)

    async def withdraw(self, name: str, entrant: str, message: str = "") -> Held:
        """Before the start it was never there; afterwards it is paired no more. To do it twice is no fault.

        Raises NotAnEntrant, TournamentOver or BadField.
        """
        check_words("message", message, WORDS_CHARS)
        book = await self._book(name)
        await book.change(lambda held: decided(held, Withdraw(entrant, message), self._run))
        return self._changed(book)

    async def start(self, name: str) -> Held:
        """To do it twice is no fault.

        Raises WrongEntrantCount, NotAnEntrant, BadTerms (of challengers), TournamentOver or RefereeDraining.
        """
        book = await self._book(name)
        if book.state.tournament.phase is Phase.ENTRY and self._referee.draining:
            raise self._referee.draining
        await book.change(
            lambda held: [] if held.tournament.phase is Phase.PLAYING else decided(held, Start(), self._run)
        )
        return self._changed(book)

    async def cancel(self, name: str, message: str = "") -> Held:
        """Call it off; its matches in play become void. To do it twice is no fault.

        Raises TournamentOver or BadField.
        """
        check_words("message", message, WORDS_CHARS)
        book = await self._book(name)
        off = Cancel(message)
        await book.change(
            lambda held: [] if held.tournament.phase is Phase.CANCELLED else decided(held, off, self._run)
        )
        return self._changed(book)

    async def pairings(
        self, name: str, wanted: PairingFilter = EVERY_PAIRING, after: str = "", at_most: int = 100
    ) -> list[Course]:
        """Pairings by round and board, from the first behind the pairing `after`. Raises NotAnEntrant."""
        held = await self.tournament(name)
        if wanted.entrant and wanted.entrant not in held.tournament.entrants:
            raise NotAnEntrant(name, wanted.entrant)
        last: tuple[int, int, int] | None = None
        found: list[tuple[tuple[int, int, int], Course]] = []
        for number, course in enumerate(held.tournament.courses.values()):
            if number % LOOKED_AT_ONCE == LOOKED_AT_ONCE - 1:
                await asyncio.sleep(0)
            place = (course.pairing.round, course.pairing.board, number)
            if course.pairing.id == after:
                last = place
            elif pairing_is_wanted(course, wanted):
                found.append((place, course))
        found.sort()
        first = 0 if last is None else bisect_left(found, (last,))
        return [course for _, course in found[first : first + at_most]]

    def queue(self, now_ms: int) -> Queue:
        """Of all tournaments together, as it is at that time."""
        return queue_of([book.state for book in self._shelf.live], self._making, now_ms)

    def set_open(self, name: str, set_id: str, but: str) -> bool:
        """See `sealed.SetKeeper`."""
        return self._directors.set_open(contest_id(TOURNAMENT, name), set_id, but)

    async def export(self, name: str, form: ExportFormat) -> str:
        """Raises TournamentNotStarted or NotExportable."""
        held = await self.tournament(name)
        try:
            return await self.tables.export(held, EXPORTS[form])
        except NoReport as why:
            raise NotExportable(name, form.value, why.details["why"]) from None

    async def watch(self, name: str, after: int | None) -> tuple[Held, Watching[Held]]:
        """The tournament as it is now, and what follows after that number (None: from now on). Raises NumberAhead.

        To be iterated over: batches of `book.Step`, in order, until it is over. Raises SlowConsumer on the way.
        """
        behind_at_most = self._limits.watcher_behind_at_most
        watching = Watching(self._log, fold, lambda held: held.over, await self._book(name), behind_at_most)
        return await watching.begin(after), watching

    async def _book(self, name: str) -> Book[Held]:
        try:
            return await self._shelf.book(contest_id(TOURNAMENT, name))
        except KeyError:
            raise UnknownTournament(name) from None

    async def _checked(self, terms: TournamentTerms, entrant: Entrant) -> Entrant:
        entrant = await checked(entrant, seating_of(terms, self._games).bots, self._accounts)
        if not terms.ladder or terms.tournament.seeding is not Seeding.RATING:
            return entrant
        held = await self._ladders.ladder(terms.ladder)
        return replace(entrant, rating=rating_on(held.ladder, entrant.bots))

    def _changed(self, book: Book[Held]) -> Held:
        self._directors.wake(book.contest)
        return book.state

    async def _made_again(self, first: ContestEntry, wish: TournamentWish) -> Held:
        """Raises RequestIdReused if that request asked for something else."""
        made = first.event
        assert isinstance(made, TournamentMade)
        unseeded = replace(made, terms=replace(made.terms, tournament=replace(made.terms.tournament, seed=b"")))
        first_in = [entry.event for entry in await self._log.read(first.contest, 1, made.entrants)]
        came = [replace(event.entrant, rating=None) for event in first_in if isinstance(event, Entered)]
        if unseeded != wish.made(wish.terms) or came != [named(entrant) for entrant in wish.entrants]:
            raise RequestIdReused(wish.request_id)
        return await self.tournament(made.name)


def _csv(held: Held) -> str:
    return to_csv(held.tournament)


def _json(held: Held) -> str:
    return to_json(held.tournament)


def _trf(held: Held) -> str:
    return to_trf(held.tournament, held.title)


EXPORTS: dict[ExportFormat, Callable[[Held], str]] = {
    ExportFormat.CSV: _csv,
    ExportFormat.JSON: _json,
    ExportFormat.TRF: _trf,
}
