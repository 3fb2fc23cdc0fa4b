"""LadderService: creating, joining, challenging, watching and listing ladders."""

from typing import Any

import grpc.aio
from referee_api.v1 import ladder_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceServicer, add_LadderServiceServicer_to_server
from referee_values import LadderTerms

from referee.contests.contest_errors import NotAMember
from referee.hosting.contest_host import ContestFilter
from referee.hosting.contest_store import ContestStep
from referee.hosting.ladder_host import LadderHost, LadderRequest
from referee.hosting.ladder_state import LadderState
from referee.transport.guards.authentication import CALLER, Caller
from referee.transport.guards.permissions import is_organiser_of
from referee.transport.services.contest_servicer import (
    ContestServiceParts,
    ContestServicer,
    may_see_openings,
    own_request_id,
    scoped_id,
)
from referee.transport.services.matches import check_request_id
from referee.transport.services.paging import convert_page, page_size, parse_page_number, parse_page_token
from referee.transport.wire.basic_types import read_value
from referee.transport.wire.contests import correction_of, pairing_of
from referee.transport.wire.ladders import ladder_entry_of, ladder_of, ladder_standing_of, point_of
from referee.transport.wire.wire_errors import TooManyMatches

SNAPSHOT_ROWS = 100
"""Rows of the standings in a snapshot, and corrections."""
MAX_CHALLENGES_PER_OPPONENT = 2
"""Challenges of one holder against the same opponent that are not over, unless it is the ladder's organiser."""


