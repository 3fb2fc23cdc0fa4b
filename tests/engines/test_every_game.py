"""The suite, over each registered game and over two third-party games."""

import random
from itertools import islice

import pytest
from jsonschema import Draft202012Validator

from engines.api import Game, Position
from engines.game_errors import BadOption, MalformedPosition, UnknownOption, UnknownPreset
from engines.options import Settings
from engines.registry import games
from tests.engines.suite import Checker, check_broken_texts, game_path, is_endless, settings_of
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES = [*games().values(), NIM, FINGERS]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def some_positions(path: list[Position], many: int, rng: random.Random) -> list[Position]:
    """Return the first and the last position of a game, and some between."""
    between = path[1:-1]
    return [path[0], *rng.sample(between, min(many, len(between))), path[-1]]


@every_game
def test_a_game_with_default_options_passes_all_checks(game: Game) -> None:
    rng = random.Random(game.name)
    settings = game.settings()
    checker = Checker(game, settings)
    for position in some_positions(list(game_path(game, settings, rng)), 12, rng):
        checker.check(position, rng)


@every_game
def test_every_option_and_preset_passes_all_checks(game: Game) -> None:
    rng = random.Random(game.name)
    for settings in settings_of(game, 4, rng):
        path = list(islice(game_path(game, settings, rng), 60))
        for position in some_positions(path, 1, rng):
            Checker(game, settings).check(position, rng)


@pytest.mark.slow
@every_game
def test_random_combinations_of_options_pass_all_checks(game: Game, rng: random.Random) -> None:
    check_all(game, 6, rng)


@pytest.mark.soak
@every_game
def test_many_random_combinations_of_options_pass_all_checks(game: Game, rng: random.Random) -> None:
    check_all(game, 60, rng)


def check_all(game: Game, random_combinations: int, rng: random.Random) -> None:
    for settings in settings_of(game, random_combinations, rng):
        checker = Checker(game, settings)
        # A game need not end if all limits are switched off.
        path = list(islice(game_path(game, settings, rng), 400 if is_endless(settings) else None))
        for position in some_positions(path, 12, rng):
            checker.check(position, rng)


@every_game
def test_equal_seeds_and_moves_give_equal_games(game: Game) -> None:
    settings = game.settings()
    one = list(game_path(game, settings, random.Random(7)))
    other = list(game_path(game, settings, random.Random(7)))
    assert list(map(str, one)) == list(map(str, other))


@every_game
def test_a_mutated_position_is_an_error_or_parses_to_itself(game: Game) -> None:
    rng = random.Random(game.name)
    for settings in settings_of(game, 3, rng):
        texts = list(map(str, islice(game_path(game, settings, rng), 60)))
        check_broken_texts(game, settings, texts * 3, rng)
        for nonsense in ("", " ", "x", "?", "\n", texts[0] + "\n", " " + texts[0], texts[0] + " ", "٣", "9" * 5000):
            with pytest.raises(MalformedPosition):
                game.read(nonsense, settings)


@every_game
def test_positions_with_different_settings_are_never_equal(game: Game) -> None:
    rng = random.Random(game.name)
    starts = [game.start(settings, b"") for settings in settings_of(game, 0, rng)]
    assert len(set(starts)) == len(starts)
    assert starts[0] != str(starts[0])
    assert str(starts[0]) in repr(starts[0])


@every_game
def test_errors_for_unknown_options_and_presets_list_the_known_ones(game: Game) -> None:
    with pytest.raises(UnknownOption) as unknown:
        game.settings({"no_such_option": "1"})
    assert all(option.name in unknown.value.details["known"] for option in game.options.declared)
    with pytest.raises(UnknownPreset) as preset:
        game.settings({}, "no_such_preset")
    assert all(known.name in preset.value.details["known"] for known in game.options.presets)


@every_game
def test_errors_for_bad_values_list_the_valid_ones(game: Game) -> None:
    for option in game.options.declared:
        with pytest.raises(BadOption) as bad:
            game.settings({option.name: "no such value" * 10_000})
        assert bad.value.details["known"] == option.known


@every_game
def test_every_option_has_a_name_a_description_and_a_valid_default(game: Game) -> None:
    Draft202012Validator.check_schema(game.options.schema())
    validator = Draft202012Validator(game.options.schema())
    for option in game.options.declared:
        assert option.meaning.endswith(".")
        assert option.examples[0] == option.default == option.parse(option.default)
        for value in option.examples:
            validator.validate({option.name: value})
            assert option.parse(str(value).lower() if isinstance(value, bool) else str(value)) == value
    for preset in game.options.presets:
        assert preset.meaning.endswith(".")
        game.settings({}, preset.name)


@every_game
def test_a_game_describes_itself(game: Game) -> None:
    Draft202012Validator.check_schema(game.view_schema)
    assert game.rules.strip()
    assert game.notation.move.strip()
    assert game.notation.position.strip()
    table = game.table(game.settings())
    assert sorted(seat for side in table.sides for seat in side) == list(range(len(table.seats)))


@every_game
def test_settings_without_the_late_options_have_their_defaults(game: Game) -> None:
    late = [option.late for option in game.options.declared]
    assert late == sorted(late), "late options are declared after all others, or old records would not verify"
    whole = game.settings()
    before = Settings(whole.values[: late.count(False)])
    assert game.options.completed(before) == whole
