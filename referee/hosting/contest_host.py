"""Facade of contests of either kind, called by adapters: create, find, list, watch, and the queue of planned matches.

`LadderHost` and `TournamentHost` add the commands of their kind, which check entrants in the same way. Permissions are
checked by the caller. All that is returned is public, except for the openings of duplicate play
(`state.terms.openings`), which only the organiser may see until the contest is over.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from referee_values import TournamentPhase

from engines.api import Game
from referee.accounts.account_errors import BadField, BotPaused, NameTaken, NoSuchBot
from referee.accounts.bots import Accounts
from referee.accounts.names import NAME, NAME_RULE, check_name, check_words
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import WrongParticipantCount
from referee.hosting.contest_log import ContestEntry, ContestEvent, contest_id
from referee.hosting.contest_store import READ_BATCH_SIZE, ContestRegistry, ContestStore, ContestWatch
from referee.hosting.contest_terms import HostedLadderTerms, HostedTournamentTerms
from referee.hosting.contest_worker import ContestWorker, HostingDependencies, S
from referee.hosting.contest_workers import ContestWorkers
from referee.hosting.hosting_errors import AlreadyIn, ContestDamaged, ContestNotOver, NoSuchLadder, NoSuchTournament
from referee.hosting.ladder_state import LadderState
from referee.hosting.match_factory import ContestState, MatchQueue, queue_of
from referee.live.match_request import LiveLimits
from referee.live.ports import Conflict
from referee.live.worker_pool import run_inline
from referee.match.match_errors import RequestIdReused
from referee.match.setup import Player

MAX_TEXT_CHARS = 200
"""Length of a title or a message."""

Terms = TypeVar("Terms", bound=HostedLadderTerms | HostedTournamentTerms)

TermsCheck = Callable[[Any, Mapping[str, Game], LiveLimits], None]


class ContestRequest(Struct, Generic[Terms], frozen=True, gc=False):
    """A request to create a contest."""

    name: str
    organiser: str
    """Holder of the token with which it is created."""
    request_id: str
    """Chosen by the organiser; a second request with the same id creates nothing."""
    terms: Terms
    title: str = ""
    """Title for people. Empty: the name."""


class ContestFilter(Struct, frozen=True, gc=False):
    """Which contests to list; all conditions must hold."""

    game: str = ""
    bot: str = ""
    phase: TournamentPhase | None = None
    """Of tournaments."""
    with_closed: bool = False
    """Whether ladders that have stopped pairing are listed, too."""

    def matches(self, state: ContestState) -> bool:
        games = {terms.game for terms in state.terms.match_terms}
        if self.game not in {"", *games} or (self.bot and not state.has_bot(self.bot)):
            return False
        if isinstance(state, LadderState):
            return self.with_closed or not state.closed
        return self.phase in (None, state.tournament.phase)


ANY_CONTEST = ContestFilter()
R = TypeVar("R", bound=ContestRequest[Any])


class ContestHost(ABC, Generic[S, R]):
    """All contests of one kind in this process.

    Every method that takes the name of a contest raises NoSuchLadder or NoSuchTournament if it does not exist, and
    ContestDamaged if its log is damaged. Every method raises StoreUnavailable if the log cannot be used now.
    """

    _unknown: ClassVar[type[NoSuchLadder] | type[NoSuchTournament]]

    def __init__(
        self, registry: ContestRegistry[S], dependencies: HostingDependencies, check_terms: TermsCheck
    ) -> None:
        """`check_terms` is a function of a module, since it may run in a worker process."""
        self._registry = registry
        self._deps = dependencies
        self._check_terms = check_terms
        self.workers = ContestWorkers(registry, dependencies, self._create_worker)
        self._create_lock = asyncio.Lock()

    @property
    def kind(self) -> str:
        """The word `ladder` or `tournament`."""
        return self._registry.kind

    async def load(self) -> int:
        """Read all active contests from their logs. Return how many there are."""
        return len(await self._registry.open())

    async def start_workers(self) -> None:
        """Resume all active contests, which must be loaded, and live matches recovered."""
        await self.workers.start_all()

    async def stop(self, why: Exception) -> None:
        """Finish the current steps of all workers, create no more matches, and end all watches with `why`."""
        await self.workers.close()
        await asyncio.gather(*(store.close(why) for store in self._registry.active))

    async def create(self, request: R) -> S:
        """Create a contest; the same request of the same organiser again returns the contest that it has created.

        Raises BadName, NameTaken, RequestIdReused, BadField, or what checking the terms of its matches raises. For a
        tournament also NoSuchLadder, and what `TournamentHost.enter` raises.
        """
        check_name(request.name)
        check_words("title", request.title, MAX_TEXT_CHARS)
        run = self._deps.run if request.terms.openings else run_inline
        await run(self._check_terms, request.terms, self._deps.games, self._deps.limits, holder=request.organiser)
        async with self._create_lock:
            first = self._registry.find_request(request.organiser, request.request_id)
            if first:
                if not await self._is_same_request(first, request):
                    raise RequestIdReused(request.request_id)
                return (await self._registry.get(first.contest)).state
            events = await self._creation_events(request)
            try:
                store = await self._registry.add(request.name, events)
            except Conflict:
                raise NameTaken(request.name) from None
        self.workers.start(store)
        return store.state

    def has_created(self, organiser: str, request_id: str) -> bool:
        """Return whether this request has created a contest before."""
        return self._registry.find_request(organiser, request_id) is not None

    def count_active(self, organiser: str) -> int:
        """Return the number of contests of an organiser that are not over."""
        return sum(store.state.organiser == organiser for store in self._registry.active)

    def check_known(self, name: str) -> None:
        """Raises NoSuchLadder or NoSuchTournament."""
        if not self._registry.contains(self._contest(name)):
            raise self._unknown(name)

    async def get(self, name: str) -> S:
        """Return the current state."""
        return (await self._find_store(name)).state

    async def find(self, wanted: ContestFilter = ANY_CONTEST, after: str = "", limit: int = 100) -> list[S]:
        """Return contests that match a filter, those after the contest `after` in the order of their kind.

        Contests whose log is damaged are left out.
        """
        found: list[S] = []
        for contest in self._contests_after(self._contest(after)):
            if len(found) == limit:
                break
            with suppress(ContestDamaged):
                state = (await self._registry.get(contest)).state
                if wanted.matches(state):
                    found.append(state)
        return found

    async def watch(self, name: str, after: int | None) -> tuple[S, ContestWatch[S]]:
        """Return the current state, and an iterator over what follows entry number `after` (None: from now on).

        The iterator yields batches of `ContestStep` in order and ends with the contest. Raises NumberAhead; the
        iterator raises SlowConsumer.
        """
        store = await self._find_store(name)
        watch = ContestWatch(store, lambda state: state.over, self._deps.limits.max_watcher_lag)
        current = store.state
        await watch.begin(after)
        return current, watch

    async def last_state(self, name: str) -> S:
        """Return the state of a contest that is over, which does not change any more. Raises ContestNotOver."""
        store = await self._find_store(name)
        if not store.state.over:
            raise ContestNotOver(store.contest)
        return store.state

    async def read_log(self, state: S) -> AsyncIterator[list[ContestEntry]]:
        """Yield the entries up to those that a state includes, in batches."""
        number = 0
        while number < state.number:
            entries = await self._registry.log.read(state.contest, number, READ_BATCH_SIZE)
            number = entries[-1].number
            yield entries

    def queue(self, now_ms: int) -> MatchQueue:
        """Return all matches of active contests that wait to be played, at that time."""
        return queue_of([store.state for store in self._registry.active], self._deps.factory, now_ms)

    def _contest(self, name: str) -> str:
        return contest_id(self._registry.kind, name)

    async def _find_store(self, name: str) -> ContestStore[S]:
        try:
            return await self._registry.get(self._contest(name))
        except KeyError:
            raise self._unknown(name) from None

    async def _execute(
        self, store: ContestStore[S], decide: Callable[[S], Sequence[ContestEvent] | Awaitable[Sequence[ContestEvent]]]
    ) -> S:
        """Write the events that `decide` returns for the state, wake the worker, and return the new state."""
        await store.execute(decide)
        self.workers.wake(store.contest)
        return store.state

    async def _resolve_entrant(
        self, entrant: ContestEntrant, bots_per_entrant: int, *, one_for_all: bool = False
    ) -> ContestEntrant:
        """Return the entrant with its name and owners, if all of its bots may play.

        `one_for_all`: a single bot may play for all of them.

        Raises BadField, WrongParticipantCount, AlreadyIn, NoSuchBot, NoSuchVersion, BotPaused or StoreUnavailable.
        """
        if len(entrant.bots) != bots_per_entrant:
            what = "an entrant, which has one bot for each seat of a side or each board of a team,"
            raise WrongParticipantCount(what, len(entrant.bots), bots_per_entrant)
        if not entrant.name and bots_per_entrant > 1:
            raise BadField("entrant.name", "an entrant of several bots needs a name")
        entrant = with_default_name(entrant)
        await _check_name(entrant, self._deps.accounts)
        for place, player in enumerate(entrant.bots):
            if not (one_for_all and len(set(entrant.bots)) == 1):
                _check_different(player, entrant.bots[:place], entrant.name)
            await _check_player(player, self._deps.accounts)
        return replace(entrant, owners=await self._deps.owners.of(entrant.bots))

    def _free_places(self, players: Iterable[Player]) -> None:
        """Start matches that waited because places of these bots were kept free for the contest that they left."""
        self._deps.referee.reserved_places.on_freed({player.bot for player in players})

    @abstractmethod
    def _create_worker(self, store: ContestStore[S]) -> ContestWorker[S]:
        """Create and start the worker of a contest."""

    @abstractmethod
    def _contests_after(self, last: str) -> Iterable[str]:
        """Return the contests that follow the contest `last` in a list."""

    @abstractmethod
    async def _creation_events(self, request: R) -> Sequence[ContestEvent]:
        """Return the first events of a new contest."""

    @abstractmethod
    async def _is_same_request(self, first: ContestEntry, request: R) -> bool:
        """Return whether the contest that starts with the entry `first` is the one that `request` describes."""


def check_reason(message: str) -> None:
    """Raise BadField unless the act of staff has a reason."""
    if not message:
        raise BadField("message", "it is required, because entrants can read it as the reason")
    check_words("message", message, MAX_TEXT_CHARS)


def with_default_name(entrant: ContestEntrant) -> ContestEntrant:
    """Return the entrant, named as its first bot if it has no name."""
    return entrant if entrant.name or not entrant.bots else replace(entrant, name=entrant.bots[0].bot)


def check_not_entered(entrant: ContestEntrant, other: ContestEntrant) -> None:
    """Raise AlreadyIn if a bot plays for both entrants, unless both name its version and the versions differ."""
    for player in entrant.bots:
        _check_different(player, other.bots, other.name)


def _check_different(player: Player, others: Sequence[Player], entrant: str) -> None:
    for other in others:
        if player.bot == other.bot and ("" in (player.version, other.version) or player == other):
            raise AlreadyIn(player.bot, entrant)


async def _check_name(entrant: ContestEntrant, accounts: Accounts) -> None:
    """Raises BadField if the name is malformed, or that of a bot that does not play for the entrant."""
    if not NAME.fullmatch(entrant.name):
        raise BadField("entrant.name", NAME_RULE)
    with suppress(NoSuchBot):
        bot = await accounts.bot(entrant.name)
        if bot.name not in {player.bot for player in entrant.bots}:
            raise BadField("entrant.name", "it is the name of a bot that does not play for this entrant")


async def _check_player(player: Player, accounts: Accounts) -> None:
    bot = await accounts.bot(player.bot)
    if bot.pause:
        raise BotPaused(bot.name, bot.pause.cause.value)
    if player.version:
        await accounts.versions(bot.name, player.version, 1)
