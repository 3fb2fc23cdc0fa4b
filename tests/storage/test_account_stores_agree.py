"""Both databases of accounts return the same results for the same calls."""

import asyncio
from random import Random

import pytest

from engines.game_errors import DetailedError
from referee.accounts.bots import (
    Bot,
    BotPause,
    MaxNames,
    PauseCause,
    Version,
    paused,
    resumed,
    returned,
    with_fault,
    without_faults,
)
from referee.accounts.tokens import Role, Token, TokenFilter, revoked, sha256_of
from referee.storage.sqlite.database import in_memory
from tests.storage.account_stores import NOON_MS, AccountStores, in_postgres, in_sqlite

STEPS = 300
NAMES = ("ada", "bob", "cat", "dan")
HOLDERS = ("ann", "tom")
BROKEN = BotPause(PauseCause.FAULTS, "five faults in a row", NOON_MS)
BANNED = BotPause(PauseCause.ADMIN, "rude", NOON_MS)
CHANGES = (
    resumed,
    returned,
    without_faults,
    lambda bot: with_fault(bot, 2, BROKEN.message, NOON_MS),
    lambda bot: paused(bot, BANNED),
)


def random_token(rng: Random, role: Role, holder: str, bot: str = "") -> Token:
    now = NOON_MS + rng.randrange(10)
    return Token(sha256_of(str(rng.random())), role, holder, now, bot, expires_ms=rng.choice((None, now + 5)))


async def call_accounts(stores: AccountStores, rng: Random) -> object:
    name, other, holder, page = rng.choice(NAMES), rng.choice(NAMES), rng.choice(HOLDERS), rng.choice((None, 0, 1, 3))
    match rng.randrange(5):
        case 0:
            token, limits = random_token(rng, Role.BOT, holder, name), MaxNames(rng.randrange(4), rng.randrange(6))
            return await stores.accounts.register(other, Bot(name, holder, NOON_MS), token, limits)
        case 1:
            return await stores.accounts.change_bot(name, rng.choice(CHANGES))
        case 2:
            return await stores.accounts.add_version(Version(name, rng.choice("abcd"), rng.randrange(99)), 3)
        case 3:
            return await stores.accounts.versions(name, rng.choice(("", "a", "b")), page)
        case _:
            return await stores.accounts.bots(rng.choice(("", holder)), rng.choice(("", other)), page)


async def call_tokens(stores: AccountStores, rng: Random) -> object:
    name, holder, page = rng.choice(NAMES), rng.choice(HOLDERS), rng.choice((None, 0, 1, 3))
    ids = ["", "tk_0", *(token.id for token in await stores.tokens.tokens())]
    match rng.randrange(3):
        case 0:
            await stores.tokens.add_token(random_token(rng, Role.ORGANISER, holder), rng.randrange(9))
            return await stores.tokens.tokens()
        case 1:
            return await stores.tokens.change_token(rng.choice(ids), revoked)
        case _:
            wanted = TokenFilter(rng.choice(("", holder)), rng.choice(("", name)), rng.choice((None, NOON_MS + 7)))
            return await stores.tokens.tokens(wanted, rng.choice(ids), page)


async def run_random_calls(stores: AccountStores, seed: int) -> list[object]:
    """Run random calls, and return their results; equal results lead to equal calls."""
    rng, answers = Random(seed), list[object]()
    await stores.open()
    for _ in range(STEPS):
        try:
            answers.append(await rng.choice((call_accounts, call_tokens))(stores, rng))
        except DetailedError as error:
            answers.append((type(error), str(error), error.details))
    await stores.close()
    return answers


@pytest.mark.parametrize("seed", range(8))
def test_the_same_calls_have_the_same_results_in_both_databases(postgres_node_url: str, seed: int) -> None:
    expected = asyncio.run(run_random_calls(in_sqlite(in_memory()), seed))
    assert asyncio.run(run_random_calls(in_postgres(postgres_node_url), seed)) == expected
    assert len({str(answer) for answer in expected}) > STEPS // 6
