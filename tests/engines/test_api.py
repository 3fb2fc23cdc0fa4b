"""What each game inherits."""

import pytest

from engines.api import REFEREE, SPECTATOR, Viewer
from tests.third_party_games.third_party_games import NIM


@pytest.mark.parametrize("viewer", [0, 1, REFEREE, SPECTATOR])
def test_by_default_the_revealed_move_is_the_visible_move(viewer: Viewer) -> None:
    heap = NIM.start(NIM.settings({"heap": 3}), b"").play(0, "2")
    assert heap.revealed_move(0, "2", viewer) == heap.visible_move(0, "2", viewer) == "2"