class Ladders(ContestServicer[LadderState], LadderServiceServicer):
    _not_entered = NotAMember

    def __init__(self, ladders: LadderHost, parts: ContestServiceParts) -> None:
        super().__init__(ladders, parts)
        self._ladders = ladders

    def add_to(self, server: grpc.aio.Server) -> None:
        add_LadderServiceServicer_to_server(self, server)

    async def CreateLadder(self, request: pb.CreateLadderRequest, context: Any) -> pb.CreateLadderResponse:
        caller = await self._check_creation(request.request_id)
        terms = self._converter.reader.ladder_terms(read_value(request.terms, LadderTerms, "terms"))
        to_create = LadderRequest(request.name, caller.holder, request.request_id, terms, request.title)
        return pb.CreateLadderResponse(ladder=self._ladder_of(await self._ladders.create(to_create)))

    async def GetLadder(self, request: pb.GetLadderRequest, context: Any) -> pb.GetLadderResponse:
        return pb.GetLadderResponse(ladder=self._ladder_of(await self._ladders.get(request.name)))

    async def ListLadders(self, request: pb.ListLaddersRequest, context: Any) -> pb.ListLaddersResponse:
        size = page_size(request.page_size)
        self._check_filter(request.game)
        wanted = ContestFilter(request.game, request.bot, with_closed=request.include_closed)
        found = await self._ladders.find(wanted, parse_page_token(request), size + 1)
        shown, token = await convert_page(request, found, size, lambda state: state.name, self._ladder_of)
        return pb.ListLaddersResponse(ladders=shown, next_page_token=token)

    async def JoinLadder(self, request: pb.JoinLadderRequest, context: Any) -> pb.JoinLadderResponse:
        ladder, entrant = await self._new_entrant(request.ladder, request.entrant, "JoinLadder")
        row = await self._ladders.join(ladder, entrant)
        return pb.JoinLadderResponse(standing=ladder_standing_of(row))

    async def LeaveLadder(self, request: pb.LeaveLadderRequest, context: Any) -> pb.LeaveLadderResponse:
        state, entrant = await self._own_entrant(request.ladder, request.entrant, "LeaveLadder")
        await self._ladders.leave(state.name, entrant)
        return pb.LeaveLadderResponse()

    async def Challenge(self, request: pb.ChallengeRequest, context: Any) -> pb.ChallengeResponse:
        caller = CALLER.get()
        check_request_id(request.request_id)
        state = await self._ladders.get(request.ladder)
        await self._check_challenger(caller, state, request)
        with own_request_id(request.request_id):
            progress = await self._ladders.challenge(state.name, scoped_id(request), tuple(request.entrants))
        return pb.ChallengeResponse(pairing=pairing_of(progress))

    async def StartSeason(self, request: pb.StartSeasonRequest, context: Any) -> pb.StartSeasonResponse:
        check_request_id(request.request_id)
        state = await self._own(request.ladder, "StartSeason", changes=1)
        state = await self._ladders.start_season(state.name, scoped_id(request))
        return pb.StartSeasonResponse(ladder=self._ladder_of(state))

    async def PauseLadder(self, request: pb.PauseLadderRequest, context: Any) -> pb.PauseLadderResponse:
        state = await self._own(request.ladder, "PauseLadder", changes=1)
        return pb.PauseLadderResponse(ladder=self._ladder_of(await self._ladders.pause(state.name, request.message)))

    async def ResumeLadder(self, request: pb.ResumeLadderRequest, context: Any) -> pb.ResumeLadderResponse:
        state = await self._own(request.ladder, "ResumeLadder", changes=1)
        return pb.ResumeLadderResponse(ladder=self._ladder_of(await self._ladders.resume(state.name)))

    async def CloseLadder(self, request: pb.CloseLadderRequest, context: Any) -> pb.CloseLadderResponse:
        state = await self._own(request.ladder, "CloseLadder")
        return pb.CloseLadderResponse(ladder=self._ladder_of(await self._ladders.close(state.name, request.message)))

    async def CorrectLadderMatch(
        self, request: pb.CorrectLadderMatchRequest, context: Any
    ) -> pb.CorrectLadderMatchResponse:
        state = await self._correct(request.ladder, request, self._ladders.correct)
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
        found = await self._ladders.history(state.name, request.bot, request.version, number, size + 1)
        shown, token = await convert_page(
            request, found, size, lambda point: str(point.number), lambda point: point_of(point, state.ladder)
        )
        return pb.ListRatingHistoryResponse(points=shown, next_page_token=token)

    async def GetLadderRecord(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.GetLadderRecordRequest, context: Any
    ) -> None:
        async for text in self._record(request.ladder):
            await context.write(pb.GetLadderRecordResponse(text=text))

    async def WatchLadder(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.WatchLadderRequest, context: Any
    ) -> None:
        await self._watch(request.ladder, request, pb.WatchLadderResponse, context)

    def _ladder_of(self, state: LadderState) -> ladder_pb2.Ladder:
        return ladder_of(state, self._converter, with_openings=may_see_openings(CALLER.get(), state))

    async def _entry(self, step: ContestStep[LadderState], caller: Caller) -> ladder_pb2.LadderEntry:
        return ladder_entry_of(step, self._converter, with_openings=may_see_openings(caller, step.state))

    async def _snapshot(self, snapshot: pb.LadderSnapshot, state: LadderState) -> None:
        corrected = [*state.ladder.rated_matches.corrections.values()][-SNAPSHOT_ROWS:]
        snapshot.entry_number = state.number
        snapshot.ladder.CopyFrom(self._ladder_of(state))
        snapshot.standings.extend(map(ladder_standing_of, (await self._ladders.standings_of(state))[:SNAPSHOT_ROWS]))
        snapshot.pairings.extend(map(pairing_of, state.ladder.open_pairings))
        snapshot.corrections.extend(correction_of(corrected_match.correction) for corrected_match in corrected)

    async def _check_challenger(self, caller: Caller, state: LadderState, request: pb.ChallengeRequest) -> None:
        """Check the challenger, the first of the entrants, and the consent of all of them.

        Raises NotAMember, NotYours, ConsentMissing, TooManyMatches or TooManyNames.
        """
        if scoped_id(request) in state.ladder.challenges:
            return  # A repeated request gets its first answer, even if the challenger has left.
        if not request.entrants:
            return  # The ladder rejects a wrong number of entrants.
        challenger = state.ladder.entrants.get(request.entrants[0])
        if challenger is None:
            raise NotAMember(state.name, request.entrants[0])
        await self._permissions.require_any(caller, state.organiser, challenger.bots, "Challenge")
        for name in request.entrants:
            bots = state.ladder.entrants[name].bots if name in state.ladder.entrants else ()
            await self._parts.consent_guard.challenge(state.organiser, bots, state.terms.match_terms)
        await self._check_challenge_count(caller, state, request)
        self._count_changes()

    async def _check_challenge_count(self, caller: Caller, state: LadderState, request: pb.ChallengeRequest) -> None:
        """Raise TooManyMatches if too many challenges of the caller are open, in total or against one opponent.

        Otherwise anybody could fill all places of an opponent, since challenges come before other pairings.
        """
        limit = (await self._parts.rate_limiter.quota(caller.holder)).max_matches
        pairings = state.ladder.open_challenges_of(f"{caller.holder}/")
        if len(pairings) >= limit:
            raise TooManyMatches(limit)
        if is_organiser_of(caller, state.organiser):
            return
        for opponent in request.entrants[1:]:
            if sum(opponent in pairing.entrants for pairing in pairings) >= MAX_CHALLENGES_PER_OPPONENT:
                raise TooManyMatches(MAX_CHALLENGES_PER_OPPONENT)
