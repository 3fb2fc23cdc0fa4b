"""Drawing a full position that agrees with a seat's text."""

from collections import Counter

import pytest

from engines.game_errors import MalformedPosition
from engines.toc import GAME, imagine
from tests.engines.toc.positions import set_up

SETTINGS = GAME.settings()


def test_equal_seeds_give_equal_imagined_positions() -> None:
    text = GAME.start(SETTINGS, b"1").text(0)
    assert imagine(text, SETTINGS, b"x") == imagine(text, SETTINGS, b"x")
    assert imagine(text, SETTINGS, b"x") != imagine(text, SETTINGS, b"y")


def test_the_card_given_is_in_the_partners_hand() -> None:
    position = set_up("5///", "2S 3S 4S")
    gift = str(position).split()[5].split("/")[0]
    for seed in range(20):
        imagined = str(imagine(position.text(0), SETTINGS, bytes([seed]))).split()
        assert gift in imagined[4].split("/")[2]


def test_every_unseen_card_can_be_in_every_place() -> None:
    text = GAME.start(SETTINGS, b"1").text(0)
    met = Counter(str(imagine(text, SETTINGS, bytes([seed]))).split()[4].split("/")[1][:2] for seed in range(100))
    assert len(met) > 10


def test_an_imagined_full_text_changes_only_the_random_generator() -> None:
    position = GAME.start(SETTINGS, b"1")
    assert str(imagine(position.text(0), SETTINGS, b"")).startswith(position.text(0).split("/????")[0])


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        GAME.start(SETTINGS, b"1").text(0).replace(" x ", " 1 "),
        GAME.start(SETTINGS, b"1").text(0).replace("-/-/-/-", "-/-/?/?", 1).replace("?????", "????", 1),
        str(GAME.start(SETTINGS, b"1")),
    ],
)
def test_a_text_that_no_viewer_can_see_is_an_error(text: str) -> None:
    with pytest.raises(MalformedPosition):
        imagine(text, SETTINGS, b"")
