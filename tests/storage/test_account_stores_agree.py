"""The stores in memory and in SQLite return the same results for the same calls."""

import asyncio
from pathlib import Path
from random import Random

import pytest

from engines.refusals import Refusal
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
from tests.storage.account_stores import NOON_MS, AccountStores, in_memory, in_sqlite

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


def token_by_lot(lot: Random, role: Role, holder: str, bot: str = "") -> Token:
    now = NOON_MS + lot.randrange(10)
    return Token(sha256_of(str(lot.random())), role, holder, now, bot, expires_ms=lot.choice((None, now + 5)))


async def about_bots(stores: AccountStores, lot: Random) -> object:
    name, other, holder, page = lot.choice(NAMES), lot.choice(NAMES), lot.choice(HOLDERS), lot.choice((None, 0, 1, 3))
    match lot.randrange(5):
        case 0:
            token, limits = token_by_lot(lot, Role.BOT, holder, name), MaxNames(lot.randrange(4), lot.randrange(6))
            return await stores.accounts.register(other, Bot(name, holder, NOON_MS), token, limits)
        case 1:
            return await stores.accounts.change_bot(name, lot.choice(CHANGES))
        case 2:
            return await stores.accounts.add_version(Version(name, lot.choice("abcd"), lot.randrange(99)), 3)
        case 3:
            return await stores.accounts.versions(name, lot.choice(("", "a", "b")), page)
        case _:
            return await stores.accounts.bots(lot.choice(("", holder)), lot.choice(("", other)), page)


async def about_tokens(stores: AccountStores, lot: Random) -> object:
    name, holder, page = lot.choice(NAMES), lot.choice(HOLDERS), lot.choice((None, 0, 1, 3))
    ids = ["", "tk_0", *(token.id for token in await stores.tokens.tokens())]
    match lot.randrange(3):
        case 0:
            await stores.tokens.add_token(token_by_lot(lot, Role.ORGANISER, holder), lot.randrange(9))
            return await stores.tokens.tokens()
        case 1:
            return await stores.tokens.change_token(lot.choice(ids), revoked)
        case _:
            wanted = TokenFilter(lot.choice(("", holder)), lot.choice(("", name)), lot.choice((None, NOON_MS + 7)))
            return await stores.tokens.tokens(wanted, lot.choice(ids), page)


async def told(stores: AccountStores, seed: int) -> list[object]:
    """Run random calls, and return their results; equal results lead to equal calls."""
    lot, answers = Random(seed), list[object]()
    for _ in range(STEPS):
        try:
            answers.append(await lot.choice((about_bots, about_tokens))(stores, lot))
        except Refusal as refusal:
            answers.append((type(refusal), str(refusal), refusal.details))
    await stores.close()
    return answers


@pytest.mark.parametrize("seed", range(8))
def test_the_same_story_has_the_same_answers(tmp_path: Path, seed: int) -> None:
    by_memory = asyncio.run(told(in_memory(), seed))
    assert asyncio.run(told(in_sqlite(tmp_path / "referee.db"), seed)) == by_memory
    assert len({str(answer) for answer in by_memory}) > STEPS // 6
