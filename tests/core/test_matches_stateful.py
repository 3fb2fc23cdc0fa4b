"""Whole matches of every game under whatever can happen to them, against a second referee's book.

Hypothesis sends commands good and bad; the book foretells each; the log must tell the whole story at
every moment, and each viewer no more of it than it may know.
"""

import random
from collections import deque
from functools import cache
from typing import Any

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

from engines.api import SPECTATOR
from engines.options import Value
from engines.refusals import Refusal
from referee.core.clock import TimeControl
from referee.core.commands import (
    Abort,
    AcceptDraw,
    Adjudicate,
    Begin,
    ClaimDraw,
    Command,
    DeclineDraw,
    EndGrace,
    FallFlag,
    GiveNonce,
    Leave,
    OfferDraw,
    Resign,
    Resume,
    Return,
    SubmitMove,
    TakeSeat,
    Void,
)
from referee.core.deciding import Decided, decide
from referee.core.events import Event, MovePlayed, MoveRefused, Opened, PlayBegan, PlayEnded
from referee.core.match import Match, evolve, opened, replay
from referee.core.policy import Dropout, Gone, Illegal, Late, Policies
from referee.core.result import Cause
from referee.core.row import Measured, NetworkCredit
from referee.core.setup import Player, Setup
from referee.core.telling import told
from tests.core.by_the_book import Book
from tests.core.clocks import controls
from tests.core.sitting import GAMES, terms
from tests.engines.suite import game_path

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
    """The last positions of a random game before it was over, as texts to open with."""
    rules = GAMES[game]
    path = game_path(rules, rules.settings(dict(chosen)), random.Random("near the end"))
    return [str(position) for position in deque(path, 13)][:-1]


@st.composite
def policies(draw: st.DrawFn) -> Policies:
    return Policies(
        draw(st.sampled_from(Illegal)),
        draw(st.integers(1, 3)),
        draw(st.sampled_from(Late)),
        draw(st.sampled_from(Gone)),
        draw(st.integers(1, 300)),
        draw(st.sampled_from(Dropout)),
    )


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    game, chosen = draw(st.sampled_from(TABLES))
    rules = GAMES[game]
    many = len(rules.table(rules.settings(chosen)).seats)
    one_for_all = st.builds(lambda control: (control,) * many, controls())
    odds = st.tuples(*[controls(hourglass=False)] * many)
    clocks: tuple[TimeControl, ...] = draw(st.one_of(one_for_all, odds))
    known = st.sampled_from([Player("anna", "1"), Player("bert", "2")])
    return terms(
        rules,
        clocks,
        chosen,
        players=tuple(draw(st.lists(st.one_of(known, known, st.just(Player())), min_size=many, max_size=many))),
        seed=draw(st.binary(min_size=32, max_size=32)),
        credit=NetworkCredit(draw(st.integers(0, 50)), draw(st.integers(0, 200))),
        policies=draw(policies()),
        by_lot=draw(st.booleans()),
        nonce_within_us=draw(st.sampled_from((0, 1_000_000))),
        opening=draw(st.sampled_from(last_positions(game, tuple(chosen.items())))) if draw(st.booleans()) else "",
    )


def decided_or_refused(match: Match, command: Command, now: int) -> Decided | Refusal:
    try:
        return decide(match, command, now)
    except Refusal as refusal:
        return refusal


