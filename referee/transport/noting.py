"""What a bot said in vain, and how its sessions were lost: for its private log, in the words of the contract."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import grpc

from engines.api import Seat
from engines.refusals import Refusal
from referee.app.bot_log import Note, Refused, SessionLost
from referee.app.ports import Time
from referee.app.scribe import Scribe
from referee.app.sessions import Session
from referee.core.setup import Player
from referee.transport.refusals import said

BROKEN = "HEARTBEAT_LOST"
"""Of a session whose connection just broke."""
OUR_FAULT = "REFEREE_FAULT"


class Noting:
    def __init__(self, scribe: Scribe, time: Time) -> None:
        self._scribe = scribe
        self._time = time

    @contextmanager
    def refusals(self, player: Player, match_id: str, seat: Seat | None = None, move: str = "") -> Iterator[None]:
        """What the player says here is noted if it is refused."""
        try:
            yield
        except Refusal as why:
            self.refused(player, why, match_id, seat, move)
            raise

    def refused(self, player: Player, why: Refusal, match_id: str, seat: Seat | None = None, move: str = "") -> None:
        told = said(why, match_id)
        if told is None or getattr(why, "again", False):  # The first time it was noted.
            return
        what = Refused(told.reason, told.sentence, tuple(told.metadata.items()), move)
        ply = told.metadata.get("ply", "")
        note = Note(self._time.wall_ms(), player.version, what, match_id, seat, int(ply) if ply.isdigit() else None)
        self._scribe.note(player.bot, note)

    def lost(self, session: Session, why: BaseException) -> None:
        """The session has ended otherwise than by its bot's own wish: by `why`, if it was not closed before that."""
        first = session.outbox.closed or why
        told = said(first) if isinstance(first, Exception) else None
        broken = isinstance(why, asyncio.CancelledError | grpc.aio.InternalError)
        reason = told.reason if told else BROKEN if broken else OUR_FAULT
        player = session.player
        note = Note(self._time.wall_ms(), player.version, SessionLost(session.id, reason))
        self._scribe.note(player.bot, note)
