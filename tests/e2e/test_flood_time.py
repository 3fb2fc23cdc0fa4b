"""A flood of calls costs no other bot time, its session or a match, and gives nobody extra time to think.

A real server uses a clock that the test controls: each call of the flood appears to compute for a minute on the event
loop, by both clocks that the server reads, but takes no real time. The flood therefore lasts for twenty minutes, and
the time that this machine really takes is small in comparison, however slow or busy it is.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import grpc
import pytest
from google.protobuf.message import Message
from referee_api.v1 import bot_pb2, clock_pb2, match_pb2, play_pb2

from referee.live.loop_lag import INTERVAL_US, LoopLag, thread_cpu_us
from referee.live.match_timing import LoopTime
from referee.live.ports import Timer
from referee.local.embedded_server import settings
from referee.match.clock import SECOND, Micros
from referee.transport.guards.field_limits import check_fields
from referee.transport.guards.unauthenticated_calls import UnauthenticatedCalls
from tests.e2e.organiser import ALQUERQUE, Organiser, call_method
from tests.e2e.server import create_organiser_token
from tests.e2e.server_thread import ServerThread

CALLS = 20
COMPUTED_US = 60 * SECOND
"""Simulated time that each call of the flood takes."""
FLOOD_US = CALLS * COMPUTED_US
CREDIT_US = SECOND
"""More than the maximum network credit, and far less than one call of the flood."""
GONE_AFTER_MS = 300_000
"""Longer than this test takes, and shorter than the flood."""
SHORT_MS = 600_000
"""Time for a move; also longer than this test takes and shorter than the flood."""
LONG_MS = 36_000_000
FLOOD_MARK = "dear"
"""Text that marks a message as part of the flood."""


class SimulatedClock(LoopTime):
    """Clock of a machine on which some steps take long; timers fire late because of them, as on a real machine."""

    def __init__(self) -> None:
        self._computed_us: Micros = 0
        self._timers: dict[_SimulatedTimer, None] = {}

    def monotonic_us(self) -> Micros:
        return super().monotonic_us() + self._computed_us

    def cpu_us(self) -> Micros:
        return thread_cpu_us() + self._computed_us

    def call_at(self, at_us: Micros, callback: Callable[[], None]) -> Timer:
        timer = _SimulatedTimer(at_us, callback, self._timers)
        timer.schedule(super().call_at)
        return timer

    def advance(self, us: Micros) -> None:
        """Advance the clock by `us`; to be called on the event loop."""
        self._computed_us += us
        for timer in list(self._timers):
            timer.schedule(super().call_at)


class _SimulatedTimer:
    """Timer that is set anew when the clock is advanced, so that it fires at the right simulated time."""

    def __init__(self, at_us: Micros, callback: Callable[[], None], others: dict["_SimulatedTimer", None]) -> None:
        self._at_us = at_us
        self._callback = callback
        self._others = others
        self._timer: Timer | None = None
        others[self] = None

    def schedule(self, call_at: Callable[[Micros, Callable[[], None]], Timer]) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = call_at(self._at_us, self._fire)

    def cancel(self) -> None:
        self._others.pop(self, None)
        if self._timer:
            self._timer.cancel()

    def _fire(self) -> None:
        self._others.pop(self, None)
        self._callback()


class FloodedMatch(NamedTuple):
    """A match between the bots of two organisers, and the real time of its first turn."""

    mover: Organiser
    opponent: Organiser
    channel: grpc.Channel
    turn: play_pb2.Turn
    sent_ns: int

    @classmethod
    def create(cls, channel: grpc.Channel, server: ServerThread, move_ms: int) -> "FloodedMatch":
        """Create the match, and wait for its first turn, which belongs to `mover`."""
        mover, opponent = (
            Organiser(server.info, channel, name, 1, create_organiser_token(channel, server.info.admin_token, name))
            for name in ("mover", "opponent")
        )
        for organiser in (mover, opponent):
            organiser.set_consent(scope=bot_pb2.CONSENT_SCOPE_ANYONE)
        rule = clock_pb2.ClockRule(per_move=clock_pb2.PerMove(move_ms=move_ms))
        sent_ns = time.monotonic_ns()
        request = mover.match_request(ALQUERQUE, rule)
        seats = [match_pb2.BotRef(bot=organiser.bots[0]) for organiser in (mover, opponent)]
        call_method(channel, "MatchService/CreateMatch", server.info.admin_token, **{**request, "seats": seats})
        opponent.connection(0)
        return cls(mover, opponent, channel, mover.next_turn(), sent_ns)

    def flood_by_calls(self, secret: str) -> None:
        for _ in range(CALLS):
            with suppress(grpc.RpcError):
                call_method(self.channel, "MatchService/GetMatch", secret, match_id=FLOOD_MARK)

    def flood_by_redemptions(self) -> None:
        for _ in range(CALLS):
            with suppress(grpc.RpcError):
                fields = {"code": FLOOD_MARK, "holder": "eve", "request_id": "r"}
                call_method(self.channel, "InvitationService/RedeemInvitation", None, **fields)

    def flood_by_moves(self, organiser: Organiser) -> None:
        connection = organiser.connection(0)
        for _ in range(CALLS):
            connection.send(move=play_pb2.Move(match_id=FLOOD_MARK, turn_token="none", move="none"))
            connection.receive("verdict")

    def answer(self) -> clock_pb2.ClockCharge:
        """Submit the move of `mover`, and return its clock charge."""
        connection = self.mover.connection(0)
        answer = {"match_id": self.turn.match_id, "turn_token": self.turn.turn_token, "move": self.turn.legal_moves[0]}
        connection.send(move=answer)
        charge: clock_pb2.ClockCharge = connection.receive("verdict").clock_charge
        return charge

    def assert_no_time_lost(self, stalls: int) -> None:
        """Assert that the bot was charged no more than the real time, and that its session and the match continue.

        The server may measure each of its stalls shorter by the interval of its measurement.
        """
        charge = self.answer()
        running_us = (time.monotonic_ns() - self.sent_ns) // 1_000
        assert charge.stall_us >= FLOOD_US - stalls * INTERVAL_US
        assert charge.charged_us <= running_us + stalls * INTERVAL_US
        assert not charge.late
        assert self.opponent.next_turn().ply == self.turn.ply + 1


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerThread]:
    clock = SimulatedClock()

    def slow_check_fields(message: Message, path: str = "") -> None:
        if FLOOD_MARK in str(message):
            clock.advance(COMPUTED_US)
        check_fields(message, path)

    def slow_begin_call(unauthenticated: UnauthenticatedCalls, address: str) -> None:
        clock.advance(COMPUTED_US)
        begin_call(unauthenticated, address)

    begin_call = UnauthenticatedCalls.begin_call
    monkeypatch.setattr(UnauthenticatedCalls, "begin_call", slow_begin_call)
    monkeypatch.setattr("referee.transport.guards.error_interceptor.check_fields", slow_check_fields)
    monkeypatch.setattr("referee.transport.play.reader.check_fields", slow_check_fields)
    monkeypatch.setattr("referee.server.referee_server.LoopTime", lambda: clock)
    monkeypatch.setattr("referee.server.application.LoopLag", lambda time: LoopLag(time, clock.cpu_us))
    # `charge_step` first compares with the clock of the machine, which is far behind the simulated one.
    monkeypatch.setattr(LoopLag, "charge_step", LoopLag.charge)
    patient = replace(settings(start_within_s=36_000, patient=True), heartbeat_timeout_ms=GONE_AFTER_MS)
    with ServerThread.serving(patient) as running:
        yield running


@pytest.fixture
def channel(server: ServerThread) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(server.info.grpc) as channel:
        yield channel


@pytest.mark.parametrize(
    ("flood", "stalls"),
    [
        pytest.param(lambda match: match.flood_by_calls(match.opponent.token), CALLS, id="calls of another holder"),
        pytest.param(lambda match: match.flood_by_calls("rf_wrong"), CALLS, id="calls without a valid token"),
        # Each call computes twice: when it is counted, and when its fields are checked.
        pytest.param(FloodedMatch.flood_by_redemptions, 2 * CALLS, id="redemptions of guessed codes"),
        pytest.param(lambda match: match.flood_by_moves(match.opponent), CALLS, id="moves of another bot"),
    ],
)
def test_a_flood_of_others_costs_a_bot_no_time(
    channel: grpc.Channel, server: ServerThread, flood: Callable[[FloodedMatch], None], stalls: int
) -> None:
    match = FloodedMatch.create(channel, server, SHORT_MS)
    flood(match)
    match.assert_no_time_lost(stalls)


@pytest.mark.parametrize(
    "flood",
    [
        pytest.param(lambda match: match.flood_by_calls(match.mover.token), id="calls of its own holder"),
        pytest.param(lambda match: match.flood_by_moves(match.mover), id="its own messages"),
    ],
)
def test_its_own_flood_is_charged_to_a_bot(
    channel: grpc.Channel, server: ServerThread, flood: Callable[[FloodedMatch], None]
) -> None:
    match = FloodedMatch.create(channel, server, LONG_MS)
    flood(match)
    assert match.answer().charged_us >= FLOOD_US - CREDIT_US


def test_a_bot_whose_holder_floods_the_server_still_loses_on_time(channel: grpc.Channel, server: ServerThread) -> None:
    match = FloodedMatch.create(channel, server, SHORT_MS)
    match.flood_by_calls(match.mover.token)
    assert match.answer().late
