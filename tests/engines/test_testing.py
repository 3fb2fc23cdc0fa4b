"""Each check of the suite fails on a game that lacks its property, and shows where."""

import gc
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest

from engines.api import REFEREE, Game, Outcome, Position
from engines.game_errors import IllegalMove, MalformedMove, NotYourTurn
from engines.options import Count, Flag, Options, Settings
from engines.testing import course_checks, random_games
from engines.testing.course_checks import measure_move_ms
from engines.testing.failure import CheckFailure, locate
from engines.testing.game_checks import check_long_texts
from engines.testing.hidden_checks import check_looks_same
from engines.testing.random_games import game_path
from engines.testing.suite import CHECKS, CheckResult, Suspect, is_limitless, run_checks
from tests.third_party_games.third_party_games import FINGERS, NIM
from tests.third_party_games.third_party_games.fingers import Fingers, FingersPosition
from tests.third_party_games.third_party_games.nim import Nim, NimPosition

BY_NAME = {check.name: check for check in CHECKS}
Fault = tuple[str, Game, type, str, Any]


def result_of(check: str, game: Game) -> CheckResult:
    (result,) = run_checks(Suspect(game), [BY_NAME[check]])
    return result


def play_anything(at: NimPosition, seat: int, move: str) -> Position:
    return NimPosition(at.rules, at.heap - 1, 1 - at.mover)


def play_too_much(at: NimPosition, seat: int, move: str) -> Position:
    if seat not in at.owing:
        raise NotYourTurn(seat, at.owing)
    if move not in ("1", "2", "3"):
        raise MalformedMove(move, "a move is 1, 2 or 3")
    return NimPosition(at.rules, max(0, at.heap - int(move)), 1 - at.mover)


def refuse_without_rule(at: NimPosition, seat: int, move: str) -> Position:
    if move in at.moves(seat):
        return NimPosition(at.rules, at.heap - int(move), 1 - at.mover)
    raise IllegalMove(move, "", "why not")


def crash_late(at: NimPosition, seat: int, move: str) -> Position:
    return NimPosition(at.rules, at.heap - int(move), 1 - at.mover) if at.heap > 15 else NimPosition(**{})


def never_ends(at: NimPosition, seat: int, move: str) -> Position:
    if move not in at.moves(seat):
        raise NotYourTurn(seat, at.owing)
    return NimPosition(at.rules, at.heap, 1 - at.mover)


def differ_by_call(seed_of: list[int]) -> Callable[..., Position]:
    def start(self: Nim, settings: Settings, seed: bytes) -> Position:
        seed_of.append(1)
        return NimPosition(settings, 10 + len(seed_of), 0)

    return start


def read_any(self: Nim, text: str, settings: Settings) -> Position:
    heap = "".join(letter for letter in text if letter in "0123456789")[:2] or "7"
    return NimPosition(settings, int(heap), 0)


def view_by_bonus(at: FingersPosition, viewer: int) -> Mapping[str, Any]:
    return {"round": at.bonus, "scores": list(at.scores), "text": at.text(viewer)}


def error_by_bonus(at: FingersPosition, seat: int, move: str) -> Position:
    if seat not in at.owing or move not in ("1", "2", "3"):
        raise IllegalMove("?", "FI-1", f"the bonus is {at.bonus}")
    return true_play(at, seat, move)


def show_bonus(at: FingersPosition, seat: int, move: str, viewer: int) -> str:
    return move if viewer in (seat, REFEREE) else str(at.bonus)


