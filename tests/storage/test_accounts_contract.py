"""Contract of all account stores."""

import asyncio

import pytest
from msgspec.structs import replace

from referee.accounts.account_errors import BotNotPaused, NameTaken, NoSuchBot, NoSuchToken, NoSuchVersion, TooManyNames
from referee.accounts.bots import Bot, BotPause, MaxNames, PauseCause, Registration, Version, paused, resumed
from referee.accounts.consent import DEFAULT_CONSENT, Consent, ConsentScope
from referee.accounts.tokens import Quota, Role, Token, TokenFilter, revoked, sha256_of, used
from referee.match.match_errors import RequestIdReused
from tests.storage.account_stores import HIGH_LIMITS, NOON_MS, AccountStores, bot_token, organiser_token

STRICT = Consent(ConsentScope.OWN, ("toc", "trox"), 5_000, 100, accept_odds=True, max_matches_per_maker=7)
BROKEN = BotPause(PauseCause.FAULTS, "five faults in a row", NOON_MS + 1)


# Bots


async def test_a_bot_is_registered_with_its_first_token(stores: AccountStores) -> None:
    bot = Bot("ada", "ann", NOON_MS, "plays\nwell")
    token = bot_token("ada")
    assert await stores.accounts.register("r", bot, token, HIGH_LIMITS) == Registration(bot, token, repeated=False)
    assert await stores.accounts.bot("ada") == bot
    assert await stores.tokens.tokens() == [token]


async def test_a_repeated_registration_changes_nothing_and_returns_the_current_bot(stores: AccountStores) -> None:
    first = await stores.register("ada", description="new")
    await stores.accounts.change_bot("ada", lambda bot: replace(bot, description="changed"))
    await stores.tokens.add_token(bot_token("ada", word="second"), 100)
    repeated = await stores.accounts.register(
        "request ada", Bot("ada", "ann", NOON_MS + 9, "new"), bot_token("ada", word="third"), MaxNames(0, 0)
    )
    assert repeated == Registration(replace(first.bot, description="changed"), first.token, repeated=True)
    assert len(await stores.tokens.tokens()) == 2


async def test_a_request_id_cannot_be_reused_for_another_bot_of_the_same_owner(stores: AccountStores) -> None:
    await stores.register("ada")
    with pytest.raises(RequestIdReused):
        await stores.accounts.register("request ada", Bot("bob", "ann", NOON_MS), bot_token("bob"), HIGH_LIMITS)
    other = await stores.accounts.register(
        "request ada", Bot("eve", "tom", NOON_MS), bot_token("eve", "tom"), HIGH_LIMITS
    )
    assert not other.repeated


async def test_a_bot_name_can_be_registered_once(stores: AccountStores) -> None:
    await stores.register("ada")
    for owner in ("ann", "tom"):
        with pytest.raises(NameTaken):
            await stores.accounts.register("new", Bot("ada", owner, NOON_MS), bot_token("ada", word="new"), HIGH_LIMITS)
    assert len(await stores.tokens.tokens()) == 1


async def test_an_owner_has_a_limited_number_of_bots(stores: AccountStores) -> None:
    two_bots = MaxNames(bots=2, tokens=100)
    await stores.register("ada", limit=two_bots)
    await stores.register("bob", limit=two_bots)
    with pytest.raises(TooManyNames) as error:
        await stores.register("cat", limit=two_bots)
    assert error.value.details == {"what": "bots", "limit": "2"}
    await stores.register("dan", owner="tom", limit=two_bots)


async def test_a_bot_whose_token_is_rejected_is_not_registered(stores: AccountStores) -> None:
    with pytest.raises(TooManyNames) as error:
        await stores.register("ada", limit=MaxNames(bots=1, tokens=0))
    assert error.value.details == {"what": "tokens", "limit": "0"}
    assert await stores.accounts.bots() == []
    assert not (await stores.register("ada")).repeated


async def test_one_of_many_concurrent_registrations_of_a_name_succeeds(stores: AccountStores) -> None:
    registrations = (
        stores.accounts.register(
            "r", Bot("ada", f"owner {number}", NOON_MS), bot_token("ada", word=str(number)), HIGH_LIMITS
        )
        for number in range(20)
    )
    answers = await asyncio.gather(*registrations, return_exceptions=True)
    (winner,) = (answer for answer in answers if isinstance(answer, Registration))
    assert await stores.accounts.bot("ada") == winner.bot
    assert await stores.tokens.tokens() == [winner.token]


