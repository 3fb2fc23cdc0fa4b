"""LadderService: ladders from outside. To make them, to climb them, and to look at them."""

from typing import Any

from referee_api.v1 import ladder_pb2
from referee_api.v1 import ladder_service_pb2 as pb
from referee_api.v1.ladder_service_pb2_grpc import LadderServiceServicer

from referee.app.accounts import Accounts
from referee.app.contests.held_ladder import HeldLadder
from referee.app.contests.ladder_wish import LadderFilter, LadderWish
from referee.app.contests.ladders import Ladders as Contests
from referee.app.wish import find_game
from referee.contest.ladder_events import Entrant
from referee.contest.refusals import NotAMember
from referee.core.errors import RequestIdReused
from referee.transport.auth import CALLER, Caller
from referee.transport.convert.contests import pairing_of
from referee.transport.convert.ladder_entries import ladder_entry_of
from referee.transport.convert.ladders import ladder_of, ladder_standing_of, point_of, read_ladder_terms
from referee.transport.convert.terms import Customs
from referee.transport.matches import check_request_id
from referee.transport.paging import after, number_after, page, page_size, parted
from referee.transport.quota import Allowances
from referee.transport.refused import TooManyMatches
from referee.transport.rights import Rights, need_organiser, runs, who_comes, who_is_meant

ROWS_OF_THE_WHOLE = 100
"""Of the table, in what a watcher hears first."""


