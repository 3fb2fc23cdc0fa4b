"""What LadderService and TournamentService share: creation, entrants, permissions, watching and records."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from referee_api.v1 import contest_pb2, ladder_service_pb2, tournament_service_pb2

from referee.accounts.bots import Accounts
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import NotAMember, NotAnEntrant
from referee.contests.corrections import Correction
from referee.hosting.contest_host import ContestHost
from referee.hosting.contest_store import ContestStep
from referee.hosting.contest_worker import S
from referee.live.match_request import find_game
from referee.match.match_errors import RequestIdReused
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.guards.consent_guard import ConsentGuard
from referee.transport.guards.contest_changes import ContestChanges
from referee.transport.guards.permissions import (
    Permissions,
    find_own_entrant,
    is_organiser_of,
    require_organiser,
    resolve_new_entrant,
)
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.holder_usage import ContestLimit
from referee.transport.services.matches import check_request_id, method_of
from referee.transport.services.paging import chunks
from referee.transport.services.records import ContestRecords
from referee.transport.wire.basic_types import read_word
from referee.transport.wire.terms import TermsConverter

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ContestServiceParts:
    accounts: Accounts
    consent_guard: ConsentGuard
    converter: TermsConverter
    rate_limiter: RateLimiter
    contest_limit: ContestLimit
    contest_changes: ContestChanges
    contest_records: ContestRecords
    max_items_per_message: int


class ContestServicer(Generic[S]):
    _not_entered: ClassVar[type[NotAMember] | type[NotAnEntrant]]

    def __init__(self, host: ContestHost[S, Any], parts: ContestServiceParts) -> None:
        self._host = host
        self._parts = parts
        self._converter = parts.converter
        self._permissions = Permissions(parts.accounts)

    async def _snapshot(self, snapshot: Any, state: S) -> None:
        """Fill in a snapshot in place: it may be large, and returning it would need a copy."""
        raise NotImplementedError

    async def _entry(self, step: ContestStep[S], caller: Caller) -> Any:
        """Return the message of an entry."""
        raise NotImplementedError

    async def _check_creation(self, request_id: str) -> Caller:
        """Return the caller, if it may create another contest. Raises BadField, TooManyNames or QuotaExceeded."""
        caller = CALLER.get()
        check_request_id(request_id)
        await self._parts.rate_limiter.require_storage(caller.holder)
        await self._parts.contest_limit.check_creation(caller.holder, self._host, request_id)
        return caller

    def _check_filter(self, game: str) -> None:
        if game:
            find_game(self._converter.reader.games, game)

    async def _new_entrant(self, contest: str, entrant: contest_pb2.Entrant, method: str) -> tuple[str, ContestEntrant]:
        """Return the name of the contest, and the new entrant. Raises NotYours, ConsentMissing or TooManyNames."""
        caller, state = CALLER.get(), await self._host.get(contest)
        name, bots = resolve_new_entrant(entrant, caller)
        await self._permissions.require_all(caller, state.organiser, bots, method)
        invited = await self._parts.consent_guard.enter_contest(caller, state.organiser, bots, state.terms.match_terms)
        self._count_changes()
        return state.name, ContestEntrant(name, bots, invited=invited)

    async def _own_entrant(self, contest: str, name: str, method: str) -> tuple[S, str]:
        """Return the contest, and the entrant for which the caller may act. Raises NotAnEntrant or NotYours."""
        caller, state = CALLER.get(), await self._host.get(contest)
        entrant = find_own_entrant(name, caller, state.play.entrants.values())
        if entrant is None:
            raise self._not_entered(state.name, name or caller.bot)
        await self._permissions.require_any(caller, state.organiser, entrant.bots, method)
        return state, entrant.name

    async def _own(self, name: str, method: str, changes: int = 0) -> S:
        """Return a contest of the caller, which will have so many changes. Raises NoSuchLadder, NotYours and so on."""
        state = await self._host.get(name)
        require_organiser(CALLER.get(), state.organiser, method, state.kind)
        self._count_changes(changes)
        return state

    async def _correct(
        self,
        contest: str,
        request: ladder_service_pb2.CorrectLadderMatchRequest | tournament_service_pb2.CorrectTournamentMatchRequest,
        correct: Callable[[str, Correction], Awaitable[T]],
    ) -> T:
        """Correct a match of a contest of the caller, and return what `correct` does. Raises BadField and others."""
        state = await self._own(contest, method_of(request))
        check_request_id(request.request_id)
        kind = read_word(contest_pb2.CorrectionKind, request.kind, "kind")
        ranks, by = tuple(request.ranks), CALLER.get().holder
        correction = Correction(scoped_id(request), request.match_id, kind, ranks, request.message, by)
        self._count_changes()
        with own_request_id(request.request_id):
            return await correct(state.name, correction)

    def _count_changes(self, changes: int = 1) -> None:
        if changes:
            self._parts.contest_changes.count(CALLER.get().budget_owner, changes)

    async def _watch(self, contest: str, request: Any, response_type: Any, context: Any) -> None:
        """Write a snapshot, and then messages with the entries that follow."""
        caller = CALLER.get()
        async with self._parts.rate_limiter.stream(caller):
            number = request.after_number if request.HasField("after_number") else None
            state, updates = await self._host.watch(contest, number)
            response = response_type()
            await self._snapshot(response.items.add().snapshot, state)
            await context.write(response)
            async for steps in updates:
                for chunk in chunks(steps, self._parts.max_items_per_message):
                    response = response_type()
                    for step in chunk:
                        response.items.add().entry.CopyFrom(await self._entry(step, caller))
                    await context.write(response)

    def _record(self, contest: str) -> AsyncIterator[str]:
        return self._parts.contest_records.parts(self._host, contest)


def scoped_id(request: Any) -> str:
    """Return the request id, prefixed by the holder, so that ids of different holders do not collide."""
    return f"{CALLER.get().holder}/{request.request_id}"


@contextmanager
def own_request_id(request_id: str) -> Iterator[None]:
    """Name the request id in errors as the caller wrote it."""
    try:
        yield
    except RequestIdReused:
        raise RequestIdReused(request_id) from None


def may_see_openings(caller: Caller, state: Any) -> bool:
    """Return whether the caller may see the openings of a contest: only the organiser, until it is over."""
    return bool(state.over) or is_organiser_of(caller, state.organiser)
