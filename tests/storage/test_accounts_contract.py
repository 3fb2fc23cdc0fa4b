"""What every book of accounts promises, whatever it is made of."""

import asyncio
from dataclasses import replace

import pytest

from referee.app.accounts import Bot, NamesAtMost, Pause, PauseCause, Registered, Version, paused, resumed
from referee.app.quotas import Quota
from referee.app.refusals import BotNotPaused, NameTaken, TooManyNames, UnknownBot, UnknownToken, UnknownVersion
from referee.app.tokens import Role, Token, WantedTokens, revoked, sha256_of, used
from referee.core.errors import RequestIdReused
from tests.storage.books import NOON_MS, PLENTY, Books, bot_token, organiser_token, with_all_books

BROKEN = Pause(PauseCause.FAULTS, "five faults in a row", NOON_MS + 1)


# Bots.


@with_all_books
async def test_a_bot_is_entered_with_its_first_token(books: Books) -> None:
    bot = Bot("ada", "ann", NOON_MS, "plays\nwell")
    token = bot_token("ada")
    assert await books.accounts.register("r", bot, token, PLENTY) == Registered(bot, token, again=False)
    assert await books.accounts.bot("ada") == bot
    assert await books.tokens.tokens() == [token]


@with_all_books
async def test_the_same_request_again_enters_nothing_and_tells_what_is(books: Books) -> None:
    first = await books.register("ada", description="new")
    await books.accounts.change_bot("ada", lambda bot: replace(bot, description="changed"))
    await books.tokens.add_token(bot_token("ada", word="second"), 100)
    again = await books.accounts.register(
        "request ada", Bot("ada", "ann", NOON_MS + 9, "new"), bot_token("ada", word="third"), NamesAtMost(0, 0)
    )
    assert again == Registered(replace(first.bot, description="changed"), first.token, again=True)
    assert len(await books.tokens.tokens()) == 2


@with_all_books
async def test_a_request_id_is_not_for_another_bot_of_the_same_owner(books: Books) -> None:
    await books.register("ada")
    with pytest.raises(RequestIdReused):
        await books.accounts.register("request ada", Bot("bob", "ann", NOON_MS), bot_token("bob"), PLENTY)
    other = await books.accounts.register("request ada", Bot("eve", "tom", NOON_MS), bot_token("eve", "tom"), PLENTY)
    assert not other.again


@with_all_books
async def test_a_name_is_taken_once(books: Books) -> None:
    await books.register("ada")
    for owner in ("ann", "tom"):
        with pytest.raises(NameTaken):
            await books.accounts.register("new", Bot("ada", owner, NOON_MS), bot_token("ada", word="new"), PLENTY)
    assert len(await books.tokens.tokens()) == 1


@with_all_books
async def test_an_owner_has_only_so_many_bots(books: Books) -> None:
    two = NamesAtMost(bots=2, tokens=100)
    await books.register("ada", at_most=two)
    await books.register("bob", at_most=two)
    with pytest.raises(TooManyNames) as refused:
        await books.register("cat", at_most=two)
    assert refused.value.details == {"what": "bots", "limit": "2"}
    await books.register("dan", owner="tom", at_most=two)


@with_all_books
async def test_a_bot_whose_token_cannot_be_entered_is_not_entered_either(books: Books) -> None:
    with pytest.raises(TooManyNames) as refused:
        await books.register("ada", at_most=NamesAtMost(bots=1, tokens=0))
    assert refused.value.details == {"what": "tokens", "limit": "0"}
    assert await books.accounts.bots() == []
    assert not (await books.register("ada")).again


@with_all_books
async def test_of_many_who_want_a_name_at_once_one_gets_it(books: Books) -> None:
    wanting = (
        books.accounts.register("r", Bot("ada", f"owner {one}", NOON_MS), bot_token("ada", word=str(one)), PLENTY)
        for one in range(20)
    )
    answers = await asyncio.gather(*wanting, return_exceptions=True)
    (won,) = (answer for answer in answers if isinstance(answer, Registered))
    assert await books.accounts.bot("ada") == won.bot
    assert await books.tokens.tokens() == [won.token]


