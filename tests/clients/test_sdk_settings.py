"""Settings of a bot program that are given as arguments. `test_sdk_vectors` has those from the environment."""

import asyncio

import pytest
from referee_client import Misconfigured, play
from referee_client.bots.random import choose
from referee_client.playing import session_options


@pytest.mark.parametrize("number", ["-1", "many"])
def test_an_invalid_number_of_matches_is_named(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv("BOT_MAX_MATCHES", number)
    with pytest.raises(Misconfigured, match=f"BOT_MAX_MATCHES cannot be '{number}'"):
        asyncio.run(asyncio.wait_for(play(choose, "127.0.0.1:1", "rf_any"), timeout=60))


def test_arguments_replace_the_variables() -> None:
    environ = {"BOT_VERDICTS_WITH_TURNS": "1", "BOT_MAX_MATCHES": "8", "BOT_VERSION": "3"}
    options = session_options("", (), 0, verdicts_with_turns=False, environ=environ)
    assert (options.version, options.max_matches, options.verdicts_with_turns) == ("", 0, False)