class Matches(RuleBasedStateMachine):
    """One match at a time."""

    @initialize(setup=setups(), waits=st.integers(0, 7))
    def the_match_is_opened(self, setup: Setup, waits: int) -> None:
        self.game = GAMES[setup.game]
        setup.check(self.game)
        first = Opened(0, setup)
        self.log: list[Event] = [first]
        self.match: Match = opened(first, self.game)
        self.book = Book(self.game, setup)
        self.now = 0
        self.last: Command = Begin()
        self.stages: list[tuple[int, Match]] = []
        if waits != 5:
            self.all_are_there(True, waits)

    def ask(self, command: Command, wait: int = 0) -> None:
        """Put a command to both referees, so much later."""
        self.now += wait
        foretold = self.book.foretell(command, self.now)
        before, text = self.match, str(self.match.position)
        decided = decided_or_refused(before, command, self.now)
        if isinstance(decided, Refusal):
            assert type(decided).__name__ == foretold
            assert str(before.position) == text
            return
        assert decided.fault is None
        for event in decided.events:
            assert type(event).__name__ == foretold
            if isinstance(event, PlayBegan):
                foretold = self.book.begin(evolve(before, event).at_play())
            else:
                foretold = self.book.read(event)
        assert foretold == ""
        self.secrets_are_kept(before, decided.events)
        self.log.extend(decided.events)
        self.match = decided.match
        if isinstance(command, SubmitMove):
            self.last = command

    def secrets_are_kept(self, match: Match, events: tuple[Event, ...]) -> None:
        seats = range(len(match.table.seats))
        for event in events:
            for viewer in (*seats, SPECTATOR):
                hears = told(match, event, viewer)
                assert isinstance(event, PlayEnded) == (repr(match.setup.seed) in repr(hears))
                if isinstance(event, MoveRefused):
                    assert (hears == event) if viewer == event.seat else (hears is None)
                if isinstance(event, MovePlayed) and viewer != event.seat and len(match.owing) > 1:
                    # Where several owe at once, what they choose is sealed.
                    assert isinstance(hears, MovePlayed)
                    assert hears.move != event.move
                    assert f"move={event.move!r}" not in repr(hears)
            match = evolve(match, event)

    # Before play

    def seat(self, data: st.DataObject) -> int:
        """Mostly one that owes a move, and hardly ever one that is not there."""
        many = len(self.book.seats)
        chosen = data.draw(st.integers(0, 31))
        if chosen in (15, 30):
            return -1 if chosen == 15 else many
        owing = sorted(self.book.turns)
        return owing[chosen % len(owing)] if owing and chosen < 20 else chosen % many

    @precondition(lambda self: self.book.phase == "waiting")
    @rule(data=st.data(), bot=st.sampled_from(["anna", "bert"]), version=st.sampled_from(["", "1"]))
    def a_seat_is_taken(self, data: st.DataObject, bot: str, version: str) -> None:
        self.ask(TakeSeat(self.seat(data), Player(bot, version)))

    @precondition(lambda self: self.book.phase == "waiting")
    @rule(data=st.data(), nonce=st.sampled_from([b"", b"salt", bytes(64), bytes(65)]))
    def a_nonce_is_given(self, data: st.DataObject, nonce: bytes) -> None:
        self.ask(GiveNonce(self.seat(data), nonce))

    @precondition(lambda self: self.book.phase == "waiting")
    @rule(fill=st.booleans(), wait=st.integers(0, 50))
    def all_are_there(self, fill: bool, wait: int) -> None:
        for seat in self.book.seats if fill else ():
            self.ask(TakeSeat(seat, Player("carl", "3")))
        self.ask(Begin(), wait)

    # Answers

    def measured(self, data: st.DataObject, seat: int) -> Measured:
        """About any time, with a liking for the very tick at which the flag falls."""
        network, stall = data.draw(st.integers(0, 60)), data.draw(st.sampled_from([0, 0, 7, 200]))
        arrived = self.now + data.draw(st.integers(0, 30))
        limit = self.book.time.limit(seat) if seat in self.book.turns else None
        if limit is not None and data.draw(st.integers(0, 4)) == 3:
            credit = min(network, self.book.setup.credit.per_move_us, self.book.time.credit[seat])
            falls = self.book.turns[seat]["asked"] + limit + stall + credit
            arrived = max(self.now, falls + data.draw(st.integers(0, 1)))
        self.now = arrived
        return Measured(arrived, network, stall)

    @precondition(lambda self: self.book.turns)
    @rule(many=st.integers(1, 30))
    def play_goes_on_at_once(self, many: int) -> None:
        luck = random.Random(many)
        for _ in range(many):
            if self.book.turns:
                seat = luck.choice(sorted(self.book.turns))
                move = luck.choice(self.book.at_play.moves(seat))
                self.ask(SubmitMove(seat, self.book.token(seat), move, Measured(self.now)))

    def answer(self, data: st.DataObject, seat: int, move: str, **rest: Any) -> None:
        measured = self.measured(data, seat)
        token = rest.pop("token", self.book.token(seat))
        self.ask(SubmitMove(seat, token, move, measured, **rest), data.draw(st.integers(0, 3)))

    @precondition(lambda self: self.book.turns)
    @rule(data=st.data(), many=st.integers(1, 4), offers=st.integers(0, 5), request_id=st.sampled_from(["", "", "r"]))
    def legal_moves_are_played(self, data: st.DataObject, many: int, offers: int, request_id: str) -> None:
        for _ in range(many):
            if self.book.turns:
                seat = data.draw(st.sampled_from(sorted(self.book.turns)))
                move = data.draw(st.sampled_from(self.book.at_play.moves(seat)))
                self.answer(data, seat, move, offers_draw=offers == 3, request_id=request_id)

    @precondition(lambda self: self.book.phase != "waiting")
    @rule(data=st.data(), move=st.sampled_from(NONSENSE), request_id=st.sampled_from(["", "r", "s"]))
    def something_else_is_tried(self, data: st.DataObject, move: str, request_id: str) -> None:
        self.answer(data, self.seat(data), move, request_id=request_id)

    @rule(data=st.data(), token=st.sampled_from(["", "0.0.1", "1.1.1", "0.0.2", "nonsense"]))
    def an_old_turn_is_answered(self, data: st.DataObject, token: str) -> None:
        self.answer(data, self.seat(data), "1", token=token)

    @rule(move=st.sampled_from(["", "", "1"]), wait=st.integers(0, 5))
    def the_last_answer_comes_again(self, move: str, wait: int) -> None:
        last = self.last
        if isinstance(last, SubmitMove):
            again = SubmitMove(last.seat, last.token, move or last.move, last.measured, last.request_id)
            before = len(self.log)
            self.ask(again, wait)
            if self.book.token(last.seat) != last.token:
                assert len(self.log) == before

    @rule(data=st.data())
    def a_timer_looks_at_a_clock(self, data: st.DataObject) -> None:
        seat = self.seat(data)
        self.ask(FallFlag(seat, self.measured(data, seat)))

    # Coming and going

    @rule(data=st.data(), wait=st.integers(0, 50))
    def a_bot_leaves(self, data: st.DataObject, wait: int) -> None:
        self.ask(Leave(self.seat(data)), wait)

    @rule(data=st.data(), wait=st.integers(0, 50))
    def a_bot_returns(self, data: st.DataObject, wait: int) -> None:
        self.ask(Return(self.seat(data)), wait)

    @rule(data=st.data(), wait=st.sampled_from([0, 1, 50, 300]))
    def a_grace_may_be_over(self, data: st.DataObject, wait: int) -> None:
        self.ask(EndGrace(self.seat(data)), wait)

    # Draws and ends: the final ones are rare, or few matches would be long

    @rule(data=st.data(), command=st.sampled_from([OfferDraw, AcceptDraw, DeclineDraw, ClaimDraw]))
    def a_draw_is_spoken_of(self, data: st.DataObject, command: Any) -> None:
        self.ask(command(self.seat(data)))

    @rule(data=st.data(), often=st.integers(0, 7))
    def a_seat_resigns(self, data: st.DataObject, often: int) -> None:
        if often == 5:
            self.ask(Resign(self.seat(data)))

    @rule(data=st.data(), seats=st.lists(st.integers(0, 3), min_size=2, max_size=4), decliner=st.integers(0, 5))
    def a_draw_goes_round_the_table(self, data: st.DataObject, seats: list[int], decliner: int) -> None:
        for seat in seats:
            self.ask(DeclineDraw(seat) if seat == decliner else OfferDraw(seat))

    @rule(data=st.data(), often=st.integers(0, 15))
    def somebody_calls_it_off(self, data: st.DataObject, often: int) -> None:
        if often == 7 or self.book.moved:
            seat = self.seat(data)
            self.ask(Abort(None if often == 7 and seat == 1 else seat))

    @rule(cause=st.sampled_from(Cause), often=st.integers(0, 15))
    def something_breaks(self, cause: Cause, often: int) -> None:
        if often == 7:
            self.ask(Void(cause, "so it is"))

    @rule(data=st.data(), often=st.integers(0, 15), amiss=st.sampled_from([0, 0, 0, 1]))
    def a_person_decides(self, data: st.DataObject, often: int, amiss: int) -> None:
        if often == 7:
            many = len(self.book.sides) + amiss
            self.ask(Adjudicate(tuple(data.draw(st.lists(st.integers(1, 3), min_size=many, max_size=many)))))

    # Crashes

    @rule(down_ms=st.integers(0, 10**9))
    def the_referee_crashes_and_folds_its_log_again(self, down_ms: int) -> None:
        folded = replay(self.log, GAMES.__getitem__)
        assert folded == self.match
        self.match = folded
        self.stages.append((len(self.log), folded))
        self.ask(Resume(down_ms))

    # What always holds

    @invariant()
    def the_two_referees_agree(self) -> None:
        self.book.agrees_with(self.match)

    @invariant()
    def the_log_has_no_gaps_and_one_end(self) -> None:
        assert self.match.number == len(self.log)
        assert isinstance(self.log[-1], PlayEnded) == (self.match.result is not None)
        assert not any(isinstance(event, PlayEnded) for event in self.log[:-1])
        assert [event.at_us for event in self.log] == sorted(event.at_us for event in self.log)

    def teardown(self) -> None:
        if hasattr(self, "log"):
            assert replay(self.log, GAMES.__getitem__) == self.match
            for number, stage in self.stages:
                assert replay(self.log[:number], GAMES.__getitem__) == stage


def test_matches_go_by_the_book() -> None:
    run_state_machine_as_test(Matches, settings=settings(max_examples=80, stateful_step_count=40))


@pytest.mark.soak
def test_many_long_matches_go_by_the_book() -> None:
    thorough = settings(max_examples=200, stateful_step_count=60, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Matches, settings=thorough)
