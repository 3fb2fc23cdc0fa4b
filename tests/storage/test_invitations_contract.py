"""The Invitations port: what every adapter must do."""

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from referee.accounts.account_errors import BadInvitation, NameTaken, NoSuchInvitation, TooManyNames
from referee.accounts.invitations import Invitation, Redeemed
from referee.accounts.tokens import Quota, Role, Token, TokenFilter, revoked, sha256_of
from referee.match.match_errors import RequestIdReused
from tests.storage.account_stores import NOON_MS, AccountStores, organiser_token

HOUR_MS = 3_600_000


def invitation(code: str = "code", organiser: str = "ann", **more: Any) -> Invitation:
    return Invitation(sha256_of(code), organiser, NOON_MS, NOON_MS + HOUR_MS, **more)


async def create(stores: AccountStores, issued: Invitation, request_id: str = "", max_authors: int = 9) -> Invitation:
    created = await stores.invitations.create(request_id or issued.id, issued, max_authors)
    return created.invitation


async def redeem(
    stores: AccountStores, holder: str, request_id: str = "", code: str = "code", at_ms: int = NOON_MS
) -> Redeemed:
    token = Token(sha256_of(f"{code} {holder} {request_id} {at_ms}"), Role.AUTHOR, holder, at_ms)
    return await stores.invitations.redeem(sha256_of(code), request_id or holder, token)


async def why_not(stores: AccountStores, holder: str, code: str = "code", at_ms: int = NOON_MS) -> str:
    with pytest.raises(BadInvitation) as raised:
        await redeem(stores, holder, code=code, at_ms=at_ms)
    return raised.value.details["why"]


async def test_an_invitation_is_stored_with_all_its_fields(stores: AccountStores) -> None:
    issued = invitation(max_uses=3, label="cup")
    assert await create(stores, issued) == issued
    assert await stores.invitations.invitation(issued.id) == issued
    assert await stores.invitations.revoke(issued.id) == replace(issued, revoked=True)
    assert await stores.invitations.revoke(issued.id) == replace(issued, revoked=True)


async def test_a_repeated_request_creates_nothing(stores: AccountStores) -> None:
    first = await create(stores, invitation("first", max_uses=2), "r")
    again = await stores.invitations.create("r", invitation("again", max_uses=2), 0)
    assert (again.invitation, again.repeated) == (first, True)
    with pytest.raises(RequestIdReused):
        await create(stores, invitation("again", max_uses=3), "r")
    other = await create(stores, invitation("again", "tom"), "r")
    assert await stores.invitations.invitations() == [other, first]


async def test_the_oldest_invitations_that_were_never_redeemed_are_deleted(stores: AccountStores) -> None:
    redeemed, still_open, of_tom = invitation(), invitation("open"), invitation("of tom", "tom")
    for issued in (redeemed, still_open, of_tom):
        await create(stores, issued)
    await redeem(stores, "eve")
    unused = [invitation(f"{number}") for number in range(101)]
    for issued in unused:
        await create(stores, issued)
        await stores.invitations.revoke(issued.id)
    for issued in (redeemed, of_tom):
        await stores.invitations.revoke(issued.id)
    assert unused[0].id in {issued.id for issued in await stores.invitations.invitations("ann")}
    last = await create(stores, invitation("last"))
    kept = [issued.id for issued in await stores.invitations.invitations()]
    assert kept == [issued.id for issued in (last, *reversed(unused[1:]), of_tom, still_open, redeemed)]
    assert await create(stores, unused[0], unused[0].id) == unused[0], "its request is forgotten as well"


async def test_authors_and_open_uses_are_limited(stores: AccountStores) -> None:
    issued = await create(stores, invitation(max_uses=3), max_authors=4)
    with pytest.raises(TooManyNames) as raised:
        await create(stores, invitation("more", max_uses=2), max_authors=4)
    assert raised.value.details == {"what": "invited authors", "limit": "4"}
    await create(stores, invitation("of tom", "tom", max_uses=4), max_authors=4)
    await redeem(stores, "eve")
    assert await stores.invitations.authors("ann", NOON_MS) == 3
    assert await stores.invitations.authors("ann", NOON_MS + HOUR_MS) == 1
    await stores.invitations.revoke(issued.id)
    assert await stores.invitations.authors("ann", NOON_MS) == 1
    await create(stores, invitation("more", max_uses=3), max_authors=4)


