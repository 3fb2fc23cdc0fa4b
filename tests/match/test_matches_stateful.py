"""Whole matches of every game with random commands, compared with the reference implementation.

Hypothesis sends valid and invalid commands; the reference predicts each result; the log must yield the match at every
moment, and each viewer may see no more of it than visibility allows.
"""

import random
from collections import deque
from functools import cache
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from referee_values import (
    DisconnectAction,
    DisconnectPolicy,
    ForfeitEffect,
    IllegalMoveAction,
    IllegalMovePolicy,
    Policies,
    TimeoutAction,
)

from engines.api import SPECTATOR
from engines.game_errors import DetailedError
from engines.options import Value
from engines.testing.random_games import game_path
from referee.match import commands
from referee.match.clock import TimeControl
from referee.match.clock_charge import TurnMeasurement
from referee.match.decide import decide
from referee.match.decision import Decision
from referee.match.events import Event, MatchCreated, MovePlayed, MoveRejected, PlayEnded, PlayStarted, redact
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import Match, create_match, evolve
from tests.match.clock_strategies import controls
from tests.match.match_fixture import GAMES, Times, match_setup, replay
from tests.match.reference_match import ReferenceMatch

TABLES: list[tuple[str, dict[str, Value]]] = [
    ("nim", {}),
    ("fingers", {}),
    ("stones", {"seats": 3, "heap": 30}),
    ("stones", {"seats": 4, "heap": 20}),
    ("stones", {"seats": 4, "heap": 30, "teams": True}),
    ("alquerque", {}),
    ("trox", {}),
    ("troke", {}),
    ("toc", {}),
]
NONSENSE = ["", " ", "9", "pass", "a1-a1", "\x00", "x" * 200, "1\n", "٣"]


@cache
def last_positions(game: str, chosen: tuple[tuple[str, Value], ...]) -> list[str]:
    """Return the last positions of a random game before it was over, as texts for openings."""
    rules = GAMES[game]
    path = game_path(rules, rules.settings(dict(chosen)), random.Random("near the end"))
    return [str(position) for position in deque(path, 13)][:-1]


