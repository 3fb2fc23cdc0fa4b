"""Settings of a bot program other than the address of its referee."""

import asyncio

import pytest
from referee_client import Misconfigured, play
from referee_client.bots.random import choose
from referee_client.playing import _max_matches, _verdicts_with_turns
from referee_client.session import SessionOptions


def test_the_default_is_one_match_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BOT_MAX_MATCHES", raising=False)
    assert _max_matches(None) == 1


@pytest.mark.parametrize("number", ["-1", "many"])
def test_an_invalid_number_of_matches_is_named(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    monkeypatch.setenv("BOT_MAX_MATCHES", number)
    with pytest.raises(Misconfigured, match=f"BOT_MAX_MATCHES cannot be '{number}'"):
        asyncio.run(asyncio.wait_for(play(choose, "127.0.0.1:1", "rf_any"), timeout=60))


@pytest.mark.parametrize(("value", "expected"), [("", False), ("0", False), ("true", False), ("1", True)])
def test_verdicts_may_wait_for_turns_only_if_the_variable_is_1(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("BOT_VERDICTS_WITH_TURNS", value)
    assert _verdicts_with_turns(None) is expected


def test_an_argument_for_verdicts_with_turns_replaces_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_VERDICTS_WITH_TURNS", "1")
    assert not _verdicts_with_turns(False)


def test_verdicts_with_turns_are_requested_in_the_hello() -> None:
    assert SessionOptions(verdicts_with_turns=True).hello(listed=False).hello.verdicts_with_turns
    assert not SessionOptions().hello(listed=False).hello.verdicts_with_turns
