"""Records rejected items and lost sessions in the private log of a bot."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from engines.api import Seat
from engines.refusals import Refusal
from referee.accounts.bot_log import Note, RefusedNote, SessionLostNote
from referee.live.bot_log_recorder import BotLogRecorder
from referee.live.ports import Time
from referee.live.sessions import Session
from referee.match.setup import Player
from referee.wire.error_mapping import to_wire_error

BROKEN = "HEARTBEAT_LOST"
"""Reason of a session whose connection broke."""
OUR_FAULT = "REFEREE_FAULT"


class ErrorLog:
    def __init__(self, recorder: BotLogRecorder, time: Time) -> None:
        self._recorder = recorder
        self._time = time

    @contextmanager
    def record_rejections(
        self, player: Player, match_id: str, seat: Seat | None = None, move: str = ""
    ) -> Iterator[None]:
        """Record a Refusal that is raised in this context."""
        try:
            yield
        except Refusal as why:
            self.record_rejection(player, why, match_id, seat, move)
            raise

    def record_rejection(
        self, player: Player, why: Refusal, match_id: str, seat: Seat | None = None, move: str = ""
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
        reason = error.reason if error else BROKEN if broken else OUR_FAULT
        player = session.player
        note = Note(self._time.wall_ms(), player.version, SessionLostNote(session.id, reason))
        self._recorder.record(player.bot, note)
