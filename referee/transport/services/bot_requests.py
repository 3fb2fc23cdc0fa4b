"""Requests of bots about a match: what the Play stream and the unary calls have in common.

That is the seat for which a bot acts, draw offers, and the record of rejections in the private log of the bot.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc

from engines.api import Seat
from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField
from referee.accounts.bot_log import Note, RefusedNote, SessionLostNote
from referee.live.bot_notices import BotLogRecorder
from referee.live.outbox import RequestAccepted
from referee.live.ports import Time
from referee.live.referee import Referee
from referee.live.sessions import Session
from referee.match.match_errors import DrawNotClaimable, NoSuchSeat
from referee.match.setup import Player, Setup
from referee.match.state import Match
from referee.transport.wire.error_mapping import ErrorMapper, to_wire_error
from referee.transport.wire.matches import MatchContext
from referee.transport.wire.wire_errors import NoDrawOffered, NoDrawsHere, NotYours

CONNECTION_BROKEN = "HEARTBEAT_LOST"
REFEREE_FAULT = "REFEREE_FAULT"
"""Reasons of a session that was closed without an error of the contract."""
OF_HOLDER = "the token of the bot that holds the seat"


def seats_of(match: Match | Setup, bot: str) -> list[Seat]:
    return [seat for seat, player in enumerate(match.players) if bot and player.bot == bot]


def held_seat(match: Match | Setup, bot: str, seat: Seat | None, method: str = "Play") -> Seat:
    """Return the seat if the bot holds it; for None, its only seat. Raises NoSuchSeat, NotYours or BadField."""
    if seat is None:
        own = seats_of(match, bot)
        if len(own) > 1:
            raise BadField("seat", f"it is required, because the bot holds seats {', '.join(map(str, own))}")
        if not own:
            raise NotYours(method, OF_HOLDER, ": the bot holds no seat in this match")
        return own[0]
    if not 0 <= seat < len(match.players):
        raise NoSuchSeat(seat, len(match.players))
    if not bot or match.players[seat].bot != bot:
        raise NotYours(method, OF_HOLDER, f" for seat {seat}")
    return seat


async def offer_draw(referee: Referee, match_id: str, seat: Seat, request_id: str = "") -> RequestAccepted:
    """Offer a draw. Raises NoDrawsHere if the game has no draws by agreement."""
    try:
        return await referee.offer_draw(match_id, seat, request_id)
    except DrawNotClaimable as why:
        game = (await referee.status(match_id)).match.terms.game
        raise NoDrawsHere(game, str(why)) from None


async def answer_draw(
    referee: Referee, match_id: str, seat: Seat, accept: bool, request_id: str = ""
) -> RequestAccepted:
    """Accept or decline a draw. Raises NoDrawOffered."""
    try:
        return await (referee.accept_draw if accept else referee.decline_draw)(match_id, seat, request_id)
    except DrawNotClaimable:
        raise NoDrawOffered(match_id) from None


class RejectionRecorder:
    """Records rejected items and lost sessions in the private log of a bot."""

    def __init__(self, recorder: BotLogRecorder, time: Time) -> None:
        self._recorder = recorder
        self._time = time

    @contextmanager
    def record_rejections(
        self, player: Player, match_id: str, seat: Seat | None = None, move: str = ""
    ) -> Iterator[None]:
        """Record a DetailedError that is raised in this context."""
        try:
            yield
        except DetailedError as why:
            self.record_rejection(player, why, match_id, seat, move)
            raise

    def record_rejection(
        self, player: Player, why: DetailedError, match_id: str, seat: Seat | None = None, move: str = ""
    ) -> None:
        """Record the rejection of an item, unless it repeats one that was recorded before."""
        error = to_wire_error(why, match_id)
        if error is None or getattr(why, "repeated", False):
            return
        what = RefusedNote(error.reason, error.sentence, tuple(error.metadata.items()), move)
        ply = error.metadata.get("ply", "")
        note = Note(self._time.wall_ms(), player.version, what, match_id, seat, int(ply) if ply.isdigit() else None)
        self._recorder.record(player.bot, note)

    def record_session_lost(self, session: Session, why: BaseException) -> None:
        """Record a session that its bot did not end itself: the reason is the error that closed it, else `why`."""
        first = session.outbox.closed or why
        error = to_wire_error(first) if isinstance(first, Exception) else None
        broken = isinstance(why, asyncio.CancelledError | grpc.aio.InternalError)
        reason = error.reason if error else CONNECTION_BROKEN if broken else REFEREE_FAULT
        player = session.player
        note = Note(self._time.wall_ms(), player.version, SessionLostNote(session.id, reason))
        self._recorder.record(player.bot, note)


@dataclass(frozen=True, slots=True)
class PlayTools:
    """What all Play streams and calls of bots use."""

    map_error: ErrorMapper
    match_context: MatchContext
    rejection_recorder: RejectionRecorder
    count_repeated: Callable[[], None]
    """Called for each item that was repeated, and got its original verdict."""
