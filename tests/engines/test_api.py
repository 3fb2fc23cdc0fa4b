"""What each game inherits."""

import pytest

from engines.api import REFEREE, SPECTATOR, Viewer
from tests.strangers_games.strangers_games import NIM


@pytest.mark.parametrize("viewer", [0, 1, REFEREE, SPECTATOR])
def test_a_move_that_hides_nothing_is_opened_as_it_was_told(viewer: Viewer) -> None:
    heap = NIM.start(NIM.settings({"heap": 3}), b"").play(0, "2")
    assert heap.opened(0, "2", viewer) == heap.told(0, "2", viewer) == "2"
