"""Runs of plain moves: event by event and state by state they are what `decide` makes of the same answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from referee_values import Adjudication, Policies

from engines.api import Game
from engines.options import Value
from engines.registry import find
from referee.match.clock import SECOND, Clock, Fischer, Hourglass, SuddenDeath, TimeControl
from referee.match.commands import OfferDraw, Resign
from referee.match.events import MovePlayed, MoveSource
from referee.match.plain_run import PlainRun, plain_run
from tests.match.clock_strategies import controls
from tests.match.games import STONES
from tests.match.match_fixture import MatchFixture, started_match
from tests.third_party_games.third_party_games import FINGERS, NIM

TABLES: tuple[tuple[Game, dict[str, Value]], ...] = (
    (NIM, {"heap": 30}),
    (FINGERS, {}),
    (STONES, {"heap": 40, "seats": 2}),
    (STONES, {"heap": 40, "seats": 4, "teams": True}),
    (find("toc"), {}),
)
MINUTE = Fischer(60 * SECOND, SECOND)


def begun_run(fixture: MatchFixture) -> PlainRun:
    run = plain_run(fixture.match)
    assert run
    return run


@given(st.data())
def test_a_plain_move_is_what_decide_makes_of_it_and_no_other_answer_is_plain(data: st.DataObject) -> None:
    game, chosen = data.draw(st.sampled_from(TABLES))
    seats = len(game.table(game.settings(chosen)).seats)
    kinds: st.SearchStrategy[TimeControl] = st.one_of(st.just(MINUTE), controls(hourglass=False))
    own_controls = st.lists(kinds, min_size=seats, max_size=seats)
    fixture = started_match(game, data.draw(own_controls | st.builds(Hourglass, st.just(SECOND))), chosen)
    run = plain_run(fixture.match)
    for _ in range(data.draw(st.integers(1, 25))):
        if fixture.match.result:
            return
        seat, position = fixture.owing[0], fixture.match.require_position()
        if game is STONES and data.draw(st.integers(0, 9)) == 0 and not fixture.match.offers:
            fixture.do(OfferDraw(seat))
            run = plain_run(fixture.match)
        fixture.now_us += data.draw(st.integers(0, 400))
        move = data.draw(st.sampled_from([*position.moves(seat)] * 4 + ["?"]))
        stall_us, network_us = data.draw(st.integers(0, 3)), data.draw(st.sampled_from([0, 0, 0, 5]))
        answer = fixture.answer(seat, move, stall_us=stall_us, network_us=network_us)
        before, follower = fixture.match, plain_run(fixture.match)
        plain = None if network_us else run
        played = plain.step(move, answer.measured.arrived_us, stall_us) if plain else None
        events = fixture.do(answer)
        followed = [isinstance(event, MovePlayed) and follower.follow(event) for event in events] if follower else []
        assert played is None or followed == [True]
        if follower:
            assert follower.match() == (fixture.match if followed == [True] else before)
        if run and played:
            assert events == (played.event,)
            assert run.match() == fixture.match
            continue
        alone = [type(event) for event in events] == [MovePlayed] and len(fixture.owing) == 1
        assert not (plain and alone), "a plain move was not played"
        run = plain_run(fixture.match)


def test_a_run_changes_nothing_by_an_answer_that_is_not_plain() -> None:
    fixture = started_match(NIM, SuddenDeath(SECOND), {"heap": 7})
    run = begun_run(fixture)
    assert run.match() is fixture.match
    assert run.step("9", 5, 0) is None
    assert run.step("1", 2 * SECOND, 0) is None
    assert run.match() is fixture.match
    assert run.step("1", 5, 0)
    assert (run.match().ply, run.turn.seat, run.turn.asked_us) == (1, 1, 5)


def test_a_run_follows_no_move_that_evolve_would_refuse_or_count_in_another_way() -> None:
    fixture = started_match(STONES, MINUTE, {"seats": 2})
    run, (played,) = begun_run(fixture), fixture.move(0, "1")
    assert isinstance(played, MovePlayed)
    assert played.row
    others = {"seat": 1}, {"move": "?"}, {"source": MoveSource.RANDOM}, {"row": None}
    credited = {"row": replace(played.row, network_credit_us=1)}
    assert not any(run.follow(replace(played, **other)) for other in (*others, credited))
    assert run.follow(played)


def test_a_run_does_not_follow_the_move_that_ends_the_match() -> None:
    fixture = started_match(STONES, MINUTE, {"seats": 2, "heap": 1})
    run, (played, *_) = begun_run(fixture), fixture.move(0, "1")
    assert isinstance(played, MovePlayed)
    assert not run.follow(played)


def test_a_plain_move_knows_the_clock_after_it() -> None:
    played = begun_run(started_match(NIM, MINUTE)).step("1", 70, 20)
    assert played
    assert played.event.row
    assert played.after == played.event.row.after == Clock(61 * SECOND - 50)


def test_no_run_begins_where_a_move_has_further_consequences() -> None:
    fixture = started_match(STONES, MINUTE, {"seats": 2})
    assert plain_run(fixture.match)
    fixture.do(OfferDraw(1))
    assert plain_run(fixture.match) is None

    policies = Policies(forfeit_effect="random_moves")
    fixture = started_match(STONES, MINUTE, {"seats": 3}, policies=policies)
    fixture.do(Resign(2))
    assert plain_run(fixture.match) is None

    assert plain_run(started_match(NIM, Hourglass(SECOND)).match) is None
    assert plain_run(started_match(NIM, MINUTE, adjudication=Adjudication(max_plies=9)).match) is None
    assert plain_run(started_match(FINGERS, MINUTE).match) is None


def test_a_run_leaves_the_last_move_to_decide_and_none_begins_after_it() -> None:
    fixture = started_match(NIM, MINUTE, {"heap": 1})
    assert begun_run(fixture).step("1", 5, 0) is None
    fixture.move(0, "1")
    assert fixture.match.result
    assert plain_run(fixture.match) is None


@pytest.mark.parametrize("error", [OverflowError, RuntimeError])
def test_a_failure_of_the_engine_is_left_to_decide(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun_run(started_match(NIM, MINUTE))

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(type(run.position), "play", broken)
    assert run.step("1", 5, 0) is None


def test_no_run_begins_with_the_last_of_several_turns_that_were_pending_together() -> None:
    fixture = started_match(find("toc"), MINUTE)
    assert fixture.owing == [0, 1, 2, 3]
    for seat in range(3):
        fixture.move(seat, fixture.match.require_position().moves(seat)[0])
    assert fixture.owing == [3]
    assert plain_run(fixture.match) is None
    fixture.move(3, fixture.match.require_position().moves(3)[0])
    assert plain_run(fixture.match)
