"""Settings of a bot program other than the address of its referee."""

import asyncio

import pytest
from referee_client import Misconfigured, play
from referee_client.bots.random import choose
from referee_client.playing import _max_matches


def test_the_default_is_one_match_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOT_MAX_MATCHES", raising=False)
    assert _max_matches(None) == 1


@pytest.mark.parametrize("number", ["-1", "many"])
def test_an_invalid_number_of_matches_is_named(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv("BOT_MAX_MATCHES", number)
    with pytest.raises(Misconfigured, match=f"BOT_MAX_MATCHES cannot be '{number}'"):
        asyncio.run(asyncio.wait_for(play(choose, "127.0.0.1:1", "rf_any"), timeout=60))
