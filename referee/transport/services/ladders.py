"""LadderService: creating, joining, challenging, watching and listing ladders."""

from typing import Any

import grpc.aio
from referee_api.v1 import ladder_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceServicer, add_LadderServiceServicer_to_server

from referee.accounts.bots import Accounts
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import NotAMember
from referee.hosting.ladder_host import LadderFilter, LadderHost, LadderRequest
from referee.hosting.ladder_state import LadderState
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
from referee.transport.services.contest_corrections import own_request_id, read_correction
from referee.transport.services.holder_usage import ContestLimit
from referee.transport.services.matches import check_request_id
from referee.transport.services.paging import chunks, convert_page, page_size, parse_page_number, parse_page_token
from referee.transport.services.records import ContestRecords
from referee.wire.contests import correction_of, pairing_of
from referee.wire.ladders import ladder_entry_of, ladder_of, ladder_standing_of, point_of, read_ladder_terms
from referee.wire.terms import TermsConverter
from referee.wire.wire_errors import TooManyMatches

SNAPSHOT_ROWS = 100
"""Rows of the standings in a snapshot, and corrections."""
MAX_CHALLENGES_PER_OPPONENT = 2
"""Challenges of one holder against the same opponent that are not over, unless it is the ladder's organiser."""


class Ladders(LadderServiceServicer):
    def __init__(
        self,
        ladders: LadderHost,
        accounts: Accounts,
        consent_guard: ConsentGuard,
        converter: TermsConverter,
        rate_limiter: RateLimiter,
        contest_limit: ContestLimit,
        contest_changes: ContestChanges,
        contest_records: ContestRecords,
        max_items_per_message: int,
    ) -> None:
        self._ladders = ladders
        self._permissions = Permissions(accounts)
        self._consent_guard = consent_guard
        self._converter = converter
        self._rate_limiter = rate_limiter
        self._contest_limit = contest_limit
        self._contest_changes = contest_changes
        self._contest_records = contest_records
        self._max_items_per_message = max_items_per_message

    def add_to(self, server: grpc.aio.Server) -> None:
        add_LadderServiceServicer_to_server(self, server)

    async def CreateLadder(self, request: pb.CreateLadderRequest, context: Any) -> pb.CreateLadderResponse:
        check_request_id(request.request_id)
        await self._rate_limiter.require_storage(CALLER.get().holder)
        await self._contest_limit.check_creation(CALLER.get().holder, self._ladders, request.request_id)
        terms = read_ladder_terms(request.terms, self._converter)
        to_create = LadderRequest(request.name, CALLER.get().holder, request.request_id, terms, request.title)
        return pb.CreateLadderResponse(ladder=self._ladder_of(await self._ladders.create(to_create)))

    async def GetLadder(self, request: pb.GetLadderRequest, context: Any) -> pb.GetLadderResponse:
        return pb.GetLadderResponse(ladder=self._ladder_of(await self._ladders.get(request.name)))

    async def ListLadders(self, request: pb.ListLaddersRequest, context: Any) -> pb.ListLaddersResponse:
        size = page_size(request.page_size)
        if request.game:
            find_game(self._converter.games, request.game)
        wanted = LadderFilter(request.game, request.bot, request.include_closed)
        found = await self._ladders.find(wanted, parse_page_token(request), size + 1)
        shown, token = await convert_page(request, found, size, lambda state: state.created.name, self._ladder_of)
        return pb.ListLaddersResponse(ladders=shown, next_page_token=token)

    async def JoinLadder(self, request: pb.JoinLadderRequest, context: Any) -> pb.JoinLadderResponse:
        caller = CALLER.get()
        state = await self._ladders.get(request.ladder)
        name, bots = resolve_new_entrant(request.entrant, caller)
        await self._permissions.require_all(caller, state.created.organiser, bots, "JoinLadder for another's bot")
        invited = await self._consent_guard.enter_contest(
            caller, state.created.organiser, bots, state.terms.match_terms
        )
        self._contest_changes.count(caller.budget_owner)
        row = await self._ladders.join(state.created.name, ContestEntrant(name, bots, invited=invited))
        return pb.JoinLadderResponse(standing=ladder_standing_of(row))

    async def LeaveLadder(self, request: pb.LeaveLadderRequest, context: Any) -> pb.LeaveLadderResponse:
        caller = CALLER.get()
        state = await self._ladders.get(request.ladder)
        entrant = find_own_entrant(request.entrant, caller, state.ladder.entrants.values())
        if entrant is None:
            raise NotAMember(state.created.name, request.entrant or caller.bot)
        await self._permissions.require_any(caller, state.created.organiser, entrant.bots, "LeaveLadder for another")
        await self._ladders.leave(state.created.name, entrant.name)
        return pb.LeaveLadderResponse()

    async def Challenge(self, request: pb.ChallengeRequest, context: Any) -> pb.ChallengeResponse:
        caller = CALLER.get()
        check_request_id(request.request_id)
        state = await self._ladders.get(request.ladder)
        await self._check_challenger(caller, state, request)
        try:
            progress = await self._ladders.challenge(
                state.created.name, _scoped_id(caller, request), tuple(request.entrants)
            )
        except RequestIdReused:
            raise RequestIdReused(request.request_id) from None
        return pb.ChallengeResponse(pairing=pairing_of(progress))

    async def StartSeason(self, request: pb.StartSeasonRequest, context: Any) -> pb.StartSeasonResponse:
        check_request_id(request.request_id)
        state = await self._own_ladder(request.ladder, "StartSeason")
        self._contest_changes.count(CALLER.get().budget_owner)
        state = await self._ladders.start_season(state.created.name, _scoped_id(CALLER.get(), request))
        return pb.StartSeasonResponse(ladder=self._ladder_of(state))

    async def PauseLadder(self, request: pb.PauseLadderRequest, context: Any) -> pb.PauseLadderResponse:
        state = await self._own_ladder(request.ladder, "PauseLadder")
        self._contest_changes.count(CALLER.get().budget_owner)
        return pb.PauseLadderResponse(
            ladder=self._ladder_of(await self._ladders.pause(state.created.name, request.message))
        )

    async def ResumeLadder(self, request: pb.ResumeLadderRequest, context: Any) -> pb.ResumeLadderResponse:
        state = await self._own_ladder(request.ladder, "ResumeLadder")
        self._contest_changes.count(CALLER.get().budget_owner)
        return pb.ResumeLadderResponse(ladder=self._ladder_of(await self._ladders.resume(state.created.name)))

    async def CloseLadder(self, request: pb.CloseLadderRequest, context: Any) -> pb.CloseLadderResponse:
        state = await self._own_ladder(request.ladder, "CloseLadder")
        return pb.CloseLadderResponse(
            ladder=self._ladder_of(await self._ladders.close(state.created.name, request.message))
        )

    async def CorrectLadderMatch(
        self, request: pb.CorrectLadderMatchRequest, context: Any
    ) -> pb.CorrectLadderMatchResponse:
        state = await self._own_ladder(request.ladder, "CorrectLadderMatch")
        correction = read_correction(request, CALLER.get())
        self._contest_changes.count(CALLER.get().budget_owner)
        with own_request_id(request.request_id):
            state = await self._ladders.correct(state.created.name, correction)
        return pb.CorrectLadderMatchResponse(ladder=self._ladder_of(state))

    async def ListLadderStandings(
        self, request: pb.ListLadderStandingsRequest, context: Any
    ) -> pb.ListLadderStandingsResponse:
        size = page_size(request.page_size)
        rank = parse_page_number(request)
        rows = await self._ladders.standings(request.ladder, request.season, request.all_versions)
        shown, token = await convert_page(
            request, rows[rank : rank + size + 1], size, lambda row: str(row.rank), ladder_standing_of
        )
        return pb.ListLadderStandingsResponse(standings=shown, next_page_token=token)

    async def ListRatingHistory(
        self, request: pb.ListRatingHistoryRequest, context: Any
    ) -> pb.ListRatingHistoryResponse:
        size = page_size(request.page_size)
        number = parse_page_number(request)
        state = await self._ladders.get(request.ladder)
        found = await self._ladders.history(state.created.name, request.bot, request.version, number, size + 1)
        shown, token = await convert_page(
            request, found, size, lambda point: str(point.number), lambda point: point_of(point, state.ladder)
        )
        return pb.ListRatingHistoryResponse(points=shown, next_page_token=token)

    async def GetLadderRecord(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.GetLadderRecordRequest, context: Any
    ) -> None:
        async for text in self._contest_records.parts(self._ladders, request.ladder):
            await context.write(pb.GetLadderRecordResponse(text=text))

    async def WatchLadder(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.WatchLadderRequest, context: Any
    ) -> None:
        caller = CALLER.get()
        async with self._rate_limiter.stream(caller):
            number = request.after_number if request.HasField("after_number") else None
            state, updates = await self._ladders.watch(request.ladder, number)
            item = pb.WatchLadderItem(snapshot=await self._snapshot_of(state))
            await context.write(pb.WatchLadderResponse(items=[item]))
            async for steps in updates:
                for chunk in chunks(steps, self._max_items_per_message):
                    entries = (
                        ladder_entry_of(step, self._converter, with_openings=_may_see_openings(caller, step.state))
                        for step in chunk
                    )
                    items = [pb.WatchLadderItem(entry=entry) for entry in entries]
                    await context.write(pb.WatchLadderResponse(items=items))

    def _ladder_of(self, state: LadderState) -> ladder_pb2.Ladder:
        return ladder_of(state, self._converter, with_openings=_may_see_openings(CALLER.get(), state))

    async def _snapshot_of(self, state: LadderState) -> pb.LadderSnapshot:
        rows, corrected = await self._ladders.standings_of(state), state.ladder.rated_matches.corrections.values()
        return pb.LadderSnapshot(
            entry_number=state.number,
            ladder=self._ladder_of(state),
            standings=map(ladder_standing_of, rows[:SNAPSHOT_ROWS]),
            pairings=map(pairing_of, state.ladder.open_pairings),
            corrections=[correction_of(it.correction) for it in [*corrected][-SNAPSHOT_ROWS:]],
        )

    async def _own_ladder(self, name: str, what: str) -> LadderState:
        """Raises NoSuchLadder or NotYours."""
        state = await self._ladders.get(name)
        require_organiser(CALLER.get(), state.created.organiser, f"{what} for a ladder of another")
        return state

    async def _check_challenger(self, caller: Caller, state: LadderState, request: pb.ChallengeRequest) -> None:
        """Check the challenger, the first of the entrants, and the consent of all of them.

        Raises NotAMember, NotYours, ConsentMissing, TooManyMatches or TooManyNames.
        """
        if _scoped_id(caller, request) in state.ladder.challenges:
            return  # A repeated request gets its first answer, even if the challenger has left.
        if not request.entrants:
            return  # The ladder rejects a wrong number of entrants.
        challenger = state.ladder.entrants.get(request.entrants[0])
        if challenger is None:
            raise NotAMember(state.created.name, request.entrants[0])
        await self._permissions.require_any(caller, state.created.organiser, challenger.bots, "Challenge for another")
        for name in request.entrants:
            bots = state.ladder.entrants[name].bots if name in state.ladder.entrants else ()
            await self._consent_guard.challenge(state.created.organiser, bots, state.terms.match_terms)
        await self._check_challenge_count(caller, state, request)
        self._contest_changes.count(caller.budget_owner)

    async def _check_challenge_count(self, caller: Caller, state: LadderState, request: pb.ChallengeRequest) -> None:
        """Raise TooManyMatches if too many challenges of the caller are open, in total or against one opponent.

        Otherwise anybody could fill all places of an opponent, since challenges come before other pairings.
        """
        limit = (await self._rate_limiter.quota(caller.holder)).max_matches
        pairings = state.ladder.open_challenges_of(_scope(caller))
        if len(pairings) >= limit:
            raise TooManyMatches(limit)
        if is_organiser_of(caller, state.created.organiser):
            return
        for opponent in request.entrants[1:]:
            if sum(opponent in pairing.entrants for pairing in pairings) >= MAX_CHALLENGES_PER_OPPONENT:
                raise TooManyMatches(MAX_CHALLENGES_PER_OPPONENT)


def _scoped_id(caller: Caller, request: pb.ChallengeRequest | pb.StartSeasonRequest) -> str:
    """Return the request id, prefixed by the holder, so that ids of different holders do not collide."""
    return f"{_scope(caller)}{request.request_id}"


def _scope(caller: Caller) -> str:
    return f"{caller.holder}/"


def _may_see_openings(caller: Caller, state: LadderState) -> bool:
    """Return whether the caller may see the openings: only the organiser, until the ladder is closed."""
    return state.over or is_organiser_of(caller, state.created.organiser)