@with_all_books
async def test_bots_are_listed_by_name_in_pages(books: Books) -> None:
    for name in ("cat", "ada", "eve", "bob"):
        await books.register(name, owner="tom" if name == "bob" else "ann")

    async def names(owner: str = "", after: str = "", at_most: int | None = None) -> str:
        return " ".join(bot.name for bot in await books.accounts.bots(owner, after, at_most))

    assert await names() == "ada bob cat eve"
    assert await names(at_most=2) == "ada bob"
    assert await names(after="bob", at_most=1) == "cat"
    assert await names(after="b") == "bob cat eve"
    assert await names("ann") == "ada cat eve"
    assert await names("ann", "ada", 1) == "cat"
    assert await names("nobody") == ""
    assert await names(at_most=0) == ""


@with_all_books
async def test_a_change_keeps_all_but_description_pause_and_faults(books: Books) -> None:
    before = (await books.register("ada")).bot
    after = replace(before, description="new", pause=BROKEN, faults=5)
    changed = await books.accounts.change_bot("ada", lambda _: replace(after, owner="eve", created_ms=0))
    assert changed == after == await books.accounts.bot("ada")
    assert await books.accounts.change_bot("ada", resumed) == replace(after, pause=None, faults=0)


@with_all_books
async def test_a_change_that_is_refused_changes_nothing(books: Books) -> None:
    before = (await books.register("ada")).bot
    with pytest.raises(BotNotPaused):
        await books.accounts.change_bot("ada", resumed)
    assert await books.accounts.bot("ada") == before


@with_all_books
async def test_changes_at_once_all_count(books: Books) -> None:
    await books.register("ada")

    def one_more(bot: Bot) -> Bot:
        return replace(bot, description=bot.description + "!")

    await asyncio.gather(*(books.accounts.change_bot("ada", one_more) for _ in range(50)))
    assert (await books.accounts.bot("ada")).description == "!" * 50


@with_all_books
async def test_nobody_knows_a_bot_that_was_not_registered(books: Books) -> None:
    for asked in (
        books.accounts.bot("ada"),
        books.accounts.change_bot("ada", lambda bot: paused(bot, BROKEN)),
        books.accounts.add_version(Version("ada", "1", NOON_MS), 10),
        books.accounts.versions("ada"),
    ):
        with pytest.raises(UnknownBot, match="there is no bot 'ada'"):
            await asked


# Versions.


@with_all_books
async def test_the_version_registered_last_is_the_latest(books: Books) -> None:
    assert (await books.register("ada")).bot.latest_version == ""
    await books.add_versions("ada", "2", "10", "1")
    assert (await books.accounts.bot("ada")).latest_version == "1"
    assert [bot.latest_version for bot in await books.accounts.bots()] == ["1"]
    assert (await books.accounts.change_bot("ada", lambda bot: paused(bot, BROKEN))).latest_version == "1"


@with_all_books
async def test_a_version_is_entered_once(books: Books) -> None:
    await books.register("ada")
    first = Version("ada", "1", NOON_MS, "new eyes")
    assert await books.accounts.add_version(first, 2) == first
    await books.accounts.add_version(Version("ada", "2", NOON_MS), 2)
    assert await books.accounts.add_version(Version("ada", "1", NOON_MS + 9, "again"), 2) == first
    assert (await books.accounts.bot("ada")).latest_version == "2"
    with pytest.raises(TooManyNames) as refused:
        await books.accounts.add_version(Version("ada", "3", NOON_MS), 2)
    assert refused.value.details == {"what": "versions", "limit": "2"}


@with_all_books
async def test_versions_are_listed_the_newest_first_in_pages(books: Books) -> None:
    for name in ("ada", "bob"):
        await books.register(name)
    await books.add_versions("ada", "2", "10", "1")
    await books.add_versions("bob", "1", "2")

    async def names(before: str = "", at_most: int | None = None) -> str:
        return " ".join(version.version for version in await books.accounts.versions("ada", before, at_most))

    assert await names() == "1 10 2"
    assert await names(at_most=1) == "1"
    assert await names("1", 1) == "10"
    assert await names("2") == ""
    assert await books.accounts.versions("bob", "2") == [Version("bob", "1", NOON_MS)]
    with pytest.raises(UnknownVersion, match="ada has no version '7'"):
        await names("7")


# Tokens.


@with_all_books
async def test_a_token_is_found_by_its_hash_with_all_that_is_known_of_it(books: Books) -> None:
    token = Token(sha256_of("s"), Role.ADMIN, "ann", NOON_MS, label="laptop", expires_ms=NOON_MS + 1)
    await books.tokens.add_token(token, 1)
    assert await books.tokens.token_of(sha256_of("s")) == token
    assert await books.tokens.token_of(sha256_of("t")) is None