def word(words: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(get_args(words)[1:])


@st.composite
def policies(draw: st.DrawFn) -> Policies:
    return Policies(
        illegal_move=IllegalMovePolicy(action=draw(word(IllegalMoveAction)), max_attempts=draw(st.integers(1, 3))),
        timeout=draw(word(TimeoutAction)),
        disconnect=DisconnectPolicy(action=draw(word(DisconnectAction)), grace_period_ms=draw(st.integers(1, 3))),
        forfeit_effect=draw(word(ForfeitEffect)),
    )


@st.composite
def setups(draw: st.DrawFn) -> tuple[Setup, Times]:
    game, chosen = draw(st.sampled_from(TABLES))
    rules = GAMES[game]
    many = len(rules.table(rules.settings(chosen)).seats)
    one_for_all = st.builds(lambda control: (control,) * many, controls())
    odds = st.tuples(*[controls(hourglass=False)] * many)
    clocks: tuple[TimeControl, ...] = draw(st.one_of(one_for_all, odds))
    known = st.sampled_from([Player("anna", "1"), Player("bert", "2")])
    setup = match_setup(
        rules,
        chosen=chosen,
        players=tuple(draw(st.lists(st.one_of(known, known, st.just(Player())), min_size=many, max_size=many))),
        seed=draw(st.binary(min_size=32, max_size=32)),
        policies=draw(policies()),
        random_seats=draw(st.booleans()),
        nonce_timeout_us=draw(st.sampled_from((0, 1_000_000))),
        opening=draw(st.sampled_from(last_positions(game, tuple(chosen.items())))) if draw(st.booleans()) else "",
    )
    return setup, Times(clocks, draw(st.integers(0, 50)), draw(st.integers(0, 200)))


def decision_or_error(match: Match, command: commands.Command, now: int) -> Decision | DetailedError:
    try:
        return decide(match, command, now)
    except DetailedError as error:
        return error


class Matches(RuleBasedStateMachine):
    """State machine of one match."""

    @initialize(opened=setups(), waits=st.integers(0, 7))
    def open_match(self, opened: tuple[Setup, Times], waits: int) -> None:
        setup, self.times = opened
        self.game = GAMES[setup.terms.game]
        setup.check(self.game)
        first = MatchCreated(0, setup)
        self.log: list[Event] = [first]
        self.match: Match = self.times.put_in(create_match(first, self.game))
        self.reference = ReferenceMatch(self.game, setup, self.times)
        self.now = 0
        self.last: commands.Command = commands.StartPlay()
        self.stages: list[tuple[int, Match]] = []
        if waits != 5:
            self.start_play(True, waits)

    def send(self, command: commands.Command, wait: int = 0) -> None:
        """Send a command to both implementations, `wait` later, and compare the results."""
        self.now += wait
        expected = self.reference.predict(command, self.now)
        before, text = self.match, str(self.match.position)
        decided = decision_or_error(before, command, self.now)
        if isinstance(decided, DetailedError):
            assert type(decided).__name__ == expected
            assert str(before.position) == text
            return
        assert decided.fault is None
        for event in decided.events:
            assert type(event).__name__ == expected
            if isinstance(event, PlayStarted):
                expected = self.reference.begin(evolve(before, event).require_position(), event.seated)
            else:
                expected = self.reference.read(event)
        assert expected == ""
        self.check_redaction(before, decided.events)
        self.log.extend(decided.events)
        self.match = decided.match
        if isinstance(command, commands.SubmitMove):
            self.last = command

    def check_redaction(self, match: Match, events: tuple[Event, ...]) -> None:
        seats = range(len(match.table.seats))
        for event in events:
            for viewer in (*seats, SPECTATOR):
                visible = redact(event, match.position, viewer)
                assert isinstance(event, PlayEnded) == (repr(match.setup.seed) in repr(visible))
                if isinstance(event, MoveRejected):
                    assert (visible == event) if viewer == event.seat else (visible is None)
                if isinstance(event, MovePlayed) and viewer != event.seat and len(match.owing) > 1:
                    # Where several seats have a turn at once, their choices are sealed.
                    assert isinstance(visible, MovePlayed)
                    assert visible.move != event.move
                    assert f"move={event.move!r}" not in repr(visible)
            match = evolve(match, event)

    # Before play

    def seat(self, data: st.DataObject) -> int:
        """Draw a seat: mostly one that has a turn, and rarely one that does not exist."""
        many = len(self.reference.seats)
        chosen = data.draw(st.integers(0, 31))
        if chosen in (15, 30):
            return -1 if chosen == 15 else many
        owing = sorted(self.reference.turns)
        return owing[chosen % len(owing)] if owing and chosen < 20 else chosen % many

    @precondition(lambda self: self.reference.phase == "waiting")
    @rule(data=st.data(), bot=st.sampled_from(["anna", "bert"]), version=st.sampled_from(["", "1"]))
    def take_seat(self, data: st.DataObject, bot: str, version: str) -> None:
        self.send(commands.TakeSeat(self.seat(data), Player(bot, version)))

    @precondition(lambda self: self.reference.phase == "waiting")
    @rule(data=st.data(), nonce=st.sampled_from([b"", b"salt", bytes(64), bytes(65)]))
    def add_nonce(self, data: st.DataObject, nonce: bytes) -> None:
        self.send(commands.AddNonce(self.seat(data), nonce))

    @precondition(lambda self: self.reference.phase == "waiting")
    @rule(fill=st.booleans(), wait=st.integers(0, 50))
    def start_play(self, fill: bool, wait: int) -> None:
        for seat in self.reference.seats if fill else ():
            self.send(commands.TakeSeat(seat, Player("carl", "3")))
        self.send(commands.StartPlay(), wait)

    # Answers

    def measured(self, data: st.DataObject, seat: int) -> TurnMeasurement:
        """Draw a measurement, often at the very microsecond at which the flag falls."""
        network, stall = data.draw(st.integers(0, 60)), data.draw(st.sampled_from([0, 0, 7, 200]))
        arrived = self.now + data.draw(st.integers(0, 30))
        limit = self.reference.time.limit(seat) if seat in self.reference.turns else None
        if limit is not None and data.draw(st.integers(0, 4)) == 3:
            credit = min(network, self.times.credit_a_move_us, self.reference.time.credit[seat])
            falls = self.reference.turns[seat]["started"] + limit + stall + credit
            arrived = max(self.now, falls + data.draw(st.integers(0, 1)))
        self.now = arrived
        return TurnMeasurement(arrived, network, stall)

    @precondition(lambda self: self.reference.turns)
    @rule(many=st.integers(1, 30))
    def play_random_moves(self, many: int) -> None:
        rng = random.Random(many)
        for _ in range(many):
            if self.reference.turns:
                seat = rng.choice(sorted(self.reference.turns))
                move = rng.choice(self.reference.require_position.moves(seat))
                self.send(commands.SubmitMove(seat, self.reference.token(seat), move, TurnMeasurement(self.now)))

    def answer(self, data: st.DataObject, seat: int, move: str, **rest: Any) -> None:
        measured = self.measured(data, seat)
        token = rest.pop("token", self.reference.token(seat))
        self.send(commands.SubmitMove(seat, token, move, measured, **rest), data.draw(st.integers(0, 3)))

    @precondition(lambda self: self.reference.turns)
    @rule(data=st.data(), many=st.integers(1, 4), offers=st.integers(0, 5), request_id=st.sampled_from(["", "", "r"]))
    def play_legal_moves(self, data: st.DataObject, many: int, offers: int, request_id: str) -> None:
        for _ in range(many):
            if self.reference.turns:
                seat = data.draw(st.sampled_from(sorted(self.reference.turns)))
                move = data.draw(st.sampled_from(self.reference.require_position.moves(seat)))
                self.answer(data, seat, move, offers_draw=offers == 3, request_id=request_id)

    @precondition(lambda self: self.reference.phase != "waiting")
    @rule(data=st.data(), move=st.sampled_from(NONSENSE), request_id=st.sampled_from(["", "r", "s"]))
    def submit_other_text(self, data: st.DataObject, move: str, request_id: str) -> None:
        self.answer(data, self.seat(data), move, request_id=request_id)

    @rule(data=st.data(), token=st.sampled_from(["", "0.0.1", "1.1.1", "0.0.2", "nonsense"]))
    def answer_old_turn(self, data: st.DataObject, token: str) -> None:
        self.answer(data, self.seat(data), "1", token=token)

    @rule(move=st.sampled_from(["", "", "1"]), wait=st.integers(0, 5))
    def repeat_last_answer(self, move: str, wait: int) -> None:
        last = self.last
        if isinstance(last, commands.SubmitMove):
            again = commands.SubmitMove(last.seat, last.token, move or last.move, last.measured, last.request_id)
            before = len(self.log)
            self.send(again, wait)
            if self.reference.token(last.seat) != last.token:
                assert len(self.log) == before

    @rule(data=st.data())
    def fire_timer(self, data: st.DataObject) -> None:
        seat = self.seat(data)
        self.send(commands.FallFlag(seat, self.measured(data, seat)))

    # Seats that disconnect and return

    @rule(data=st.data(), wait=st.integers(0, 50))
    def disconnect_bot(self, data: st.DataObject, wait: int) -> None:
        self.send(commands.DisconnectSeat(self.seat(data)), wait)

    @rule(data=st.data(), wait=st.integers(0, 50))
    def reconnect_bot(self, data: st.DataObject, wait: int) -> None:
        self.send(commands.ReconnectSeat(self.seat(data)), wait)

    @rule(data=st.data(), wait=st.sampled_from([0, 1, 50, 300]))
    def end_grace_period(self, data: st.DataObject, wait: int) -> None:
        self.send(commands.EndGracePeriod(self.seat(data)), wait)

    # Draws and ends; final ones are rare, or few matches would be long

    @rule(
        data=st.data(),
        command=st.sampled_from([commands.OfferDraw, commands.AcceptDraw, commands.DeclineDraw, commands.ClaimDraw]),
    )
    def send_draw_command(self, data: st.DataObject, command: Any) -> None:
        self.send(command(self.seat(data)))

    @rule(data=st.data(), often=st.integers(0, 7))
    def resign_seat(self, data: st.DataObject, often: int) -> None:
        if often == 5:
            self.send(commands.Resign(self.seat(data)))

    @rule(bot=st.sampled_from(["", "anna", "bert", "carl"]), often=st.integers(0, 7))
    def withdraw_bot(self, bot: str, often: int) -> None:
        if often == 5 or self.reference.phase == "waiting":
            self.send(commands.WithdrawBot(bot))

    @rule(data=st.data(), seats=st.lists(st.integers(0, 3), min_size=2, max_size=4), decliner=st.integers(0, 5))
    def offer_draw_from_seats(self, data: st.DataObject, seats: list[int], decliner: int) -> None:
        for seat in seats:
            self.send(commands.DeclineDraw(seat) if seat == decliner else commands.OfferDraw(seat))

    @rule(data=st.data(), often=st.integers(0, 15))
    def abort_match(self, data: st.DataObject, often: int) -> None:
        if often == 7 or self.reference.moved:
            seat = self.seat(data)
            self.send(commands.AbortMatch(None if often == 7 and seat == 1 else seat))

    @rule(cause=st.sampled_from(EndCause), often=st.integers(0, 15))
    def void_match(self, cause: EndCause, often: int) -> None:
        if often == 7:
            self.send(commands.VoidMatch(cause, "so it is"))

    @rule(data=st.data(), often=st.integers(0, 15), surplus=st.sampled_from([0, 0, 0, 1]))
    def adjudicate_match(self, data: st.DataObject, often: int, surplus: int) -> None:
        if often == 7:
            many = len(self.reference.sides) + surplus
            self.send(
                commands.AdjudicateMatch(tuple(data.draw(st.lists(st.integers(1, 3), min_size=many, max_size=many))))
            )

    # Crashes

    @rule(down_ms=st.integers(0, 10**9))
    def crash_and_replay(self, down_ms: int) -> None:
        replayed = replay(self.log, GAMES.__getitem__, self.times)
        assert replayed == self.match
        self.match = replayed
        self.stages.append((len(self.log), replayed))
        self.send(commands.ResumeMatch(down_ms))

    # Invariants

    @invariant()
    def states_agree(self) -> None:
        self.reference.agrees_with(self.match)

    @invariant()
    def log_is_complete_and_has_at_most_one_end(self) -> None:
        assert self.match.number == len(self.log)
        assert isinstance(self.log[-1], PlayEnded) == (self.match.result is not None)
        assert not any(isinstance(event, PlayEnded) for event in self.log[:-1])
        assert [event.at_us for event in self.log] == sorted(event.at_us for event in self.log)

    def teardown(self) -> None:
        if hasattr(self, "log"):
            assert replay(self.log, GAMES.__getitem__, self.times) == self.match
            for number, stage in self.stages:
                assert replay(self.log[:number], GAMES.__getitem__, self.times) == stage


def test_matches_agree_with_the_reference() -> None:
    run_state_machine_as_test(Matches, settings=settings(max_examples=80, stateful_step_count=40))


@pytest.mark.soak
def test_many_long_matches_agree_with_the_reference() -> None:
    thorough = settings(max_examples=200, stateful_step_count=60, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Matches, settings=thorough)
