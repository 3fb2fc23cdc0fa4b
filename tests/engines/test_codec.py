"""Properties of the codecs of all games, and golden files, because trained programs rely on every index."""

import json
import random
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import pytest

from engines.api import Game, Position
from engines.codec import END, Codec, UnknownAction
from engines.game_errors import MalformedMove
from engines.options import Settings
from engines.registry import find, own_games
from engines.testing.random_games import game_path, settings_of
from tests.engines.golden import FOLDER
from tests.third_party_games.third_party_games import FINGERS, NIM

PAGE = Path(__file__).parents[2] / "docs" / "learning.md"
INSTALLED = [game for game in map(find, own_games()) if game.codec(game.settings())]
"""Not every game has a codec."""
GAMES = [*INSTALLED, NIM, FINGERS]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
STEP = 25
"""Each such action of a golden file is written with its text."""


def codec_of(game: Game, settings: Settings) -> Codec:
    codec = game.codec(settings)
    assert codec
    return codec


def positions(game: Game, random_settings: int, plies: int) -> Iterator[Position]:
    rng = random.Random(game.name)
    for settings in settings_of(game, random_settings, rng):
        yield from islice(game_path(game, settings, rng), plies)


def check_moves(moves: Sequence[str], codec: Codec) -> None:
    """Check that each legal move has its own actions, which stand for it, and that none begins another."""
    encoded = [codec.encode(move) for move in moves]
    assert [codec.decode(actions) for actions in encoded] == list(moves)
    assert len(set(encoded)) == len(moves)
    for actions in encoded:
        assert actions.index(END) == len(actions) - 1
        assert max(actions) < len(codec.chunks)


def check_observations(position: Position, codec: Codec, seats: int) -> None:
    """Check that observations have the described size and bounds, and do not depend on the view's form."""
    lows = [field.low for field in codec.fields for _ in range(field.size)]
    highs = [field.high for field in codec.fields for _ in range(field.size)]
    for seat in range(seats):
        view = position.view(seat)
        numbers = codec.observe(view, seat)
        assert {type(number) for number in numbers} == {int}
        assert all(low <= number <= high for low, number, high in zip(lows, numbers, highs, strict=True))
        assert numbers == codec.observe(json.loads(json.dumps(view, sort_keys=True)), seat)


@every_game
def test_every_legal_move_of_all_variants_and_of_a_whole_game_has_its_own_actions(game: Game) -> None:
    whole = game_path(game, game.settings(), random.Random(game.name))
    for position in chain(positions(game, 4, 40), whole):
        for seat in position.owing:
            check_moves(position.moves(seat), codec_of(game, position.settings))


@every_game
def test_observations_of_all_variants_are_as_described(game: Game) -> None:
    for number, position in enumerate(positions(game, 4, 40)):
        if number % 7 == 0:
            check_observations(position, codec_of(game, position.settings), len(game.table(position.settings).seats))


@every_game
def test_positions_that_look_different_to_a_seat_have_different_observations(game: Game) -> None:
    codec = codec_of(game, game.settings())
    views: dict[tuple[int, ...], str] = {}
    for seed in range(12):
        for position in islice(game_path(game, game.settings(), random.Random(seed)), 12):
            seat = seed % len(game.table(game.settings()).seats)
            view = position.view(seat)
            text = json.dumps([seat, view], sort_keys=True)
            assert views.setdefault((seat, *codec.observe(view, seat)), text) == text
    assert len(views) > 12


@every_game
def test_a_text_that_is_no_move_has_no_actions(game: Game) -> None:
    codec = codec_of(game, game.settings())
    move = game.start(game.settings(), b"").moves(0)[0]
    for text in ("", "no move", move + " ", move + "\n", "x99", "99"):
        with pytest.raises(MalformedMove):
            codec.encode(text)


@every_game
def test_an_action_that_there_is_not_stands_for_no_text(game: Game) -> None:
    codec = codec_of(game, game.settings())
    last = len(codec.chunks) - 1
    assert codec.decode([last, END]) == codec.chunks[last]
    for action in (-1, last + 1):
        with pytest.raises(UnknownAction, match=f"there is no action {action}; they are 0 to {last}"):
            codec.decode([action, END])


def test_a_game_has_no_codec_unless_it_says_so() -> None:
    assert Game.codec(NIM, NIM.settings()) is None


def described(codec: Codec) -> str:
    """Return what a trained program relies on: sizes, and the meaning of the numbers and of some actions."""
    fields = [f"{field.name} {field.size} {field.low} {field.high}" for field in codec.fields]
    last = len(codec.chunks) - 1
    actions = [f"{action} {codec.chunks[action]}" for action in [*range(1, last, STEP), last]]
    return "\n".join([f"actions {len(codec.chunks)}", *actions, f"observation {codec.size}", *fields]) + "\n"


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.name)
def test_actions_and_observations_never_change(game: Game, request: pytest.FixtureRequest) -> None:
    path: Path = FOLDER / game.name / "codec.txt"
    now = described(codec_of(game, game.settings()))
    if request.config.getoption("--renew-golden"):
        path.write_text(now, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == now


@pytest.mark.parametrize("game", INSTALLED, ids=lambda game: game.name)
def test_the_page_describes_the_actions_of_every_game(game: Game) -> None:
    section = PAGE.read_text(encoding="utf-8").split(f"\n### {game.title}\n")[1].split("\n#")[0]
    assert f"{len(codec_of(game, game.settings()).chunks)} actions" in section
