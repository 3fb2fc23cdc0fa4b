"""The bot's seats across all its sessions: the open turn of each, and the answer to it.

A turn token never gets two answers: if a turn is repeated while the bot is thinking about it, nothing happens, and if
there is an answer already, the same answer is sent again.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from referee_api.conversion import to_value
from referee_api.v1 import game_pb2, play_pb2
from referee_values import Match, MatchEnded

from referee_client.answers import RESIGN, answer_item
from referee_client.bot import Key
from referee_client.errors import Refusal, refusal_in
from referee_client.nonces import Nonces
from referee_client.open_turn import OpenTurn
from referee_client.runners import BotFailed, BotRunner
from referee_client.turn import turn_in

log = logging.getLogger("referee_client")

Send = Callable[[play_pb2.BotItem], None]

Schedule = Callable[[float, Callable[[], None]], object]
"""Calls a function after a number of seconds."""


@dataclass
class Seat:
    """One seat in one match."""

    open_turn: OpenTurn | None = None
    """None: the seat is not to move."""
    rules: game_pb2.Rules | None = None
    """The rules of its match as last received; turns omit large ones."""

    def cancel_turn(self) -> None:
        if self.open_turn:
            self.open_turn.cancel()
        self.open_turn = None


class Seats:
    def __init__(self, runner: BotRunner, nonces: Nonces | None = None, schedule: Schedule | None = None) -> None:
        """`schedule` is by default that of the running event loop."""
        self._runner = runner
        self._schedule = schedule or asyncio.get_running_loop().call_later
        self.nonces = nonces or Nonces()
        self._seats: dict[Key, Seat] = {}
        self._send: Send | None = None
        """Sends an item in the current session. None: there is none."""
        self._session = 0
        """Number of the current or last session."""
        self._item_ids = count(1)
        self._notifications: set[asyncio.Task[None]] = set()

    def connect(self, send: Send) -> None:
        """Send answers through a new stream, each after its turn has arrived in it."""
        self._send = send
        self._session += 1

    def disconnect(self) -> None:
        """Stop sending, because the stream has ended. New answers are sent when their turn is repeated."""
        self._send = None

    @property
    def has_open_turn(self) -> bool:
        return any(seat.open_turn for seat in self._seats.values())

    def close(self) -> None:
        """Cancel all open turns."""
        for seat in self._seats.values():
            seat.cancel_turn()

    def on_match_started(self, message: play_pb2.MatchStarted) -> None:
        self.nonces.on_match_started(message.match.id, message.match.seed_commitment)
        match = to_value(message.match, Match)
        key = (match.id, message.seat)
        if key not in self._seats:
            self._seats[key] = Seat(rules=message.match.terms.rules)
            self._notify_bot(self._runner.started(key, match))

    def on_turn(self, message: play_pb2.Turn, listed: bool) -> None:
        """Handle a turn. `listed`: whether the referee was asked to list legal moves."""
        key = (message.match_id, message.seat)
        seat = self._seats.setdefault(key, Seat())
        if message.HasField("rules"):
            seat.rules = message.rules
        previous = seat.open_turn
        if previous and previous.turn.token == message.turn_token:
            previous.session = self._session
            self._resend(seat, previous)
            return
        seat.cancel_turn()
        turn = turn_in(message, listed, seat.rules)
        turn = replace(turn, rejection=previous.rejection if previous else None)
        self._open(key, seat, OpenTurn(turn, self._session))

    def on_verdict(self, verdict: play_pb2.Verdict) -> None:
        for key, seat in self._seats.items():
            if seat.open_turn and seat.open_turn.matches(verdict):
                self._apply_verdict(verdict, key, seat, seat.open_turn)

    def on_turn_expired(self, message: play_pb2.TurnExpired) -> None:
        for (match_id, _), seat in self._seats.items():
            if match_id == message.match_id and seat.open_turn and seat.open_turn.turn.token == message.turn_token:
                seat.cancel_turn()

    def on_match_ended(self, message: play_pb2.MatchEnded) -> None:
        """Handle the end of a match. The bot is notified once for each seat, and only of those that it knows."""
        self.nonces.on_match_ended(message.match_id, message.seed_commitment)
        for (match_id, _), seat in self._seats.items():
            if match_id == message.match_id:
                seat.cancel_turn()
        key = (message.match_id, message.seat)
        if self._seats.pop(key, None):
            self._notify_bot(self._runner.ended(key, to_value(message, MatchEnded)))

    def _apply_verdict(self, verdict: play_pb2.Verdict, key: Key, seat: Seat, open_turn: OpenTurn) -> None:
        """Handle a verdict on the open turn. A stale one ends it, and accepted moves need nothing."""
        outcome = verdict.WhichOneof("outcome")
        if outcome == "stale":
            seat.cancel_turn()
        elif outcome == "rejected":
            self._on_rejection(refusal_in(verdict.rejected.error), key, seat, open_turn)

    def _on_rejection(self, refusal: Refusal, key: Key, seat: Seat, open_turn: OpenTurn) -> None:
        log.warning("match %s, seat %d, ply %d: %s", *key, open_turn.turn.ply, refusal)
        if refusal.retry_after is not None:
            self._schedule(refusal.retry_after, partial(self._resend, seat, open_turn))
            return
        open_turn.rejection = refusal
        answer = open_turn.answer
        if answer and not (answer.HasField("move") or answer.HasField("resignation")):
            # A rejected draw claim or draw answer does not answer the turn, which is still open.
            self._open(key, seat, OpenTurn(replace(open_turn.turn, rejection=refusal), open_turn.session))

    def _open(self, key: Key, seat: Seat, open_turn: OpenTurn) -> None:
        seat.open_turn = open_turn
        open_turn.task = asyncio.create_task(self._choose_and_send(key, open_turn))

    async def _choose_and_send(self, key: Key, open_turn: OpenTurn) -> None:
        try:
            answer = await self._runner.choose(key, open_turn.turn)
        except BotFailed as failed:
            log.error("match %s, seat %d, ply %d: the bot failed, and resigns:\n%s", *key, open_turn.turn.ply, failed)
            answer = RESIGN
        open_turn.answer = answer_item(open_turn.turn, answer)
        open_turn.answer.item_id = next(self._item_ids)
        self._send_answer(open_turn)

    def _resend(self, seat: Seat, open_turn: OpenTurn) -> None:
        """Send the answer to a turn again, if the turn is still open."""
        if seat.open_turn is open_turn:
            self._send_answer(open_turn)

    def _send_answer(self, open_turn: OpenTurn) -> None:
        """Send the answer if there is one, and the turn has arrived in the current session; otherwise keep it."""
        if self._send and open_turn.answer and open_turn.session == self._session:
            self._send(open_turn.answer)

    def _notify_bot(self, notification: Coroutine[None, None, None]) -> None:
        """Notify the bot in a background task."""
        task = asyncio.create_task(_log_failure(notification))
        self._notifications.add(task)
        task.add_done_callback(self._notifications.discard)


async def _log_failure(notification: Coroutine[None, None, None]) -> None:
    try:
        await notification
    except BotFailed as failed:
        log.error("the bot failed:\n%s", failed)
