"""Rules as tables: a position, the moves that are played from it, and what is true afterwards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from engines.api import Game
from engines.game_errors import IllegalMove, MalformedPosition
from engines.options import Value


@dataclass(frozen=True)
class Case:
    """What is true after the moves `line` from the position `text`; what is not stated is not checked."""

    text: str
    """Empty: the first position."""
    line: str
    options: Mapping[str, Value]
    moves: str | None
    """All legal moves that start with `begins`, separated by spaces."""
    begins: str
    has: str
    """Some of the legal moves."""
    lacks: str
    """Moves that are not legal."""
    over: str | None
    """The reason and the scores; empty: the game goes on."""
    after: str
    """The text afterwards, in which `…` stands for a part that does not matter."""
    standing: Sequence[float]
    illegal: tuple[str, str, str] | None
    """A move that is refused, the rule of the error, and words of its sentence."""


def case(
    text: str = "",
    line: str = "",
    *,
    moves: str | None = None,
    begins: str = "",
    has: str = "",
    lacks: str = "",
    over: str | None = None,
    after: str = "",
    standing: Sequence[float] = (),
    illegal: tuple[str, str, str] | None = None,
    **options: Value,
) -> Case:
    return Case(text, line, options, moves, begins, has, lacks, over, after, standing, illegal)


def check(game: Game, expected: Case) -> None:
    settings = game.settings(expected.options)
    position = game.read(expected.text, settings) if expected.text else game.start(settings, b"")
    for move in expected.line.split():
        position = position.play(position.owing[0], move)
    listed = [move for seat in position.owing for move in position.moves(seat)]
    outcome, text = position.outcome, str(position)
    if expected.moves is not None:
        assert " ".join(move for move in listed if move.startswith(expected.begins)) == expected.moves, expected
    assert set(expected.has.split()) <= set(listed), expected
    assert not set(expected.lacks.split()) & set(listed), expected
    if expected.over is not None:
        told = " ".join([outcome.reason, *(f"{score:g}" for score in outcome.scores)]) if outcome else ""
        assert told == expected.over, expected
    if expected.after:
        begin, dots, end = expected.after.partition("…")
        assert (text.startswith(begin) and text.endswith(end)) if dots else text == begin, (text, expected)
    if expected.standing:
        assert tuple(position.standing) == tuple(expected.standing), expected
    if expected.illegal:
        move, rule, words = expected.illegal
        with pytest.raises(IllegalMove) as caught:
            position.play(position.owing[0], move)
        assert caught.value.details.get("rule", "") == rule, expected
        assert words in str(caught.value), expected


def check_sequence(moves: Any, expected: Sequence[int]) -> None:
    """Check that moves that are made when they are asked for are a sequence like this list."""
    many = len(expected)
    assert list(moves) == list(expected)
    assert len(set(moves)) == len(moves) == many
    assert bool(moves) == (many > 0)
    assert [moves[index] for index in range(-many, many)] == [*expected, *expected]
    assert all(move in moves for move in expected)
    for index in (many, many + 1, -many - 1):
        with pytest.raises(IndexError):
            moves[index]


def check_malformed(game: Game, text: str, words: str, options: Mapping[str, Value]) -> None:
    """Check that a text is refused as a position, with these words."""
    with pytest.raises(MalformedPosition) as caught:
        game.read(text, game.settings(options))
    assert words in caught.value.details["wrong"]
