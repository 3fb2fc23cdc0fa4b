"""Rule options: declared once, parsed and described; an unknown option is rejected and the known ones are named."""

import pytest

from engines.game_errors import BadOption, GameError, UnknownOption, UnknownPreset, quoted
from engines.options import Choice, Count, Flag, Options, Preset, Settings, Text, Value, written

OPTIONS = Options(
    (
        Choice("pace", "slow", "How fast.", choices=("slow", "fast")),
        Flag("huff", False, "Whether."),
        Count("limit", 10, "How many.", least=0, most=100),
        Text("board", "", "Which.", takes="a board", most_chars=5),
        Count("seats", 2, "Who.", least=2, most=4),
    ),
    (Preset("quick", "Fast and short.", {"pace": "fast", "limit": 5}),),
)


def test_options_that_are_not_chosen_have_their_defaults() -> None:
    assert OPTIONS.settings({}).texts() == {"pace": "slow", "huff": "false", "limit": "10", "board": "", "seats": "2"}


def test_a_choice_overrides_the_preset_and_the_preset_overrides_the_default() -> None:
    settings = OPTIONS.settings({"limit": "7"}, "quick")
    assert (settings.choice("pace"), settings.count("limit"), settings.flag("huff")) == ("fast", 7, False)


@pytest.mark.parametrize(
    ("chosen", "same"),
    [({"huff": "true"}, {"huff": True}), ({"limit": "42"}, {"limit": 42}), ({"board": "abc"}, {"board": "abc"})],
)
def test_texts_and_values_of_options_are_equivalent(chosen: dict[str, Value], same: dict[str, Value]) -> None:
    assert OPTIONS.settings(chosen) == OPTIONS.settings(same)
    assert OPTIONS.settings(OPTIONS.settings(same).texts()) == OPTIONS.settings(same)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"pace": "brisk"}, "slow | fast"),
        ({"pace": True}, "slow | fast"),
        ({"huff": "yes"}, "true | false"),
        ({"huff": 1}, "true | false"),
        ({"limit": "-1"}, "a whole number from 0 to 100"),
        ({"limit": 101}, "a whole number from 0 to 100"),
        ({"limit": True}, "a whole number from 0 to 100"),
        ({"limit": "٣"}, "a whole number from 0 to 100"),
        ({"limit": "9" * 5000}, "a whole number from 0 to 100"),
        ({"limit": ""}, "a whole number from 0 to 100"),
        ({"board": "abcdef"}, "a board of at most 5 characters"),
        ({"board": 7}, "a board of at most 5 characters"),
    ],
)
def test_the_error_for_a_bad_value_lists_the_valid_values(chosen: dict[str, Value], words: str) -> None:
    with pytest.raises(BadOption) as bad:
        OPTIONS.settings(chosen)
    assert words in str(bad.value)
    assert bad.value.details["option"] in chosen
    assert len(str(bad.value)) < 250


def test_the_error_for_an_unknown_option_lists_the_known_options() -> None:
    with pytest.raises(UnknownOption, match="unknown option 'huf'; known: pace, huff, limit, board, seats"):
        OPTIONS.settings({"huf": "true"})


def test_the_error_for_an_unknown_preset_lists_the_known_presets() -> None:
    with pytest.raises(UnknownPreset, match="known: quick"):
        OPTIONS.settings({}, "quik")
    with pytest.raises(UnknownPreset, match="no presets"):
        Options(()).settings({}, "quick")


def test_the_schema_agrees_with_the_parser() -> None:
    properties = OPTIONS.schema()["properties"]
    assert isinstance(properties, dict)
    assert properties["pace"] == {"enum": ["slow", "fast"], "default": "slow", "description": "How fast."}
    assert properties["huff"]["type"] == "boolean"
    assert properties["limit"]["maximum"] == 100
    assert properties["board"]["maxLength"] == 5


def test_examples_begin_with_the_default_and_include_the_limits() -> None:
    examples = [option.examples for option in OPTIONS.declared]
    assert examples == [("slow", "fast"), (False, True), (10, 0), ("",), (2, 3, 4)]


def test_a_formatted_value_parses_to_itself() -> None:
    assert [written(value) for value in (True, False, 3, "word")] == ["true", "false", "3", "word"]


def test_settings_are_a_value() -> None:
    assert len({OPTIONS.settings({}), OPTIONS.settings({"huff": "false"}), OPTIONS.settings({"huff": "true"})}) == 2
    assert OPTIONS.settings({})["limit"] == 10
    with pytest.raises(KeyError):
        OPTIONS.settings({})["huf"]


def test_bad_input_is_quoted_in_ascii_and_shortened() -> None:
    assert quoted("é\n") == r"'\xe9\n'"
    assert len(quoted("x" * 5000)) < 90
    assert len(quoted("\x00" * 5000)) < 400
    assert GameError("No.", why="because").details == {"why": "because"}


def test_settings_that_are_older_than_an_option_have_its_default() -> None:
    now = Options((*OPTIONS.declared, Flag("lively", False, "Whether.", late=True)))
    before = OPTIONS.settings({"limit": 7})
    assert now.completed(before) == now.settings({"limit": 7})
    chosen = now.settings({"lively": True})
    assert now.completed(chosen) is chosen
    # Only late options may be missing; unknown ones are kept, to be rejected where they are read.
    assert now.completed(Settings(())).values == (("lively", False),)