@with_all_books
async def test_a_token_is_found_too_when_it_is_no_longer_good(books: Books) -> None:
    token = organiser_token("s")
    await books.tokens.add_token(token, 1)
    gone = await books.tokens.change_token(token.id, revoked)
    assert gone == replace(token, revoked=True)
    assert await books.tokens.token_of(token.sha256) == gone
    assert await books.tokens.change_token(token.id, revoked) == gone


@with_all_books
async def test_a_change_of_a_token_keeps_all_but_use_and_revocation(books: Books) -> None:
    token = organiser_token("s")
    await books.tokens.add_token(token, 1)
    changed = await books.tokens.change_token(
        token.id, lambda it: replace(used(it, NOON_MS + 61_000), role=Role.ADMIN, holder="eve")
    )
    assert changed == replace(token, used_ms=NOON_MS + 60_000 - NOON_MS % 60_000)
    assert await books.tokens.tokens() == [changed]


@with_all_books
async def test_a_holder_has_only_so_many_good_tokens(books: Books) -> None:
    spent = organiser_token("old")
    await books.tokens.add_token(spent, 2)
    await books.tokens.add_token(replace(organiser_token("short"), created_ms=0, expires_ms=NOON_MS), 2)
    await books.tokens.change_token(spent.id, revoked)
    await books.tokens.add_token(organiser_token("one"), 2)
    await books.tokens.add_token(organiser_token("two"), 2)
    with pytest.raises(TooManyNames) as refused:
        await books.tokens.add_token(organiser_token("three"), 2)
    assert refused.value.details == {"what": "tokens", "limit": "2"}
    await books.tokens.add_token(organiser_token("other", holder="tom"), 2)


@with_all_books
async def test_tokens_are_listed_the_newest_first_in_pages_and_by_what_is_wanted(books: Books) -> None:
    await books.register("ada")
    one, two = organiser_token("one"), organiser_token("two", expires_ms=NOON_MS + 5)
    other, gone = organiser_token("other", holder="tom"), organiser_token("gone")
    for token in (one, two, other, gone):
        await books.tokens.add_token(token, 100)
    gone = await books.tokens.change_token(gone.id, revoked)
    first = bot_token("ada")

    assert await books.tokens.tokens() == [gone, other, two, one, first]
    assert await books.tokens.tokens(at_most=2) == [gone, other]
    assert await books.tokens.tokens(before=other.id, at_most=2) == [two, one]
    assert await books.tokens.tokens(before=first.id) == []
    assert await books.tokens.tokens(WantedTokens(holder="ann")) == [gone, two, one, first]
    assert await books.tokens.tokens(WantedTokens(holder="ann"), before=other.id) == [two, one, first]
    assert await books.tokens.tokens(WantedTokens(bot="ada")) == [first]
    assert await books.tokens.tokens(WantedTokens(holder="tom", bot="ada")) == []
    assert await books.tokens.tokens(WantedTokens(good_at_ms=NOON_MS + 4)) == [other, two, one, first]
    assert await books.tokens.tokens(WantedTokens(holder="ann", good_at_ms=NOON_MS + 5), at_most=1) == [one]


@with_all_books
async def test_nobody_knows_a_token_that_was_not_made(books: Books) -> None:
    for asked in (books.tokens.change_token("tk_0", revoked), books.tokens.tokens(before="tk_0")):
        with pytest.raises(UnknownToken, match="there is no token 'tk_0'"):
            await asked


# Quotas.


@with_all_books
async def test_limits_of_ones_own_are_given_changed_and_taken_back(books: Books) -> None:
    assert await books.quotas.quota("ann") is None
    await books.quotas.set_quota("ann", Quota(1, 2, 3, 4, 5))
    await books.quotas.set_quota("tom", Quota())
    assert await books.quotas.quota("ann") == Quota(1, 2, 3, 4, 5)
    await books.quotas.set_quota("ann", Quota(calls_per_minute=7))
    assert await books.quotas.quota("ann") == Quota(calls_per_minute=7)
    await books.quotas.set_quota("ann", None)
    assert await books.quotas.quota("ann") is None
    assert await books.quotas.quota("tom") == Quota()
