"""A game beside a second engine: every kind of difference is found at the move that shows it."""

import random

import pytest

from engines.api import REFEREE, SPECTATOR, Game, Position
from engines.game_errors import GameError, IllegalMove, NotYourTurn
from engines.options import Settings
from engines.registry import find
from engines.second.checked_game import MAX_CPU_NS, CheckedGame, CheckedPosition
from engines.second.engine_difference import (
    MAX_DETAIL_CHARS,
    EngineDifference,
    SecondEngineError,
    SecondEngineFailed,
    SecondEngineSlow,
)
from engines.second.toc_reference import REFERENCE as TOC
from tests.engines.second.planted import (
    FORGETFUL,
    RIGHT,
    LenientNimPosition,
    PlantedNim,
    RepeatingNimPosition,
    SecondNim,
    SecondNimPosition,
)
from tests.third_party_games.third_party_games import NIM
from tests.third_party_games.third_party_games.nim import Nim


def no_time() -> int:
    return 0


def start(engine: SecondNim = RIGHT, heap: int = 9, game: Nim = NIM) -> CheckedPosition:
    return CheckedGame(game, engine, no_time).start(game.settings({"heap": heap}), b"")


def played(at: CheckedPosition, *moves: str) -> CheckedPosition:
    for move in moves:
        at = at.play(at.owing[0], move)
    return at


def test_engines_that_agree_give_the_answers_of_the_first() -> None:
    at, plain = start(), NIM.start(NIM.settings({"heap": 9}), b"")
    for move in ("3", "2", "1", "3"):
        assert (at.owing, at.moves(at.owing[0]), str(at)) == (plain.owing, plain.moves(plain.owing[0]), str(plain))
        assert (at.settings, at.standing, at.outcome) == (plain.settings, plain.standing, plain.outcome)
        assert (at.view(0), at.text(0), at.picture(0)) == (plain.view(0), plain.text(0), plain.picture(0))
        assert at.visible_move(0, move, 1) == at.revealed_move(0, move, 1) == move
        assert (at.default(at.owing[0]), at.claimable) == ("1", None)
        plain = plain.play(plain.owing[0], move)  # type: ignore[assignment]  # Nim returns its own positions.
        at = at.play(at.owing[0], move)
    assert at.outcome == plain.outcome
    assert at.owing == ()


def test_terms_that_end_a_match_of_chess_early_end_it_in_a_draw_beside_a_second_engine_too() -> None:
    chess = find("chess")
    assert CheckedGame(chess, RIGHT, no_time).drawn_when_stopped is chess.drawn_when_stopped is True


def test_the_rest_is_that_of_the_game() -> None:
    game, settings = CheckedGame(NIM, RIGHT, no_time), NIM.settings()
    assert (game.name, game.version, game.title, game.rules) == (NIM.name, NIM.version, NIM.title, NIM.rules)
    assert (game.options, game.notation, game.view_schema) == (NIM.options, NIM.notation, NIM.view_schema)
    assert (game.draws_by_agreement, game.second) == (True, "planted")
    own = {name: vars(kind)[name] for kind in (CheckedGame, CheckedPosition) for name in vars(kind)} | vars(game)
    inherited = {name for kind in (Game, Position) for name in vars(kind) if not name.startswith("_")} - own.keys()
    assert not inherited
    assert game.table(settings) == NIM.table(settings)
    assert game.read("5 1", settings).owing == (1,)
    assert game.imagine("5 1", settings, b"") == NIM.read("5 1", settings)
    assert game.resample(game.read("5 1", settings), 0, b"") == NIM.read("5 1", settings)
    assert type(game.codec(settings)) is type(NIM.codec(settings))
    view = NIM.start(settings, b"").view(REFEREE)
    assert game.svg(settings, view) == NIM.svg(settings, view)


@pytest.mark.parametrize(
    ("error", "moves", "what", "answers"),
    [
        ("a move more", ["3", "2"], "legal moves of seat 0", ["nim: only none", "planted: only '4'"]),
        ("a move less", ["3", "2"], "legal moves of seat 0", ["nim: only '3'", "planted: only none"]),
        ("two seats", ["3", "2"], "seats that are to move", ["nim: seats (0,)", "planted: seats (0, 1)"]),
        ("text", ["3", "2"], "text for the referee", ["nim: 4 0", "planted: 4 0 ?"]),
        ("over", ["3", "2"], "end of the game", ["nim: None", "planted: Outcome("]),
        ("winner", ["3", "2", "1", "3"], "winner", ["nim: Outcome(reason='last_taken'", "planted: Outcome("]),
        ("scores", ["3", "2", "1", "3"], "scores", ["scores=(0.0, 1.0)", "scores=(3.0, 4.0)"]),
        ("reason", ["3", "2", "1", "3"], "reason of the end", ["last_taken", "nothing_left"]),
    ],
)
def test_a_difference_is_found_at_its_move(error: str, moves: list[str], what: str, answers: list[str]) -> None:
    *before, last = moves
    at = played(start(SecondNim(error)), *before)
    with pytest.raises(EngineDifference) as raised:
        at.play(at.owing[0], last)
    headline, position, move, there, *rest = str(raised.value).splitlines()
    assert headline == f"the engines nim and planted differ at ply {len(moves)} in the {what}"
    assert position == f"position before: {at}"
    assert move == f"move: seat {at.owing[0]}, '{last}'"
    assert there == f"position: {NIM.read(str(at), at.settings).play(at.owing[0], last)}"
    assert all(answer in line for answer, line in zip(answers, rest, strict=True))
    assert raised.value.last == (at.owing[0], last)


