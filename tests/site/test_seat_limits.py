"""Visitors who follow many matches of their bot take no places of others."""

from contextlib import AsyncExitStack

import pytest

from engines.registry import games
from referee.site.account import seat_match_page
from referee.site.account.account_session import Account, AccountRole, AccountSession
from referee.site.account.seat_match_page import MAX_OPEN_PER_TOKEN, SeatMatches
from referee.site.upstream import UpstreamError
from tests.live.runner_harness import in_loop
from tests.site.fake_upstream import FakeMatch
from tests.site.samples import MATCH_ID, entries, match


def account(token: str) -> Account:
    return Account(AccountSession(AccountRole.BOT, "anna", token), FakeMatch(match(), *entries(2)))


@in_loop
async def test_one_token_follows_some_matches_and_leaves_room_for_others() -> None:
    matches, ada, bob = SeatMatches(games()), account("ada"), account("bob")
    async with AsyncExitStack() as open_pages:
        for _ in range(MAX_OPEN_PER_TOKEN):
            await open_pages.enter_async_context(matches._follow(ada, MATCH_ID, 0))
        with pytest.raises(UpstreamError, match="busy"):
            await open_pages.enter_async_context(matches._follow(ada, MATCH_ID, 0))
        await open_pages.enter_async_context(matches._follow(bob, MATCH_ID, 0))
    async with matches._follow(ada, MATCH_ID, 0):
        pass


@in_loop
async def test_all_tokens_together_follow_a_limited_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_match_page, "MAX_OPEN", 1)
    matches = SeatMatches(games())
    async with matches._follow(account("ada"), MATCH_ID, 0):
        with pytest.raises(UpstreamError, match="busy"):
            async with matches._follow(account("bob"), MATCH_ID, 0):
                pass