class Ladders(LadderServiceServicer):
    def __init__(
        self,
        ladders: Contests,
        accounts: Accounts,
        customs: Customs,
        allowances: Allowances,
        items_per_message_at_most: int,
    ) -> None:
        self._ladders = ladders
        self._rights = Rights(accounts)
        self._customs = customs
        self._allowances = allowances
        self._items_per_message_at_most = items_per_message_at_most

    async def CreateLadder(self, request: pb.CreateLadderRequest, context: Any) -> pb.CreateLadderResponse:
        check_request_id(request.request_id)
        await self._allowances.need_room_on_disk(CALLER.get().holder)
        terms = read_ladder_terms(request.terms, self._customs)
        wish = LadderWish(request.name, CALLER.get().holder, request.request_id, terms, request.title)
        return pb.CreateLadderResponse(ladder=self._told(await self._ladders.create(wish)))

    async def GetLadder(self, request: pb.GetLadderRequest, context: Any) -> pb.GetLadderResponse:
        return pb.GetLadderResponse(ladder=self._told(await self._ladders.ladder(request.name)))

    async def ListLadders(self, request: pb.ListLaddersRequest, context: Any) -> pb.ListLaddersResponse:
        size = page_size(request.page_size)
        if request.game:
            find_game(self._customs.games, request.game)
        wanted = LadderFilter(request.game, request.bot, request.with_closed)
        found = await self._ladders.ladders(wanted, after(request), size + 1)
        shown, token = await page(request, found, size, lambda held: held.made.name, self._told)
        return pb.ListLaddersResponse(ladders=shown, next_page_token=token)

    async def JoinLadder(self, request: pb.JoinLadderRequest, context: Any) -> pb.JoinLadderResponse:
        caller = CALLER.get()
        held = await self._ladders.ladder(request.ladder)
        name, bots = who_comes(request.entrant, caller)
        await self._rights.need_all(caller, held.made.organiser, bots, "JoinLadder for another's bot")
        row = await self._ladders.join(held.made.name, Entrant(name, bots))
        return pb.JoinLadderResponse(standing=ladder_standing_of(row))

    async def LeaveLadder(self, request: pb.LeaveLadderRequest, context: Any) -> pb.LeaveLadderResponse:
        caller = CALLER.get()
        held = await self._ladders.ladder(request.ladder)
        entrant = who_is_meant(request.entrant, caller, held.ladder.entrants.values())
        if entrant is None:
            raise NotAMember(held.made.name, request.entrant or caller.bot)
        await self._rights.need_one(caller, held.made.organiser, entrant.bots, "LeaveLadder for another")
        await self._ladders.leave(held.made.name, entrant.name)
        return pb.LeaveLadderResponse()

    async def Challenge(self, request: pb.ChallengeRequest, context: Any) -> pb.ChallengeResponse:
        caller = CALLER.get()
        check_request_id(request.request_id)
        held = await self._ladders.ladder(request.ladder)
        await self._check_challenger(caller, held, request)
        try:
            course = await self._ladders.challenge(held.made.name, _asked(caller, request), tuple(request.entrants))
        except RequestIdReused:
            raise RequestIdReused(request.request_id) from None
        return pb.ChallengeResponse(pairing=pairing_of(course))

    async def StartSeason(self, request: pb.StartSeasonRequest, context: Any) -> pb.StartSeasonResponse:
        check_request_id(request.request_id)
        held = await self._own(request.ladder, "StartSeason")
        held = await self._ladders.start_season(held.made.name, _asked(CALLER.get(), request))
        return pb.StartSeasonResponse(ladder=self._told(held))

    async def PauseLadder(self, request: pb.PauseLadderRequest, context: Any) -> pb.PauseLadderResponse:
        held = await self._own(request.ladder, "PauseLadder")
        return pb.PauseLadderResponse(ladder=self._told(await self._ladders.pause(held.made.name, request.message)))

    async def ResumeLadder(self, request: pb.ResumeLadderRequest, context: Any) -> pb.ResumeLadderResponse:
        held = await self._own(request.ladder, "ResumeLadder")
        return pb.ResumeLadderResponse(ladder=self._told(await self._ladders.resume(held.made.name)))

    async def CloseLadder(self, request: pb.CloseLadderRequest, context: Any) -> pb.CloseLadderResponse:
        held = await self._own(request.ladder, "CloseLadder")
        return pb.CloseLadderResponse(ladder=self._told(await self._ladders.close(held.made.name, request.message)))

    async def ListLadderStandings(
        self, request: pb.ListLadderStandingsRequest, context: Any
    ) -> pb.ListLadderStandingsResponse:
        size = page_size(request.page_size)
        rank = number_after(request)
        rows = await self._ladders.standings(request.ladder, request.season, request.all_versions)
        shown, token = await page(
            request, rows[rank : rank + size + 1], size, lambda row: str(row.rank), ladder_standing_of
        )
        return pb.ListLadderStandingsResponse(standings=shown, next_page_token=token)

    async def ListRatingHistory(
        self, request: pb.ListRatingHistoryRequest, context: Any
    ) -> pb.ListRatingHistoryResponse:
        size = page_size(request.page_size)
        number = number_after(request)
        held = await self._ladders.ladder(request.ladder)
        found = await self._ladders.history(held.made.name, request.bot, request.version, number, size + 1)
        shown, token = await page(
            request, found, size, lambda point: str(point.number), lambda point: point_of(point, held.ladder)
        )
        return pb.ListRatingHistoryResponse(points=shown, next_page_token=token)

    async def WatchLadder(  # type: ignore[override]  # It writes by itself.
        self, request: pb.WatchLadderRequest, context: Any
    ) -> None:
        caller = CALLER.get()
        async with self._allowances.stream(caller):
            number = request.after if request.HasField("after") else None
            whole, watching = await self._ladders.watch(request.ladder, number)
            item = pb.WatchLadderItem(whole=await self._whole(whole))
            await context.write(pb.WatchLadderResponse(items=[item]))
            async for steps in watching:
                for some in parted(steps, self._items_per_message_at_most):
                    entries = (
                        ladder_entry_of(step, self._customs, with_openings=_sees_openings(caller, step.state))
                        for step in some
                    )
                    items = [pb.WatchLadderItem(entry=entry) for entry in entries]
                    await context.write(pb.WatchLadderResponse(items=items))

    def _told(self, held: HeldLadder) -> ladder_pb2.Ladder:
        return ladder_of(held, self._customs, with_openings=_sees_openings(CALLER.get(), held))

    async def _whole(self, held: HeldLadder) -> pb.WatchedLadder:
        rows = await self._ladders.standings(held.made.name)
        return pb.WatchedLadder(
            number=held.number,
            ladder=self._told(held),
            standings=map(ladder_standing_of, rows[:ROWS_OF_THE_WHOLE]),
            pairings=map(pairing_of, held.ladder.open),
        )

    async def _own(self, name: str, what: str) -> HeldLadder:
        """Raises UnknownLadder or NotYours."""
        held = await self._ladders.ladder(name)
        need_organiser(CALLER.get(), held.made.organiser, f"{what} for a ladder of another")
        return held

    async def _check_challenger(self, caller: Caller, held: HeldLadder, request: pb.ChallengeRequest) -> None:
        """The first of them challenges. Raises NotAMember, NotYours or TooManyMatches."""
        if _asked(caller, request) in held.ladder.challenges:
            return  # It has its first answer, also when the challenger has left.
        if not request.entrants:
            return  # That so many cannot meet is said by the ladder.
        challenger = held.ladder.entrants.get(request.entrants[0])
        if challenger is None:
            raise NotAMember(held.made.name, request.entrants[0])
        await self._rights.need_one(caller, held.made.organiser, challenger.bots, "Challenge for another")
        limit = (await self._allowances.quota(caller.holder)).matches_at_most
        if held.ladder.challenges_of(challenger.name) >= limit:
            raise TooManyMatches(limit)


def _asked(caller: Caller, request: pb.ChallengeRequest | pb.StartSeasonRequest) -> str:
    """The request, kept apart from those of others."""
    return f"{caller.holder}/{request.request_id}"


def _sees_openings(caller: Caller, held: HeldLadder) -> bool:
    """While it goes on they are a secret of its organiser's."""
    return held.over or runs(caller, held.made.organiser)
