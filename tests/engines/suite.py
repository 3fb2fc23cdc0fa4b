"""Properties of each position of each game: the test suite that a new game gets without further work."""

import json
import random
import string
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engines.api import REFEREE, SPECTATOR, Game, Position, Seat
from engines.game_errors import BadOption, GameError, IllegalMove, MalformedMove, MalformedPosition, NotYourTurn
from engines.options import Settings, Value
from tests.engines.svg_checks import parse_svg

MAX_PLIES = 60_000
NONSENSE = [
    "",
    " ",
    "pass",
    "PASS",
    "a1",
    "a1-a1",
    "-",
    "x",
    "=",
    "٣",
    "a1-b2\n",
    "0" * 5000,
    "\x00",
    "é",
    "💥",
    "=?",
    "R",
]


def settings_of(game: Game, random_ones: int, rng: random.Random) -> list[Settings]:
    """Return the defaults, each preset, each value of each option alone, and some random combinations."""
    choices: list[tuple[dict[str, Value], str | None]] = [({}, None)]
    choices += [({}, preset.name) for preset in game.options.presets]
    choices += [({option.name: value}, None) for option in game.options.declared for value in option.examples]
    choices += [(any_choice(game, rng), None) for _ in range(random_ones)]
    found = {}
    for chosen, preset in choices:
        try:
            found[game.settings(chosen, preset)] = True
        except BadOption:
            continue  # The game does not allow this combination.
    return list(found)


def any_choice(game: Game, rng: random.Random) -> dict[str, Value]:
    return {option.name: rng.choice(option.examples) for option in game.options.declared}


def game_path(game: Game, settings: Settings, rng: random.Random) -> Iterator[Position]:
    """Yield the positions of a random game, from the first until one with an outcome. Fails after too many plies."""
    position = game.start(settings, rng.randbytes(32))
    yield position
    for _ in range(MAX_PLIES):
        if not position.owing:
            return
        seat = rng.choice(position.owing)
        position = position.play(seat, rng.choice(position.moves(seat)))
        yield position
    pytest.fail(f"{game.name} with {settings.texts()} does not end")


class Checker:
    """Checks positions of one game, and keeps its moves to try them where they are illegal."""

    def __init__(self, game: Game, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self.table = game.table(settings)
        self.schema = Draft202012Validator(game.view_schema)
        self.moves_seen: set[str] = set()

    @property
    def viewers(self) -> list[int]:
        return [REFEREE, SPECTATOR, *range(len(self.table.seats))]

    def check(self, position: Position, rng: random.Random) -> None:
        """Check all properties of one position."""
        self.check_owing_and_moves(position)
        self.check_text(position)
        self.check_views(position)
        self.check_drawings(position, rng)
        self.check_listed_moves(position, rng)
        self.check_other_moves(position, rng)

    def check_owing_and_moves(self, position: Position) -> None:
        seats = range(len(self.table.seats))
        assert list(position.owing) == sorted(set(position.owing))
        assert set(position.owing) <= set(seats)
        assert (position.outcome is None) == bool(position.owing)
        for seat in seats:
            moves = list(position.moves(seat))
            assert moves == sorted(set(moves))
            assert bool(moves) == (seat in position.owing)
            self.moves_seen.update(moves)
        assert len(position.standing) == len(self.table.sides)
        if position.outcome:
            assert len(position.outcome.scores) == len(self.table.seats)
            assert len(position.outcome.ranks(self.table)) == len(self.table.seats)
            assert min(position.outcome.side_ranks) == 1
            assert position.outcome.reason.replace("_", "").isalpha()

    def check_text(self, position: Position) -> None:
        text = str(position)
        again = self.game.read(text, self.settings)
        assert again == position
        assert hash(again) == hash(position)
        assert str(again) == text == position.text(REFEREE)
        assert text.isprintable()
        if position.outcome is None and again.outcome is None:
            assert [again.moves(seat) for seat in again.owing] == [position.moves(seat) for seat in position.owing]
        assert position.picture(REFEREE)

    def check_views(self, position: Position) -> None:
        for viewer in self.viewers:
            self.schema.validate(position.view(viewer))
            assert position.text(viewer).isprintable()

    def check_drawings(self, position: Position, rng: random.Random) -> None:
        """Check that every view can be drawn with any last move, and equally after it has been JSON."""
        moves = [*NONSENSE, *rng.sample(sorted(self.moves_seen), min(3, len(self.moves_seen)))]
        for viewer in self.viewers:
            view = position.view(viewer)
            for move in (None, rng.choice(moves)):
                drawn = self.game.svg(self.settings, view, move)
                parse_svg(drawn)
                assert drawn == self.game.svg(self.settings, json.loads(json.dumps(view)), move)

    def check_listed_moves(self, position: Position, rng: random.Random) -> None:
        before = str(position)
        for seat in position.owing:
            moves = position.moves(seat)
            for move in rng.sample(moves, min(3, len(moves))):
                assert position.play(seat, move) == position.play(seat, move)
                assert position.visible_move(seat, move, seat) == move == position.visible_move(seat, move, REFEREE)
                assert isinstance(position.visible_move(seat, move, SPECTATOR), str)
        assert str(position) == before

    def check_other_moves(self, position: Position, rng: random.Random) -> None:
        seen = sorted(self.moves_seen)
        tried = [*NONSENSE, *rng.sample(seen, min(20, len(seen)))]
        tried += [mutated(rng.choice(seen), rng) for _ in range(10)] if seen else []
        for seat in range(len(self.table.seats)):
            legal = set(position.moves(seat))
            for move in tried:
                if move not in legal:
                    self._check_rejected(position, seat, move)

    def _check_rejected(self, position: Position, seat: Seat, move: str) -> None:
        with pytest.raises(GameError) as caught:
            position.play(seat, move)
        error = caught.value
        assert type(error) in (IllegalMove, MalformedMove, NotYourTurn)
        assert str(error)
        assert str(error).isprintable()
        if isinstance(error, IllegalMove):
            assert seat in position.owing
            assert error.details["rule"]
        elif isinstance(error, NotYourTurn):
            assert seat not in position.owing


def mutated(text: str, rng: random.Random) -> str:
    """Return the text with one character changed, inserted or removed."""
    at = rng.randrange(len(text) + 1)
    letter = rng.choice(string.ascii_letters + string.digits + "-x>@./:,+=! ")
    return rng.choice([text[:at] + letter + text[at:], text[:at] + text[at + 1 :], text[:at] + letter + text[at + 1 :]])


def check_broken_texts(game: Game, settings: Settings, texts: list[str], rng: random.Random) -> None:
    """Check that a mutated position is parsed as what it says, or rejected, and that it never causes a crash."""
    for text in texts:
        mangled = mutated(text, rng)
        try:
            position = game.read(mangled, settings)
        except MalformedPosition:
            continue
        assert game.read(str(position), settings) == position


def is_endless(settings: Settings) -> bool:
    """Return whether everything that would end a game of moves to and fro is switched off."""
    limits: Mapping[str, Any] = settings.texts()
    return all(limits.get(name, "0") == "0" for name in ("repetition", "no_capture_plies", "max_plies", "max_turns"))