def test_a_difference_in_the_first_position_names_no_move() -> None:
    with pytest.raises(EngineDifference) as raised:
        start(SecondNim("text"), heap=4)
    assert str(raised.value).splitlines() == [
        "the engines nim and planted differ at ply 0 in the text for the referee",
        "position: 4 0",
        "nim: 4 0",
        "planted: 4 0 ?",
    ]
    assert raised.value.last is None


def test_a_move_that_only_one_engine_accepts_is_a_difference() -> None:
    at = start(game=PlantedNim(LenientNimPosition))
    with pytest.raises(EngineDifference, match="in the legality of a move") as raised:
        at.play(0, "4")
    assert str(raised.value).splitlines()[1:] == [
        "position before: 9 0",
        "move: seat 0, '4'",
        "nim: accepts the move",
        "planted: refuses it",
    ]
    with pytest.raises(EngineDifference, match="in the legality of a move") as raised:
        at.play(0, "3")
    assert str(raised.value).splitlines()[3:] == [
        "nim: refuses the move: 3 is not legal: three are too many (NIM-1)",
        "planted: accepts it",
    ]


def test_a_move_that_both_refuse_is_refused_as_by_the_first_alone() -> None:
    at = start()
    for seat, move, error in ((0, "7", IllegalMove), (1, "1", NotYourTurn), (0, "x", GameError)):
        with pytest.raises(error):
            at.play(seat, move)
    assert at.moves(1) == []


def test_a_move_that_is_listed_twice_is_a_difference() -> None:
    with pytest.raises(EngineDifference, match="nim lists a move twice: '1', '1', '2', '3'"):
        start(game=PlantedNim(RepeatingNimPosition))


def test_an_exception_of_the_second_engine_says_where_it_failed() -> None:
    at = played(start(SecondNim("exception")), "3")
    with pytest.raises(SecondEngineFailed) as raised:
        at.play(1, "2")
    headline, position, *_, why = str(raised.value).splitlines()
    assert headline == "the second engine planted failed with KeyError at ply 2"
    assert (position, why) == ("position before: 6 1", "planted: KeyError: 'no such heap'")
    with pytest.raises(SecondEngineFailed, match="failed with ZeroDivisionError at ply 0"):
        start(SecondNim("start"))


def test_a_second_engine_that_cannot_play_by_the_options_says_so() -> None:
    with pytest.raises(SecondEngineFailed, match="cannot play: it needs a heap below 100"):
        start(heap=100)


def test_a_slow_second_engine_is_a_failure() -> None:
    times = iter([0, 0, 0, 0, 0, 0, 0, MAX_CPU_NS + 1])
    at = CheckedGame(NIM, RIGHT, lambda: next(times)).start(NIM.settings(), b"")
    with pytest.raises(SecondEngineSlow, match=r"took too long at ply 1\nposition before: 21 0\nmove: seat 0, '1'\nit"):
        at.play(0, "1")


def test_the_headline_shows_nothing_that_is_hidden() -> None:
    toc, rng = find("toc"), random.Random(1)
    at = CheckedGame(toc, FORGETFUL, no_time).start(toc.settings(), b"seed")
    at = at.play(0, at.moves(0)[0])
    with pytest.raises(EngineDifference) as raised:
        at.play(2, rng.choice(at.moves(2)))
    headline, *details = str(raised.value).splitlines()
    assert headline == "the engines toc and planted differ at ply 2 in the text for the referee"
    assert any(str(at) in line for line in details)


def test_texts_of_all_viewers_are_compared() -> None:
    toc = find("toc")
    at = CheckedGame(toc, TOC, no_time).start(toc.settings(), b"seed")
    second = TOC.start(toc.settings(), str(at))
    assert [second.text(viewer) for viewer in (REFEREE, SPECTATOR, 0, 1, 2, 3)] == [
        at.text(viewer) for viewer in (REFEREE, SPECTATOR, 0, 1, 2, 3)
    ]


def test_lines_of_a_report_are_limited_and_stay_lines() -> None:
    error = SecondEngineError("headline", ["x" * (MAX_DETAIL_CHARS + 1), "two\nlines"])
    assert str(error).splitlines() == ["headline", "x" * MAX_DETAIL_CHARS + "...", "two lines"]


def test_long_lists_of_moves_are_shortened() -> None:
    trox = find("trox")
    with pytest.raises(EngineDifference, match=r"only 'B.*', … \(\d+\)\nplanted: only '1'$"):
        CheckedGame(trox, NimOfTrox(), no_time).start(trox.settings(), b"")


class NimOfTrox(SecondNim):
    """Takes every position for the last one of nim."""

    def refusal(self, settings: Settings) -> str:
        return ""

    def start(self, settings: Settings, text: str) -> SecondNimPosition:
        return SecondNimPosition(1, 0)
