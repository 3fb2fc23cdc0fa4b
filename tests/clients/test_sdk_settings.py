"""What a bot program is told beside where its referee is."""

import asyncio

import pytest
from referee_client import Misconfigured, play
from referee_client.bots.random import choose


@pytest.mark.parametrize("number", ["-1", "many"])
def test_a_number_of_matches_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv("BOT_MATCHES_AT_MOST", number)
    with pytest.raises(Misconfigured, match=f"BOT_MATCHES_AT_MOST cannot be '{number}'"):
        asyncio.run(asyncio.wait_for(play(choose, "127.0.0.1:1", "rf_any"), timeout=60))
