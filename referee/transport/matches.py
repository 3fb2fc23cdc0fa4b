"""MatchService: matches from outside. To make them, to look at them, and to play a move without a stream."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee_api.v1 import match_pb2
from referee_api.v1 import match_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceServicer

from engines.api import SPECTATOR, Viewer
from referee.app.accounts import Accounts
from referee.app.answers import Done, seat_of
from referee.app.heard import Heard
from referee.app.making import Created
from referee.app.names import check_words
from referee.app.referee import Referee
from referee.app.refusals import BadField, BotPaused
from referee.app.story import Standing
from referee.app.taking_turns import TakingTurns
from referee.app.wish import MAKER, MatchFilter, MatchWish, find_game
from referee.core.commands import MAX_MOVE_CHARS
from referee.core.match import Match, Phase
from referee.core.setup import Player
from referee.transport.auth import ARRIVAL, CALLER, Caller
from referee.transport.convert.clocks import row_of
from referee.transport.convert.entries import Eyes
from referee.transport.convert.matches import PHASES, Aside, match_of
from referee.transport.convert.results import maybe_result
from referee.transport.convert.terms import Customs
from referee.transport.convert.times import unix_ms
from referee.transport.convert.turns import read_wishes, turn_of
from referee.transport.convert.wishes import read_wish
from referee.transport.labelled import Labelled
from referee.transport.noting import Noting
from referee.transport.paging import after, page, page_size, page_token, parted, parted_by_bytes
from referee.transport.quota import Allowances
from referee.transport.rated_matches import RatedMatches
from referee.transport.records import Records
from referee.transport.refused import MatchNotOver, NotYours, TooManyMatches
from referee.transport.retelling import Retelling
from referee.transport.seats import answer_draw, held_seat, offer_draw, seats_of

REQUEST_ID_CHARS = 64
TOLD_AT_ONCE = 4
"""After so many, who is told a long story lets the others have their turn: no bot is to stall all matches by asking."""
MESSAGE_CHARS = 200
RECORD_LINES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every match."""

    legal_moves_at_most: int
    items_per_message_at_most: int


