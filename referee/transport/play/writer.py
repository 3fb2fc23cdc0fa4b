"""Converts items of the outbox of a session to items of a Play message."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from referee_api.v1 import play_pb2

from engines.api import Seat
from referee.accounts.bot_log import NoticeNote
from referee.live import outbox
from referee.live.outbox import MoveAccepted, RequestAccepted
from referee.live.ports import MatchArchived, Time
from referee.live.referee import Referee
from referee.live.sessions import Session
from referee.live.submit import AttemptRefused, LateAnswer
from referee.match.clock import Micros
from referee.match.match_errors import StaleTurn
from referee.transport.wire.accounts import notice_of
from referee.transport.wire.basic_types import ms_down
from referee.transport.wire.clocks import write_charge
from referee.transport.wire.error_mapping import ErrorMapper, error_detail_of
from referee.transport.wire.matches import MatchContext, match_of, seed_commitment_of, write_turn
from referee.transport.wire.results import changes_of, maybe_result
from referee.transport.wire.rules import turn_rules

Items: TypeAlias = "RepeatedCompositeFieldContainer[play_pb2.RefereeItem]"
"""Items of the message that is about to be sent. They are filled in in place, because copies are expensive."""


@dataclass(frozen=True, slots=True)
class ItemWriter:
    """Writer of one session."""

    referee: Referee
    session: Session
    time: Time
    welcome: Callable[[], play_pb2.Welcome]
    map_error: ErrorMapper
    match_context: MatchContext
    sent_rules: dict[tuple[str, Seat], None] = field(default_factory=dict)
    """Matches and seats whose large rules were already sent in this session. An empty set would take 216 bytes."""

    def _write_welcome(self, _: outbox.HelloAccepted, items: Items) -> None:
        items.add(welcome=self.welcome())

    def _write_turn(self, item: outbox.TurnNotice, items: Items) -> None:
        due = self.referee.turn_due(item.match_id, item.seat)
        if due:
            key = (item.match_id, item.seat)
            turn = items.add().turn
            write_turn(turn, due, self.session.hello.turn_options, with_rules=key not in self.sent_rules)
            if turn.rules_hash:
                self.sent_rules[key] = None

    def _write_verdict(self, item: outbox.VerdictNotice, items: Items) -> Awaitable[None] | None:
        verdict = items.add().verdict
        verdict.item_id = item.item_id
        verdict.match_id = item.match_id
        verdict.turn_token = item.token
        outcome = item.outcome
        if isinstance(outcome, MoveAccepted):
            verdict.accepted.entry_number = outcome.number
            verdict.accepted.ply = outcome.ply + 1
            verdict.repeated = outcome.repeated
            if outcome.event.row:
                write_charge(verdict.clock_charge, outcome.event.row, outcome.event.seat, outcome.control)
        elif isinstance(outcome, RequestAccepted):
            verdict.accepted.entry_number = outcome.number
            return self._write_ply(verdict)
        else:
            self._write_rejection(verdict, outcome)
        return None

    async def _write_ply(self, verdict: play_pb2.Verdict) -> None:
        verdict.accepted.ply = (await self.referee.match(verdict.match_id)).ply

    def _write_rejection(self, verdict: play_pb2.Verdict, why: Exception) -> None:
        error = self.map_error(why, verdict.match_id)
        if isinstance(why, StaleTurn):
            verdict.stale.CopyFrom(play_pb2.StaleAnswer(current_turn_token=why.details["current"]))
            return
        verdict.rejected.error.CopyFrom(error_detail_of(error))
        if isinstance(why, AttemptRefused):
            verdict.rejected.attempts_left = why.attempts_left
            verdict.repeated = why.repeated
        elif isinstance(why, LateAnswer):
            write_charge(verdict.clock_charge, why.row, why.seat, why.control)
            verdict.repeated = why.repeated

    async def _write_match_started(self, item: outbox.MatchStarted, items: Items) -> None:
        status = await self.referee.status(item.match_id)
        match = match_of(status, self.match_context, item.seat)
        setup = status.match.setup
        _, rules_hash = turn_rules(setup.terms.game, setup.game_version, setup.terms.settings.values)
        if rules_hash:
            self.sent_rules[item.match_id, item.seat] = None
        items.add(match_started=play_pb2.MatchStarted(match=match, seat=item.seat, rules_hash=rules_hash))

    async def _write_match_ended(self, item: outbox.MatchEnded, items: Items) -> None:
        self.sent_rules.pop((item.match_id, item.seat), None)
        try:
            match = await self.referee.ended_match(item.match_id)
        except MatchArchived:  # The match was archived while the item waited.
            return
        ended = play_pb2.MatchEnded(
            match_id=item.match_id,
            seat=item.seat,
            result=maybe_result(match.result, item.match_id),
            seed_commitment=seed_commitment_of(match, self.match_context),
            ratings=changes_of(match.ratings),
        )
        items.add(match_ended=ended)

    def _write_turn_expired(self, item: outbox.TurnExpired, items: Items) -> None:
        expired = items.add().turn_expired
        expired.match_id = item.match_id
        expired.turn_token = item.token
        expired.substitute_move = item.played_instead
        if item.row:
            write_charge(expired.clock_charge, item.row, item.seat, item.control)

    def _write_nonce_request(self, item: outbox.NonceRequested, items: Items) -> None:
        left_us: Micros = max(0, item.until_us - self.time.monotonic_us())
        request = play_pb2.NonceRequest(
            match_id=item.match_id, seat=item.seat, commitment=item.commitment, time_left_ms=ms_down(left_us)
        )
        items.add(nonce_request=request)

    def _write_encoded(self, item: outbox.EncodedItem, items: Items) -> None:
        items.add().ParseFromString(item.item)

    def _write_notice(self, item: NoticeNote, items: Items) -> None:
        items.add(notice=notice_of(item))

    def _write_ping(self, item: outbox.PingNotice, items: Items) -> None:
        items.add(ping=play_pb2.Ping(id=item.id, round_trip_us=item.round_trip_us))

    def _write_draining(self, item: outbox.DrainNotice, items: Items) -> None:
        items.add(
            draining=play_pb2.Draining(grace_period_ms=item.closes_in_ms, reconnect_delay_ms=item.reconnect_delay_ms)
        )

    def _write_taken_over(self, item: outbox.TakeoverNotice, items: Items) -> None:
        items.add(session_taken_over=play_pb2.SessionTakenOver(new_session_id=item.by_session_id))


ITEM_WRITERS: dict[type, Callable[[ItemWriter, Any, Items], Awaitable[None] | None]] = {
    outbox.HelloAccepted: ItemWriter._write_welcome,
    outbox.EncodedItem: ItemWriter._write_encoded,
    outbox.NonceRequested: ItemWriter._write_nonce_request,
    outbox.MatchStarted: ItemWriter._write_match_started,
    outbox.TurnNotice: ItemWriter._write_turn,
    outbox.VerdictNotice: ItemWriter._write_verdict,
    outbox.TurnExpired: ItemWriter._write_turn_expired,
    outbox.MatchEnded: ItemWriter._write_match_ended,
    outbox.PingNotice: ItemWriter._write_ping,
    outbox.DrainNotice: ItemWriter._write_draining,
    outbox.TakeoverNotice: ItemWriter._write_taken_over,
    NoticeNote: ItemWriter._write_notice,
}
"""Functions that add an item of each kind to a message, unless it is outdated, such as a turn that is over.

They return what must be awaited for that; None: nothing.
"""