async def test_invitations_are_listed_newest_first_in_pages(stores: AccountStores) -> None:
    used, open_one, gone, of_tom = [
        await create(stores, new) for new in (invitation("a"), invitation("b"), invitation("c"), invitation("d", "tom"))
    ]
    used = (await redeem(stores, "eve", code="a")).invitation
    gone = await stores.invitations.revoke(gone.id)
    listed = stores.invitations.invitations
    assert await listed() == [of_tom, gone, open_one, used]
    assert await listed("ann") == [gone, open_one, used]
    assert await listed("ann", NOON_MS) == [open_one]
    assert await listed("", NOON_MS + HOUR_MS) == []
    assert await listed("ann", None, gone.id, 1) == [open_one]
    for call in (listed(before="in_0"), stores.invitations.revoke("in_0"), stores.invitations.invitation("in_0")):
        with pytest.raises(NoSuchInvitation):
            await call


async def test_redeeming_a_code_creates_an_author_and_counts_one_use(stores: AccountStores) -> None:
    issued = await create(stores, invitation(max_uses=2))
    redeemed = await redeem(stores, "eve")
    assert (redeemed.invitation.uses, redeemed.repeated) == (1, False)
    assert await stores.tokens.find_token(redeemed.token.sha256) == redeemed.token
    assert await stores.quotas.is_author("eve")
    await redeem(stores, "tom")
    first, second = await stores.invitations.redemptions(issued.id)
    assert (first.holder, first.token_id, first.at_ms) == ("eve", redeemed.token.id, NOON_MS)
    assert await stores.invitations.redemptions(issued.id, first.number) == [second]
    assert await stores.invitations.redemptions(issued.id, limit=1) == [first]


async def test_a_repeated_redemption_returns_the_first_token_and_costs_no_use(stores: AccountStores) -> None:
    issued = await create(stores, invitation())
    first = await redeem(stores, "eve", "r")
    await stores.invitations.revoke(issued.id)
    gone = await stores.tokens.change_token(first.token.id, revoked)
    again = await redeem(stores, "eve", "r", at_ms=NOON_MS + HOUR_MS)
    assert (again.token, again.invitation.uses, again.repeated) == (gone, 1, True)
    assert await stores.tokens.tokens(TokenFilter("eve")) == [gone]


async def test_strangers_may_use_the_same_request_id(stores: AccountStores) -> None:
    await create(stores, invitation(max_uses=2))
    first, second = await redeem(stores, "eve", "r"), await redeem(stores, "tom", "r")
    assert (first.repeated, second.repeated, second.invitation.uses) == (False, False, 2)


async def test_a_code_cannot_be_redeemed_when_it_is_unknown_expired_revoked_or_used_up(stores: AccountStores) -> None:
    issued = await create(stores, invitation())
    assert await why_not(stores, "eve", code="guessed") == "unknown"
    assert await why_not(stores, "eve", at_ms=NOON_MS + HOUR_MS) == "expired"
    await redeem(stores, "eve", at_ms=NOON_MS + HOUR_MS - 1)
    assert await why_not(stores, "tom") == "used_up"
    await stores.invitations.revoke(issued.id)
    assert await why_not(stores, "tom") == "revoked"
    assert await stores.tokens.tokens(TokenFilter("tom")) == []


async def test_a_known_holder_cannot_be_taken_over(stores: AccountStores) -> None:
    issued = await create(stores, invitation(max_uses=9))
    await stores.tokens.add_token(organiser_token("s", "Ada"), 9)
    await stores.register("a-bot", "bob")
    await stores.tokens.add_token(Token(sha256_of("w"), Role.BOT, "ann", NOON_MS, "a-bot"), 9)
    await stores.quotas.set_quota("cleo", Quota(max_bots=1))
    await redeem(stores, "dan")
    for holder in ("ada", "bob", "ann", "cleo", "dan"):
        with pytest.raises(NameTaken) as raised:
            await redeem(stores, holder, f"as {holder}")
        assert raised.value.details == {"name": holder}
    assert (await stores.invitations.invitation(issued.id)).uses == 1


async def test_of_concurrent_redemptions_only_as_many_succeed_as_there_are_uses(stores: AccountStores) -> None:
    await create(stores, invitation(max_uses=2))
    results = await asyncio.gather(*(redeem(stores, f"eve-{number}") for number in range(5)), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["BadInvitation"] * 3 + ["Redeemed"] * 2
    assert len(await stores.tokens.tokens()) == 2