class Matches(MatchServiceServicer):
    def __init__(
        self,
        referee: Referee,
        customs: Customs,
        accounts: Accounts,
        records: Records,
        allowances: Allowances,
        noting: Noting,
        terms: Terms,
        rated_matches: RatedMatches,
        labelled: Labelled,
        aside: Aside,
    ) -> None:
        self._referee = referee
        self._customs = customs
        self._accounts = accounts
        self._records = records
        self._allowances = allowances
        self._noting = noting
        self._terms = terms
        self._rated_matches = rated_matches
        self._labelled = labelled
        self._aside = aside
        self._retelling = Retelling()
        self._telling = TakingTurns()
        """Of those who are told long stories."""

    async def CreateMatch(self, request: pb.CreateMatchRequest, context: Any) -> pb.CreateMatchResponse:
        caller = CALLER.get()
        check_request_id(request.request_id)
        wish = read_wish(request, caller.holder, self._customs)
        created = await self._referee.created_before(wish) or await self._created(wish, caller)
        match = match_of(created.standing, self._aside, SPECTATOR)
        number = await self._number(created.standing, SPECTATOR)
        return pb.CreateMatchResponse(match=match, number=number, again=created.again)

    async def _created(self, wish: MatchWish, caller: Caller) -> Created:
        limit = (await self._allowances.quota(caller.holder)).matches_at_most
        if self._referee.not_over_of(caller.holder) >= limit:
            raise TooManyMatches(limit)
        await self._allowances.need_room_on_disk(caller.holder)
        await self._rated_matches.check_wish(wish, caller)
        for player in wish.players:
            await self._check_player(player)
        return await self._referee.create(wish)

    async def JoinMatch(self, request: pb.JoinMatchRequest, context: Any) -> pb.JoinMatchResponse:
        caller = CALLER.get()
        player = Player(request.bot.bot or caller.bot, request.bot.version)
        if caller.bot and player.bot != caller.bot:
            raise NotYours("JoinMatch for another bot")
        if not player.bot:
            raise BadField("bot", "which bot is to play?")
        await self._check_player(player)
        await self._rated_matches.check_player(await self._referee.match(request.match_id), player)
        wanted = request.seat if request.HasField("seat") else None
        seat = await self._referee.join(request.match_id, wanted, player)
        standing = await self._referee.standing(request.match_id)
        viewer = _eyes_of(standing.match, caller.bot)
        match = match_of(standing, self._aside, viewer)
        return pb.JoinMatchResponse(seat=seat, match=match, number=await self._number(standing, viewer))

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        standing = await self._referee.standing(request.match_id)
        viewer = _viewer(standing.match, CALLER.get(), request)
        eyes = Eyes(viewer, self._aside, request.with_view)
        return pb.GetMatchResponse(
            match=await self._whole(standing, viewer),
            state=self._state(await self._referee.seen(request.match_id, viewer), eyes),
        )

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        size = page_size(request.page_size)
        wanted = await self._filter(request)
        listed = await self._referee.matches(wanted, after(request), size + 1)
        bot = CALLER.get().bot
        shown, token = await page(
            request,
            listed.standings,
            size,
            lambda standing: standing.match.setup.match_id,
            lambda standing: match_of(standing, self._aside, _eyes_of(standing.match, bot)),
        )
        if listed.stopped_at and not token:
            token = page_token(request, listed.stopped_at)
        return pb.ListMatchesResponse(matches=shown, next_page_token=token)

    async def ListTurns(self, request: pb.ListTurnsRequest, context: Any) -> pb.ListTurnsResponse:
        if request.match_id:
            await self._referee.standing(request.match_id)
        wishes = read_wishes(request.wishes, self._terms.legal_moves_at_most)
        due = await self._referee.turns_of(CALLER.get().bot, request.match_id)
        return pb.ListTurnsResponse(turns=[turn_of(turn, wishes) for turn in due])

    async def SubmitMove(self, request: pb.SubmitMoveRequest, context: Any) -> pb.SubmitMoveResponse:
        caller = CALLER.get()
        if request.validate_only:  # It is on no clock, and costs a call as any other does.
            await self._allowances.count_call(caller.holder)
        seat = seat_of(request.token)
        match = await self._referee.match(request.match_id)
        if seat is None:
            raise BadField("token", "this is no token of a turn")
        held_seat(match, caller.bot, seat)
        move = request.move[: MAX_MOVE_CHARS + 1]
        if request.validate_only:
            number = await self._referee.validate(request.match_id, seat, request.token, move)
            return pb.SubmitMoveResponse(number=number, ply=match.ply)
        check_request_id(request.request_id)
        with self._noting.refusals(match.players[seat], request.match_id, seat, move):
            answer = await self._referee.submit(
                request.match_id,
                seat,
                request.token,
                move,
                request.request_id,
                request.offer_draw,
                ARRIVAL.get(),
            )
        row = answer.event.row
        return pb.SubmitMoveResponse(
            number=answer.number,
            ply=answer.ply,
            clock_row=row_of(row, seat, match.setup.controls[seat]) if row else None,
            result=maybe_result(answer.result, request.match_id),
            again=answer.again,
        )

    async def Resign(self, request: pb.ResignRequest, context: Any) -> pb.ResignResponse:
        done = await self._said(request, self._referee.resign)
        return pb.ResignResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def OfferDraw(self, request: pb.OfferDrawRequest, context: Any) -> pb.OfferDrawResponse:
        done = await self._said(
            request, lambda match_id, seat, request_id: offer_draw(self._referee, match_id, seat, request_id)
        )
        return pb.OfferDrawResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def AnswerDraw(self, request: pb.AnswerDrawRequest, context: Any) -> pb.AnswerDrawResponse:
        done = await self._said(
            request,
            lambda match_id, seat, request_id: answer_draw(self._referee, match_id, seat, request.accept, request_id),
        )
        return pb.AnswerDrawResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def ClaimDraw(self, request: pb.ClaimDrawRequest, context: Any) -> pb.ClaimDrawResponse:
        done = await self._said(request, self._referee.claim_draw)
        return pb.ClaimDrawResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def AbortMatch(self, request: pb.AbortMatchRequest, context: Any) -> pb.AbortMatchResponse:
        check_request_id(request.request_id)
        check_words("message", request.message, MESSAGE_CHARS)
        holder = CALLER.get().holder
        labels = dict((await self._referee.match(request.match_id)).setup.labels)
        if labels.get(MAKER) != holder:
            raise NotYours("AbortMatch for a match of another")
        done = await self._referee.abort(request.match_id, request.message, holder, request.request_id)
        return pb.AbortMatchResponse(number=done.number, result=maybe_result(done.result, request.match_id))

    async def WatchMatch(  # type: ignore[override]  # It writes by itself.
        self, request: pb.WatchMatchRequest, context: Any
    ) -> None:
        caller = CALLER.get()
        async with self._allowances.stream(caller):
            viewer = _viewer(await self._referee.match(request.match_id), caller, request)
            eyes = Eyes(viewer, self._aside, request.with_view)
            number = request.after if request.HasField("after") else None
            whole, watching = await self._referee.watch(request.match_id, number, viewer)
            watched = pb.WatchedMatch(
                match=await self._whole(whole.standing, viewer), state=self._state(whole.state, eyes)
            )
            await context.write(pb.WatchMatchResponse(items=[pb.WatchMatchItem(whole=watched)]))
            async for heard in watching:
                for items in parted(heard, self._terms.items_per_message_at_most):
                    await context.write(pb.WatchMatchResponse(items=await self._told(items, eyes)))

    async def _told(self, heard: Sequence[Heard], eyes: Eyes) -> list[pb.WatchMatchItem]:
        told: list[pb.WatchMatchItem] = []
        for some in parted(heard, TOLD_AT_ONCE):
            if len(heard) > TOLD_AT_ONCE:
                await self._telling.my_turn()
            told += [self._retelling.item(one, eyes) for one in some]
        return told

    async def GetRecord(  # type: ignore[override]  # It writes by itself.
        self, request: pb.GetRecordRequest, context: Any
    ) -> None:
        standing = await self._referee.standing(request.match_id)
        if standing.match.phase is not Phase.OVER:
            raise MatchNotOver(request.match_id)
        if self._aside.sealed(standing.match):
            raise MatchNotOver(request.match_id, "others of its set are still to be played from the same start")
        for some in parted_by_bytes(await self._records.lines(request.match_id), RECORD_LINES_AT_ONCE):
            await context.write(pb.GetRecordResponse(lines=[line.decode().removesuffix("\n") for line in some]))

    async def _whole(self, standing: Standing, viewer: Viewer) -> match_pb2.Match:
        match = match_of(standing, self._aside, viewer)
        if self._aside.open(standing.match):
            place = await self._records.place(match.id)
            if place:
                match.record.CopyFrom(place)
        return match

    async def _number(self, standing: Standing, viewer: Viewer) -> int:
        """From where to watch on: entries that are kept back from the viewer are all still to be heard."""
        whole, _ = await self._referee.watch(standing.match.setup.match_id, None, viewer)
        return min(standing.number, whole.number)

    def _state(self, match: Match | None, eyes: Eyes) -> match_pb2.MatchState | None:
        return eyes.state(match, self._referee.clocks(match)) if match else None

    async def _said(self, request: Any, say: Callable[[str, int, str], Awaitable[Done]]) -> Done:
        check_request_id(request.request_id)
        match = await self._referee.match(request.match_id)
        seat = request.seat if request.HasField("seat") else None
        seat = held_seat(match, CALLER.get().bot, seat)
        with self._noting.refusals(match.players[seat], request.match_id, seat):
            return await say(request.match_id, seat, request.request_id)

    async def _check_player(self, player: Player) -> None:
        """Raises UnknownBot, UnknownVersion or BotPaused."""
        if not player.bot:
            return
        bot = await self._accounts.bot(player.bot)
        if bot.pause:
            raise BotPaused(bot.name, bot.pause.cause.value)
        if player.version:
            await self._accounts.versions(bot.name, player.version, 1)

    async def _filter(self, request: pb.ListMatchesRequest) -> MatchFilter:
        if request.game:
            find_game(self._customs.games, request.game)
        if request.bot:
            await self._accounts.bot(request.bot)
        self._labelled.check(request)
        return MatchFilter(
            request.bot,
            request.game,
            _phase(request.phase),
            request.ladder,
            request.tournament,
            request.open_only,
            unix_ms(request.since, "since") if request.HasField("since") else 0,
        )


def check_request_id(request_id: str) -> None:
    """Raises BadField."""
    check_words("request_id", request_id, REQUEST_ID_CHARS, at_least=1)


def _eyes_of(match: Match, bot: str) -> Viewer:
    """A bot with one seat sees with that seat's eyes; everybody else as a spectator."""
    mine = seats_of(match, bot)
    return mine[0] if len(mine) == 1 else SPECTATOR


def _viewer(match: Match, caller: Caller, request: Any) -> Viewer:
    return held_seat(match, caller.bot, request.seat) if request.HasField("seat") else _eyes_of(match, caller.bot)


def _phase(asked: int) -> Phase | None:
    phases = {int(one): phase for one, phase in PHASES.items()}
    if asked and asked not in phases:
        raise BadField("phase", f"{asked} is unknown")
    return phases.get(asked)