async def test_bots_are_listed_by_name_in_pages(stores: AccountStores) -> None:
    for name in ("cat", "ada", "eve", "bob"):
        await stores.register(name, owner="tom" if name == "bob" else "ann")

    async def names(owner: str = "", after: str = "", limit: int | None = None) -> str:
        return " ".join(bot.name for bot in await stores.accounts.bots(owner, after, limit))

    assert await names() == "ada bob cat eve"
    assert await names(limit=2) == "ada bob"
    assert await names(after="bob", limit=1) == "cat"
    assert await names(after="b") == "bob cat eve"
    assert await names("ann") == "ada cat eve"
    assert await names("ann", "ada", 1) == "cat"
    assert await names("nobody") == ""
    assert await names(limit=0) == ""


async def test_a_change_of_a_bot_can_only_set_description_pause_faults_and_consent(stores: AccountStores) -> None:
    before = (await stores.register("ada")).bot
    after = replace(before, description="new", pause=BROKEN, faults=5, consent=STRICT)
    changed = await stores.accounts.change_bot("ada", lambda _: replace(after, owner="eve", created_ms=0))
    assert changed == after == await stores.accounts.bot("ada")
    assert await stores.accounts.change_bot("ada", resumed) == replace(after, pause=None, faults=0)


async def test_a_bot_is_registered_with_its_consent(stores: AccountStores) -> None:
    assert (await stores.register("ada", consent=STRICT)).bot.consent == STRICT
    assert (await stores.accounts.bot("ada")).consent == STRICT
    assert (await stores.register("bob")).bot.consent == DEFAULT_CONSENT


async def test_a_rejected_change_changes_nothing(stores: AccountStores) -> None:
    before = (await stores.register("ada")).bot
    with pytest.raises(BotNotPaused):
        await stores.accounts.change_bot("ada", resumed)
    assert await stores.accounts.bot("ada") == before


async def test_concurrent_changes_are_all_applied(stores: AccountStores) -> None:
    await stores.register("ada")

    def append_mark(bot: Bot) -> Bot:
        return replace(bot, description=bot.description + "!")

    await asyncio.gather(*(stores.accounts.change_bot("ada", append_mark) for _ in range(50)))
    assert (await stores.accounts.bot("ada")).description == "!" * 50


async def test_every_call_for_an_unknown_bot_is_rejected(stores: AccountStores) -> None:
    for call in (
        stores.accounts.bot("ada"),
        stores.accounts.change_bot("ada", lambda bot: paused(bot, BROKEN)),
        stores.accounts.add_version(Version("ada", "1", NOON_MS), 10),
        stores.accounts.versions("ada"),
    ):
        with pytest.raises(NoSuchBot, match="there is no bot 'ada'"):
            await call


# Versions


async def test_the_version_registered_last_is_the_latest(stores: AccountStores) -> None:
    assert (await stores.register("ada")).bot.latest_version == ""
    await stores.add_versions("ada", "2", "10", "1")
    assert (await stores.accounts.bot("ada")).latest_version == "1"
    assert [bot.latest_version for bot in await stores.accounts.bots()] == ["1"]
    assert (await stores.accounts.change_bot("ada", lambda bot: paused(bot, BROKEN))).latest_version == "1"


async def test_a_version_is_registered_once(stores: AccountStores) -> None:
    await stores.register("ada")
    first = Version("ada", "1", NOON_MS, "new eyes")
    assert await stores.accounts.add_version(first, 2) == first
    await stores.accounts.add_version(Version("ada", "2", NOON_MS), 2)
    assert await stores.accounts.add_version(Version("ada", "1", NOON_MS + 9, "again"), 2) == first
    assert (await stores.accounts.bot("ada")).latest_version == "2"
    with pytest.raises(TooManyNames) as error:
        await stores.accounts.add_version(Version("ada", "3", NOON_MS), 2)
    assert error.value.details == {"what": "versions", "limit": "2"}


