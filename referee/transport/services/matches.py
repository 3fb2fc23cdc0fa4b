"""MatchService: creating, joining, listing and watching matches, and moves without a Play stream."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc.aio
from google.protobuf.message import Message
from referee_api.v1 import match_pb2
from referee_api.v1 import match_service_pb2 as pb
from referee_api.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server

from engines.api import SPECTATOR, Viewer
from referee.accounts.account_errors import BadField, BotPaused
from referee.accounts.bots import Accounts
from referee.accounts.names import check_words
from referee.accounts.tokens import Role
from referee.live.create import CreatedMatch
from referee.live.match_history import MatchStatus, WatchedEntry
from referee.live.match_request import MAKER, MatchFilter, MatchRequest, find_game
from referee.live.outbox import RequestAccepted
from referee.live.referee import Referee
from referee.live.submit import seat_of
from referee.live.watch import CooperativeYield
from referee.match.commands import MAX_MOVE_CHARS
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase
from referee.transport.guards.authentication import ARRIVAL, CALLER, Caller
from referee.transport.guards.consent_guard import ConsentGuard
from referee.transport.guards.permissions import MatchLabels
from referee.transport.guards.rate_limit import RateLimiter
from referee.transport.services.bot_requests import PlayTools, answer_draw, held_seat, offer_draw, seats_of
from referee.transport.services.paging import (
    chunks,
    chunks_by_bytes,
    convert_page,
    make_page_token,
    page_size,
    parse_page_token,
)
from referee.transport.services.records import Records
from referee.transport.wire.basic_types import read_word, unix_ms
from referee.transport.wire.clocks import clock_charge_of
from referee.transport.wire.entries import EncodedEntries, ViewerContext, WatchCache, encode_entries
from referee.transport.wire.matches import match_of, read_turn_options, score_of, turn_of
from referee.transport.wire.results import maybe_result
from referee.transport.wire.terms import TermsConverter, read_match_request
from referee.transport.wire.wire_errors import MatchNotOver, NotYours, TooManyMatches

REQUEST_ID_CHARS = 64
ENTRIES_PER_YIELD = 4
"""Entries converted before the event loop may run other tasks, so that a long history cannot block it."""
MAX_SHARED_ENTRIES = 40
"""Entries that are encoded without a break, once for all watchers of the same view."""
MESSAGE_CHARS = 200
RECORD_LINES_PER_MESSAGE = 100


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """Limits of answers."""

    max_legal_moves: int
    max_items_per_message: int


@dataclass(frozen=True, slots=True)
class MatchGuards:
    """Check who may seat whom in a match."""

    labels: MatchLabels
    consent: ConsentGuard


@dataclass(eq=False)
class Matches(MatchServiceServicer):
    _referee: Referee
    _converter: TermsConverter
    _accounts: Accounts
    _records: Records
    _rate_limiter: RateLimiter
    _limits: AnswerLimits
    _guards: MatchGuards
    _tools: PlayTools
    _watch_cache: WatchCache = field(default_factory=WatchCache, init=False)
    _yield: CooperativeYield = field(default_factory=CooperativeYield, init=False)
    """Shared by all watchers that receive long histories."""

    def add_to(self, server: grpc.aio.Server) -> None:
        add_MatchServiceServicer_to_server(self, server)

    async def CreateMatch(self, request: pb.CreateMatchRequest, context: Any) -> pb.CreateMatchResponse:
        caller = CALLER.get()
        check_request_id(request.request_id)
        match_request = read_match_request(request, caller.holder, self._converter)
        created = await self._referee.find_created(match_request) or await self._create(match_request, caller)
        match = match_of(created.status, self._tools.match_context, SPECTATOR)
        number = await self._watch_number(created.status, SPECTATOR)
        return pb.CreateMatchResponse(match=match, entry_number=number, repeated=created.repeated)

    async def _create(self, match_request: MatchRequest, caller: Caller) -> CreatedMatch:
        limit = (await self._rate_limiter.quota(caller.holder)).max_matches
        if self._referee.count_unfinished(caller.holder) >= limit:
            raise TooManyMatches(limit)
        await self._rate_limiter.require_storage(caller.holder)
        await self._guards.labels.check_request(match_request, caller)
        for player in match_request.players:
            await self._check_player(player)
        async with self._guards.consent.create_match(caller, match_request):
            return await self._referee.create(match_request)

    async def JoinMatch(self, request: pb.JoinMatchRequest, context: Any) -> pb.JoinMatchResponse:
        caller = CALLER.get()
        player = Player(request.bot.bot or caller.bot, request.bot.version)
        if caller.bot and player.bot != caller.bot:
            raise NotYours("JoinMatch", "the token of that bot", " for another bot")
        if not player.bot:
            raise BadField("bot", "it is required unless a bot calls")
        if caller.role is Role.AUTHOR and (await self._accounts.bot(player.bot)).owner != caller.holder:
            raise NotYours("JoinMatch", "the bot's token, or one of its owner", " for another's bot")
        await self._check_player(player)
        await self._guards.labels.check_player(await self._referee.match(request.match_id), player)
        setup = await self._referee.setup(request.match_id)
        wanted = request.seat if request.HasField("seat") else None
        async with self._guards.consent.join_match(caller, player.bot, setup):
            seat = await self._referee.join(request.match_id, wanted, player)
        status = await self._referee.status(request.match_id)
        viewer = _viewer_of_bot(status.match, caller.bot)
        match = match_of(status, self._tools.match_context, viewer)
        return pb.JoinMatchResponse(seat=seat, match=match, entry_number=await self._watch_number(status, viewer))

    async def GetMatch(self, request: pb.GetMatchRequest, context: Any) -> pb.GetMatchResponse:
        status = await self._referee.status(request.match_id)
        viewer = _viewer_of(status.match, CALLER.get(), request)
        viewer_context = ViewerContext(viewer, self._tools.match_context, request.include_view)
        return pb.GetMatchResponse(
            match=await self._match_with_record(status, viewer),
            state=self._state_message(await self._referee.match_as_seen(request.match_id, viewer), viewer_context),
        )

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:
        size = page_size(request.page_size)
        wanted = await self._read_filter(request)
        listed = await self._referee.list_matches(wanted, parse_page_token(request), size + 1)
        bot = CALLER.get().bot
        shown, token = await convert_page(
            request,
            listed.matches,
            size,
            lambda status: status.match.setup.match_id,
            lambda status: match_of(status, self._tools.match_context, _viewer_of_bot(status.match, bot)),
        )
        if listed.next_after and not token:
            token = make_page_token(request, listed.next_after)
        return pb.ListMatchesResponse(matches=shown, next_page_token=token)

    async def ListTurns(self, request: pb.ListTurnsRequest, context: Any) -> pb.ListTurnsResponse:
        if request.match_id:
            await self._referee.status(request.match_id)
        options = read_turn_options(request.turn_options, self._limits.max_legal_moves)
        due = await self._referee.due_turns(CALLER.get().bot, request.match_id)
        return pb.ListTurnsResponse(turns=[turn_of(turn, options) for turn in due])

    async def SubmitMove(self, request: pb.SubmitMoveRequest, context: Any) -> pb.SubmitMoveResponse:
        caller = CALLER.get()
        if request.validate_only:  # No clock is running for it, so it counts as a call.
            await self._rate_limiter.count_call(caller.budget_owner)
        seat = seat_of(request.turn_token)
        match = await self._referee.match(request.match_id)
        if seat is None:
            raise BadField("turn_token", "it is not a valid turn token")
        held_seat(match, caller.bot, seat, "SubmitMove")
        move = request.move[: MAX_MOVE_CHARS + 1]
        if request.validate_only:
            number = await self._referee.validate(request.match_id, seat, request.turn_token, move)
            return pb.SubmitMoveResponse(entry_number=number, ply=match.ply)
        check_request_id(request.request_id)
        with self._tools.rejection_recorder.record_rejections(match.players[seat], request.match_id, seat, move):
            answer = await self._referee.submit(
                request.match_id,
                seat,
                request.turn_token,
                move,
                request.request_id,
                request.offer_draw,
                ARRIVAL.get(),
                score_of(request),
            )
        row = answer.event.row
        return pb.SubmitMoveResponse(
            entry_number=answer.number,
            ply=answer.ply,
            clock_charge=clock_charge_of(row, seat, match.controls[seat]) if row else None,
            result=maybe_result(answer.result, request.match_id),
            repeated=answer.repeated,
        )

    async def Resign(self, request: pb.ResignRequest, context: Any) -> pb.ResignResponse:
        done = await self._submit_request(request, self._referee.resign)
        return pb.ResignResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def OfferDraw(self, request: pb.OfferDrawRequest, context: Any) -> pb.OfferDrawResponse:
        done = await self._submit_request(
            request, lambda match_id, seat, request_id: offer_draw(self._referee, match_id, seat, request_id)
        )
        return pb.OfferDrawResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def AnswerDraw(self, request: pb.AnswerDrawRequest, context: Any) -> pb.AnswerDrawResponse:
        done = await self._submit_request(
            request,
            lambda match_id, seat, request_id: answer_draw(self._referee, match_id, seat, request.accept, request_id),
        )
        return pb.AnswerDrawResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def ClaimDraw(self, request: pb.ClaimDrawRequest, context: Any) -> pb.ClaimDrawResponse:
        done = await self._submit_request(request, self._referee.claim_draw)
        return pb.ClaimDrawResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def AbortMatch(self, request: pb.AbortMatchRequest, context: Any) -> pb.AbortMatchResponse:
        check_request_id(request.request_id)
        check_words("message", request.message, MESSAGE_CHARS)
        holder = CALLER.get().holder
        labels = dict((await self._referee.setup(request.match_id)).labels)
        if labels.get(MAKER) != holder:
            raise NotYours("AbortMatch", "a token of who created it", " for a match of another")
        done = await self._referee.abort(request.match_id, request.message, holder, request.request_id)
        return pb.AbortMatchResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def WithdrawBot(self, request: pb.WithdrawBotRequest, context: Any) -> pb.WithdrawBotResponse:
        check_request_id(request.request_id)
        caller, bot = CALLER.get(), await self._accounts.bot(request.bot)
        if caller.holder != bot.owner and caller.role is not Role.ADMIN:
            raise NotYours("WithdrawBot", "a token of its owner or an administrator", f" for bot {bot.name}")
        done = await self._referee.withdraw(request.match_id, bot.name, caller.holder, request.request_id)
        return pb.WithdrawBotResponse(entry_number=done.number, result=maybe_result(done.result, request.match_id))

    async def WatchMatch(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.WatchMatchRequest, context: Any
    ) -> None:
        caller = CALLER.get()
        async with self._rate_limiter.stream(caller):
            viewer = _viewer_of(await self._referee.match(request.match_id), caller, request)
            viewer_context = ViewerContext(viewer, self._tools.match_context, request.include_view)
            number = request.after_number if request.HasField("after_number") else None
            start, updates = await self._referee.watch(request.match_id, number, viewer)
            snapshot = pb.MatchSnapshot(
                match=await self._match_with_record(start.status, viewer),
                state=self._state_message(start.state, viewer_context),
            )
            await context.write(pb.WatchMatchResponse(items=[pb.WatchMatchItem(snapshot=snapshot)]))
            async for entries in updates:
                if len(entries) <= min(MAX_SHARED_ENTRIES, self._limits.max_items_per_message):
                    await context.write(self._watch_cache.encode(entries, viewer_context))
                    continue
                for chunk in chunks(entries, self._limits.max_items_per_message):
                    await context.write(await self._encode_entries(chunk, viewer_context))

    async def _encode_entries(self, entries: Sequence[WatchedEntry], viewer_context: ViewerContext) -> EncodedEntries:
        encoded: list[EncodedEntries] = []
        for chunk in chunks(entries, ENTRIES_PER_YIELD):
            await self._yield.pause()
            encoded.append(encode_entries(chunk, viewer_context))
        return EncodedEntries.join(encoded)

    async def GetRecord(  # type: ignore[override]  # It writes to the context itself.
        self, request: pb.GetRecordRequest, context: Any
    ) -> None:
        status = await self._referee.status(request.match_id)
        if status.match.phase is not MatchPhase.OVER:
            raise MatchNotOver(request.match_id)
        if self._tools.match_context.secret(status.match):
            raise MatchNotOver(request.match_id, "other matches of its duplicate set are not over yet")
        for chunk in chunks_by_bytes(await self._records.lines(request.match_id), RECORD_LINES_PER_MESSAGE):
            await context.write(pb.GetRecordResponse(lines=[line.decode().removesuffix("\n") for line in chunk]))

    async def _match_with_record(self, status: MatchStatus, viewer: Viewer) -> match_pb2.Match:
        match = match_of(status, self._tools.match_context, viewer)
        if self._tools.match_context.open(status.match):
            record = await self._records.info(match.id)
            if record:
                match.record.CopyFrom(record)
        return match

    async def _watch_number(self, status: MatchStatus, viewer: Viewer) -> int:
        """Return the number from which to watch: the last entry that the viewer may already see."""
        number = await self._referee.watch_number(status.match.setup.match_id, viewer)
        return min(status.number, number)

    def _state_message(self, match: Match | None, viewer_context: ViewerContext) -> match_pb2.MatchState | None:
        return viewer_context.state(match, self._referee.clocks(match)) if match else None

    async def _submit_request(
        self, request: Any, submit: Callable[[str, int, str], Awaitable[RequestAccepted]]
    ) -> RequestAccepted:
        check_request_id(request.request_id)
        setup = await self._referee.setup(request.match_id)
        seat = request.seat if request.HasField("seat") else None
        seat = held_seat(setup, CALLER.get().bot, seat, method_of(request))
        with self._tools.rejection_recorder.record_rejections(setup.players[seat], request.match_id, seat):
            return await submit(request.match_id, seat, request.request_id)

    async def _check_player(self, player: Player) -> None:
        """Raises NoSuchBot, NoSuchVersion or BotPaused."""
        if not player.bot:
            return
        bot = await self._accounts.bot(player.bot)
        if bot.pause:
            raise BotPaused(bot.name, bot.pause.cause.value)
        if player.version:
            await self._accounts.versions(bot.name, player.version, 1)

    async def _read_filter(self, request: pb.ListMatchesRequest) -> MatchFilter:
        if request.game:
            find_game(self._converter.reader.games, request.game)
        if request.bot:
            await self._accounts.bot(request.bot)
        self._guards.labels.check_filter(request)
        return MatchFilter(
            request.bot,
            request.game,
            _read_phase(request.phase),
            request.ladder,
            request.tournament,
            request.open_only,
            unix_ms(request.min_create_time, "min_create_time") if request.HasField("min_create_time") else 0,
        )


def method_of(request: Message) -> str:
    """Return the name of the method that takes this request."""
    return type(request).__name__.removesuffix("Request")


def check_request_id(request_id: str) -> None:
    """Raises BadField."""
    check_words("request_id", request_id, REQUEST_ID_CHARS, at_least=1)


def _viewer_of_bot(match: Match, bot: str) -> Viewer:
    """Return the seat of a bot that holds exactly one; every other caller is a spectator."""
    mine = seats_of(match, bot)
    return mine[0] if len(mine) == 1 else SPECTATOR


def _viewer_of(match: Match, caller: Caller, request: Any) -> Viewer:
    if not request.HasField("seat"):
        return _viewer_of_bot(match, caller.bot)
    return held_seat(match, caller.bot, request.seat, method_of(request))


def _read_phase(number: int) -> MatchPhase | None:
    return MatchPhase[read_word(match_pb2.MatchPhase, number, "phase").upper()] if number else None