true_play = FingersPosition.play
FAULTS: list[Fault] = [
    ("description", NIM, Nim, "name", "My Nim"),
    ("description", NIM, Nim, "version", 0),
    ("description", NIM, Nim, "view_schema", {"type": 7}),
    ("options", NIM, Nim, "options", Options((Count("heap", 21, "No full stop", least=1, most=99),))),
    ("options", NIM, Nim, "options", Options((Flag("new", True, "Late.", late=True), Flag("old", True, "Early.")))),
    ("options", NIM, NimPosition, "__eq__", lambda at, other: True),
    ("moves", NIM, NimPosition, "moves", lambda at, seat: ["2", "1"] if seat in at.owing else []),
    ("moves", NIM, NimPosition, "owing", property(lambda at: (7,))),
    ("moves", NIM, NimPosition, "visible_move", lambda at, seat, move, viewer: "?"),
    ("moves", NIM, NimPosition, "default", lambda at, seat: "9"),
    ("moves", NIM, NimPosition, "play", crash_late),
    ("refusals", NIM, NimPosition, "play", play_anything),
    ("refusals", NIM, NimPosition, "play", play_too_much),
    ("refusals", NIM, NimPosition, "play", refuse_without_rule),
    ("outcomes", NIM, NimPosition, "outcome", property(lambda at: None)),
    ("outcomes", NIM, NimPosition, "claimable", property(lambda at: "two words")),
    ("outcomes", NIM, NimPosition, "outcome", property(lambda at: None if at.heap else Outcome("x y", (1,), (1,)))),
    ("outcomes", NIM, NimPosition, "outcome", property(lambda at: None if at.heap else Outcome("x", (nan, 0), (1, 0)))),
    (
        "outcomes",
        NIM,
        NimPosition,
        "outcome",
        property(lambda at: None if at.heap else Outcome("x", (1, 0), (1, 0, 0))),
    ),
    ("outcomes", NIM, NimPosition, "standing", property(lambda at: (inf, 0.0))),
    ("texts", NIM, NimPosition, "text", lambda at, viewer: f"{at.heap} 0"),
    ("texts", NIM, NimPosition, "text", lambda at, viewer: 1 // 0),
    ("texts", FINGERS, FingersPosition, "text", lambda at, viewer: "\n"),
    ("hostile-texts", NIM, Nim, "read", read_any),
    ("hostile-texts", NIM, Nim, "read", lambda game, text, settings: NimPosition(settings, int(text.split(" ")[0]), 0)),
    ("views", NIM, NimPosition, "view", lambda at, viewer: {"heap": "many"}),
    ("views", NIM, NimPosition, "picture", lambda at, viewer: ""),
    ("drawings", NIM, Nim, "svg", lambda game, settings, view, last_move=None: "<svg onload='x'/>"),
    ("hidden", FINGERS, FingersPosition, "view", view_by_bonus),
    ("hidden", FINGERS, FingersPosition, "play", error_by_bonus),
    ("hidden", FINGERS, FingersPosition, "picture", lambda at, viewer: at.text(REFEREE)),
    ("hidden", FINGERS, FingersPosition, "visible_move", lambda at, seat, move, viewer: move),
    ("hidden", FINGERS, FingersPosition, "visible_move", show_bonus),
    ("hidden", FINGERS, FingersPosition, "default", lambda at, seat: str(at.bonus)),
    ("hidden", FINGERS, FingersPosition, "claimable", property(lambda at: "even" if at.bonus == 2 else None)),
    ("hidden", NIM, NimPosition, "text", lambda at, viewer: f"{at.heap} {at.mover}" if viewer == REFEREE else "?"),
    ("ends", NIM, NimPosition, "play", never_ends),
    ("repeatable", NIM, Nim, "start", differ_by_call([])),
]


@pytest.mark.parametrize(
    ("check", "game", "broken", "name", "value"),
    FAULTS,
    ids=[f"{number}-{fault[0]}" for number, fault in enumerate(FAULTS)],
)
def test_a_check_fails_on_a_game_with_a_fault(
    check: str, game: Game, broken: type, name: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert result_of(check, game).failure is None
    for module in (random_games, course_checks):
        monkeypatch.setattr(module, "MAX_PLIES", 100)
    monkeypatch.setattr(broken, name, value)
    assert result_of(check, game).failure


def test_a_failure_shows_options_position_seat_and_move(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NimPosition, "play", play_too_much)
    failure = result_of("refusals", NIM).failure
    assert failure
    assert failure.wrong == "a move that is not listed is accepted"
    assert failure.place[0].startswith("options: heap=")
    assert failure.place[1] == f"position: {failure.position}"
    assert failure.place[2:] == [f"seat: {failure.seat}", f"move: {failure.move!r}"]
    assert str(failure).splitlines() == [failure.wrong, *failure.place]


def test_equal_seeds_find_the_same_counter_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NimPosition, "play", play_too_much)
    assert str(result_of("refusals", NIM).failure) == str(result_of("refusals", NIM).failure)


def test_a_crash_is_a_failure_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NimPosition, "play", crash_late)
    failure = result_of("moves", NIM).failure
    assert failure
    assert "the game raises TypeError" in failure.wrong
    assert failure.move


def test_the_place_of_a_failure_without_a_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NimPosition, "text", lambda at, viewer: 1 // 0)
    with pytest.raises(CheckFailure) as caught, locate(position=NIM.start(NIM.settings(), b"")):
        raise CheckFailure("anything")
    assert "no text: ZeroDivisionError" in str(caught.value)


def test_the_innermost_place_counts() -> None:
    settings = NIM.settings({"heap": 3})
    with (
        pytest.raises(CheckFailure) as caught,
        locate(settings, "outer", 1, "o"),
        locate(position="inner", seat=0, move="i"),
    ):
        raise CheckFailure("anything")
    assert caught.value.place == ["options: heap=3", "position: inner", "seat: 0", "move: 'i'"]
    assert CheckFailure("no place").place == []