async def test_versions_are_listed_newest_first_in_pages(stores: AccountStores) -> None:
    for name in ("ada", "bob"):
        await stores.register(name)
    await stores.add_versions("ada", "2", "10", "1")
    await stores.add_versions("bob", "1", "2")

    async def names(before: str = "", limit: int | None = None) -> str:
        return " ".join(version.version for version in await stores.accounts.versions("ada", before, limit))

    assert await names() == "1 10 2"
    assert await names(limit=1) == "1"
    assert await names("1", 1) == "10"
    assert await names("2") == ""
    assert await stores.accounts.versions("bob", "2") == [Version("bob", "1", NOON_MS)]
    with pytest.raises(NoSuchVersion, match="ada has no version '7'"):
        await names("7")


# Tokens


async def test_a_token_is_found_by_its_hash_with_all_fields(stores: AccountStores) -> None:
    token = Token(sha256_of("s"), Role.ADMIN, "ann", NOON_MS, label="laptop", expires_ms=NOON_MS + 1)
    await stores.tokens.add_token(token, 1)
    assert await stores.tokens.find_token(sha256_of("s")) == token
    assert await stores.tokens.find_token(sha256_of("t")) is None


async def test_the_oldest_invalid_tokens_of_a_bot_are_deleted_except_its_first(stores: AccountStores) -> None:
    first = (await stores.register("ada")).token
    await stores.tokens.change_token(first.id, revoked)
    valid, expired = bot_token("ada", word="valid"), replace(bot_token("ada", word="expired"), expires_ms=NOON_MS + 1)
    for token in (valid, expired):
        await stores.tokens.add_token(token, 100)
    revoked_ones = [replace(bot_token("ada", word=f"{number}"), created_ms=NOON_MS + 2) for number in range(100)]
    for token in revoked_ones:
        await stores.tokens.add_token(token, 100)
        await stores.tokens.change_token(token.id, revoked)
    of_ada = TokenFilter(bot="ada")
    assert expired in await stores.tokens.tokens(of_ada)
    last = replace(bot_token("ada", word="last"), created_ms=NOON_MS + 2)
    await stores.tokens.add_token(organiser_token("other"), 100)
    assert expired in await stores.tokens.tokens(of_ada)
    await stores.tokens.add_token(last, 100)
    kept = [token.id for token in await stores.tokens.tokens(of_ada)]
    assert kept == [token.id for token in (last, *reversed(revoked_ones), valid, first)]


async def test_a_revoked_token_is_found_too(stores: AccountStores) -> None:
    token = organiser_token("s")
    await stores.tokens.add_token(token, 1)
    revoked_token = await stores.tokens.change_token(token.id, revoked)
    assert revoked_token == replace(token, revoked=True)
    assert await stores.tokens.find_token(token.sha256) == revoked_token
    assert await stores.tokens.change_token(token.id, revoked) == revoked_token


async def test_revoked_and_unknown_tokens_are_found_among_many(stores: AccountStores) -> None:
    kept, gone = organiser_token("kept", expires_ms=NOON_MS + 1), organiser_token("gone")
    for token in (kept, gone):
        await stores.tokens.add_token(token, 9)
    await stores.tokens.change_token(gone.id, revoked)
    assert await stores.tokens.revoked([kept.id, gone.id, "tk_0", gone.id]) == {gone.id, "tk_0"}
    assert await stores.tokens.revoked([]) == set()


async def test_a_change_of_a_token_can_only_set_last_use_and_revocation(stores: AccountStores) -> None:
    token = organiser_token("s")
    await stores.tokens.add_token(token, 1)
    changed = await stores.tokens.change_token(
        token.id, lambda token: replace(used(token, NOON_MS + 61_000), role=Role.ADMIN, holder="eve")
    )
    assert changed == replace(token, used_ms=NOON_MS + 60_000 - NOON_MS % 60_000)
    assert await stores.tokens.tokens() == [changed]


async def test_a_holder_has_a_limited_number_of_valid_tokens(stores: AccountStores) -> None:
    revoked_token = organiser_token("old")
    await stores.tokens.add_token(revoked_token, 2)
    await stores.tokens.add_token(replace(organiser_token("short"), created_ms=0, expires_ms=NOON_MS), 2)
    await stores.tokens.change_token(revoked_token.id, revoked)
    await stores.tokens.add_token(organiser_token("one"), 2)
    await stores.tokens.add_token(organiser_token("two"), 2)
    with pytest.raises(TooManyNames) as error:
        await stores.tokens.add_token(organiser_token("three"), 2)
    assert error.value.details == {"what": "tokens", "limit": "2"}
    await stores.tokens.add_token(organiser_token("other", holder="tom"), 2)


async def test_tokens_are_listed_newest_first_in_pages_and_can_be_filtered(stores: AccountStores) -> None:
    await stores.register("ada")
    older, newer = organiser_token("one"), organiser_token("two", expires_ms=NOON_MS + 5)
    other, revoked_token = organiser_token("other", holder="tom"), organiser_token("gone")
    for token in (older, newer, other, revoked_token):
        await stores.tokens.add_token(token, 100)
    revoked_token = await stores.tokens.change_token(revoked_token.id, revoked)
    first = bot_token("ada")

    assert await stores.tokens.tokens() == [revoked_token, other, newer, older, first]
    assert await stores.tokens.tokens(limit=2) == [revoked_token, other]
    assert await stores.tokens.tokens(before=other.id, limit=2) == [newer, older]
    assert await stores.tokens.tokens(before=first.id) == []
    assert await stores.tokens.tokens(TokenFilter(holder="ann")) == [revoked_token, newer, older, first]
    assert await stores.tokens.tokens(TokenFilter(holder="ann"), before=other.id) == [newer, older, first]
    assert await stores.tokens.tokens(TokenFilter(bot="ada")) == [first]
    assert await stores.tokens.tokens(TokenFilter(holder="tom", bot="ada")) == []
    assert await stores.tokens.tokens(TokenFilter(valid_at_ms=NOON_MS + 4)) == [other, newer, older, first]
    assert await stores.tokens.tokens(TokenFilter(holder="ann", valid_at_ms=NOON_MS + 5), limit=1) == [older]


async def test_every_call_for_an_unknown_token_is_rejected(stores: AccountStores) -> None:
    for call in (stores.tokens.change_token("tk_0", revoked), stores.tokens.tokens(before="tk_0")):
        with pytest.raises(NoSuchToken, match="there is no token 'tk_0'"):
            await call


# Quotas


async def test_a_quota_of_a_holder_can_be_set_changed_and_removed(stores: AccountStores) -> None:
    assert await stores.quotas.quota("ann") is None
    await stores.quotas.set_quota("ann", Quota(1, 2, 3, 4, 5))
    await stores.quotas.set_quota("tom", Quota())
    assert await stores.quotas.quota("ann") == Quota(1, 2, 3, 4, 5)
    await stores.quotas.set_quota("ann", Quota(calls_per_minute=7))
    assert await stores.quotas.quota("ann") == Quota(calls_per_minute=7)
    await stores.quotas.set_quota("ann", None)
    assert await stores.quotas.quota("ann") is None
    assert await stores.quotas.quota("tom") == Quota()


async def test_holders_of_tokens_bots_and_quotas_are_listed_by_name(stores: AccountStores) -> None:
    await stores.tokens.add_token(organiser_token("s", "tom"), 9)
    await stores.register("ada", "ann")
    await stores.quotas.set_quota("bob", Quota(max_contests=3))
    await stores.quotas.set_quota("eve", None)
    assert await stores.quotas.holders() == ["ann", "bob", "tom"]
    assert await stores.quotas.holders("ann", 1) == ["bob"]


async def test_a_holder_is_an_author_unless_it_also_has_the_token_of_an_organiser(stores: AccountStores) -> None:
    assert not await stores.quotas.is_author("ann")
    author = Token(sha256_of("a"), Role.AUTHOR, "ann", NOON_MS)
    await stores.tokens.add_token(author, 9)
    await stores.tokens.add_token(organiser_token("t", "tom"), 9)
    assert [await stores.quotas.is_author(holder) for holder in ("ann", "tom")] == [True, False]
    await stores.tokens.change_token(author.id, revoked)
    assert await stores.quotas.is_author("ann"), "its bots have not become those of an organiser"
    organiser = organiser_token("s")
    await stores.tokens.add_token(organiser, 9)
    assert not await stores.quotas.is_author("ann")
    await stores.tokens.change_token(organiser.id, revoked)
    assert await stores.quotas.is_author("ann")