def test_a_slow_game_fails_the_check_of_its_speed() -> None:
    ticks = iter(range(1000))
    with pytest.raises(CheckFailure, match="more than 10 ms"):
        measure_move_ms(NIM, NIM.settings(), random.Random(1), lambda: float(next(ticks)))


def test_the_speed_of_a_long_game_is_measured_at_its_beginning() -> None:
    heap = NIM.settings({"heap": 1000})
    assert len(list(game_path(NIM, heap, random.Random(1)))) > course_checks.TIMED_PLIES
    assert measure_move_ms(NIM, heap, random.Random(1), lambda: 0.0) == 0


def test_no_garbage_is_collected_in_the_time_of_a_move() -> None:
    collects: list[bool] = []

    def clock() -> float:
        collects.append(gc.isenabled())
        return 0.0

    measure_move_ms(NIM, NIM.settings(), random.Random(1), clock)
    assert (collects, gc.isenabled()) == ([False, False], True)


def test_a_parser_that_takes_long_fails() -> None:
    ticks = iter(range(1000))
    with pytest.raises(CheckFailure, match="take more than"):
        check_long_texts(NIM.start(NIM.settings(), b""), NIM, ("1",), lambda: 2.0 * next(ticks))


def test_a_game_without_limits_need_not_end() -> None:
    options = Options((Count("max_plies", 0, "Limit of plies.", least=0, most=9),))
    assert is_limitless(options.settings({}, None))
    assert not is_limitless(options.settings({"max_plies": 1}, None))
    assert not is_limitless(NIM.settings())


def test_a_move_of_the_viewer_may_lead_to_different_positions() -> None:
    """What it shows to the viewer may be news, such as a drawn card."""
    starts = [FINGERS.start(FINGERS.settings(), bytes([number])) for number in range(9)]
    texts = {str(start): start for start in starts}
    assert len({start.text(1) for start in starts}) == 1
    first, second, *_ = texts.values()
    check_looks_same(first, second, 1, ["1", "9", "x"])
    with pytest.raises(CheckFailure):
        check_looks_same(first, second.play(0, "1"), 1)


def test_a_viewer_tries_moves_that_are_legal_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of a move that is nonsense everywhere need not show what is hidden."""

    def play(at: FingersPosition, seat: int, move: str) -> Position:
        if seat > 0 and move == "3":
            raise IllegalMove(move, "FI-1", f"the bonus is {at.bonus}")
        return true_play(at, seat, move)

    allowed = {0: ["1", "2", "3"]}
    monkeypatch.setattr(
        FingersPosition, "moves", lambda at, seat: allowed.get(seat, ["1", "2"]) if seat in at.owing else []
    )
    assert result_of("hidden", FINGERS).failure is None
    monkeypatch.setattr(FingersPosition, "play", play)
    failure = result_of("hidden", FINGERS).failure
    assert failure
    assert "an error tells" in failure.wrong


def test_a_viewer_may_see_in_which_of_two_ways_a_position_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    moves, play = NimPosition.moves, NimPosition.play

    def more_moves(at: NimPosition, seat: int) -> list[str]:
        return sorted([*moves(at, seat), *(["1+2", "2+1"] if at.heap > 2 and seat in at.owing else [])])

    def play_more(at: NimPosition, seat: int, move: str) -> Position:
        return play(at, seat, "3" if move in ("1+2", "2+1") else move)

    monkeypatch.setattr(NimPosition, "moves", more_moves)
    monkeypatch.setattr(NimPosition, "play", play_more)
    assert result_of("hidden", NIM).failure is None


def test_pairs_come_from_the_game_if_it_can_draw_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def imagine(_game: Game, text: str, settings: Settings, seed: bytes) -> Position:
        ours = FINGERS.start(settings, seed)
        number, scores, shown, bonus, *_ = text.split(" ")
        hidden = shown.replace("?", "1")
        drawn = replace(ours, round=int(number), scores=tuple(map(int, scores.split(","))), shown=tuple(hidden))
        return drawn if bonus == "?" else replace(drawn, bonus=int(bonus))

    monkeypatch.setattr(Fingers, "imagine", imagine)
    suspect = Suspect(FINGERS)
    (result,) = run_checks(suspect, [BY_NAME["hidden"]])
    assert "seat 0" in result.note
    monkeypatch.setattr(FingersPosition, "view", view_by_bonus)
    assert next(run_checks(suspect, [BY_NAME["hidden"]])).failure
