"""Bots, tokens, quotas and names: which values are rejected, and what follows from each change."""

import hashlib
import re

import pytest
from msgspec.structs import replace

from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField, BadName, BotNotPaused, BotPaused
from referee.accounts.bots import (
    Bot,
    BotPause,
    PauseCause,
    Version,
    paused,
    resumed,
    returned,
    with_fault,
    without_faults,
)
from referee.accounts.tokens import Quota, Role, Token, mint_secret, revoked, sha256_of, used

NOON_MS = 1_750_000_000_000
BOT = Bot("ada", "ann", NOON_MS)
BROKEN = BotPause(PauseCause.FAULTS, "five faults in a row", NOON_MS)
BANNED = BotPause(PauseCause.ADMIN, "rude", NOON_MS)
TOKEN = Token(sha256_of("s"), Role.ORGANISER, "ann", NOON_MS, expires_ms=NOON_MS + 10)


@pytest.mark.parametrize("name", ["a", "ada", "a1-", "x" * 40])
def test_valid_bot_names_are_accepted(name: str) -> None:
    assert Bot(name, "ann", NOON_MS).name == name


@pytest.mark.parametrize("name", ["", "1ada", "-a", "Ada", "a_b", "a b", "a.b", "a/b", "é", "a\n", "٣", "x" * 41])
def test_an_invalid_bot_name_is_rejected_with_the_rule(name: str) -> None:
    with pytest.raises(BadName) as refused:
        Bot(name, "ann", NOON_MS)
    assert refused.value.details["name"] == name
    assert "1 to 40 lower-case letters" in refused.value.details["wrong"]


@pytest.mark.parametrize(
    ("field", "wrong", "make"),
    [
        ("owner", "it has 0 characters, but must have 1 to 64", lambda: replace(BOT, owner="")),
        ("owner", "it has 65 characters, but must have 1 to 64", lambda: replace(BOT, owner="x" * 65)),
        ("owner", "it must not contain unprintable characters", lambda: replace(BOT, owner="an\nn")),
        (
            "description",
            "it has 1001 characters, but must have 0 to 1000",
            lambda: replace(BOT, description="x" * 1001),
        ),
        ("description", "it must not contain unprintable characters", lambda: replace(BOT, description="\x1b[31m")),
        ("message", "it has 0 characters, but must have 1 to 1000", lambda: replace(BROKEN, message="")),
        ("version", "it has 0 characters, but must have 1 to 64", lambda: Version("ada", "", NOON_MS)),
        ("version", "it has 65 characters, but must have 1 to 64", lambda: Version("ada", "1" * 65, NOON_MS)),
        ("note", "it has 1001 characters, but must have 0 to 1000", lambda: Version("ada", "1", NOON_MS, "x" * 1001)),
        ("holder", "it has 0 characters, but must have 1 to 64", lambda: replace(TOKEN, holder="")),
        ("label", "it has 201 characters, but must have 0 to 200", lambda: replace(TOKEN, label="x" * 201)),
        ("bot", "only a token of role bot belongs to a bot", lambda: replace(TOKEN, bot="ada")),
        ("expire_time", "it must be in the future", lambda: replace(TOKEN, expires_ms=NOON_MS)),
        ("max_bots", "it must not be negative", lambda: Quota(max_bots=-1)),
    ],
)
def test_an_invalid_value_is_rejected_with_its_field(field: str, wrong: str, make: object) -> None:
    assert callable(make)
    with pytest.raises(BadField) as refused:
        make()
    assert refused.value.details == {"field": field, "wrong": wrong}


def test_a_description_may_have_several_lines_in_any_script() -> None:
    assert replace(BOT, description="Spielt Trox.\nJoue au trox. ♟ 棋").description.count("\n") == 1


def test_a_token_of_role_bot_names_its_bot() -> None:
    with pytest.raises(BadName):
        Token(sha256_of("s"), Role.BOT, "ann", NOON_MS)
    assert Token(sha256_of("s"), Role.BOT, "ann", NOON_MS, "ada").bot == "ada"


# Pauses


def test_the_owner_of_a_bot_can_resume_it_after_an_automatic_pause() -> None:
    assert returned(paused(BOT, BROKEN)) == BOT


def test_consecutive_faults_pause_a_bot_and_are_reset_when_it_is_resumed() -> None:
    bot = BOT
    for faults in (1, 2):
        bot = with_fault(bot, 3, "three", NOON_MS)
        assert (bot.faults, bot.pause) == (faults, None)
    assert without_faults(bot) == BOT
    broken = with_fault(bot, 3, "three", NOON_MS)
    assert (broken.faults, broken.pause) == (3, BotPause(PauseCause.FAULTS, "three", NOON_MS))
    assert with_fault(broken, 3, "four", NOON_MS + 1) == replace(broken, faults=4)
    assert returned(broken) == BOT
    # The limit is below the number of faults that the bot already has.
    assert with_fault(bot, 2, "two", NOON_MS).pause == BotPause(PauseCause.FAULTS, "two", NOON_MS)


def test_only_an_administrator_can_end_a_pause_by_an_administrator() -> None:
    banned = paused(BOT, BANNED)
    with pytest.raises(BotPaused) as refused:
        returned(banned)
    assert refused.value.details == {"bot": "ada", "cause": "admin"}
    assert "an administrator" in str(refused.value)
    assert "`referee bot return ada`" in str(BotPaused("ada", "faults"))
    assert resumed(banned) == BOT


def test_a_bot_that_is_not_paused_cannot_be_resumed() -> None:
    for resume in (returned, resumed):
        with pytest.raises(BotNotPaused):
            resume(BOT)


def test_faults_do_not_replace_a_pause_by_an_administrator() -> None:
    assert paused(paused(BOT, BANNED), BROKEN).pause == BANNED
    assert paused(paused(BOT, BROKEN), BANNED).pause == BANNED
    again = replace(BROKEN, since_ms=NOON_MS + 1)
    assert paused(paused(BOT, BROKEN), again).pause == again


# Tokens


def test_a_secret_is_determined_by_the_given_bytes() -> None:
    minted = mint_secret(bytes(range(32)))
    assert minted == mint_secret(bytes(range(32))) != mint_secret(bytes(32))
    assert re.fullmatch("rf_[a-z2-7]{52}", minted.secret)
    assert minted.sha256 == hashlib.sha256(minted.secret.encode()).digest() == sha256_of(minted.secret)


def test_a_printed_token_does_not_contain_its_secret() -> None:
    minted = mint_secret(bytes(32))
    assert minted.secret not in f"{minted} {minted!r}"


def test_a_secret_needs_32_bytes() -> None:
    with pytest.raises(AssertionError):
        mint_secret(bytes(31))


def test_any_text_can_be_hashed() -> None:
    assert len(sha256_of("\ud800")) == 32


def test_the_id_of_a_token_follows_from_its_hash() -> None:
    assert TOKEN.id == "tk_" + hashlib.sha256(b"s").hexdigest()[:16]


def test_a_token_is_valid_until_it_expires_or_is_revoked() -> None:
    assert TOKEN.is_valid_at(NOON_MS + 9)
    assert not TOKEN.is_valid_at(NOON_MS + 10)
    assert replace(TOKEN, expires_ms=None).is_valid_at(NOON_MS * 2)
    assert not revoked(TOKEN).is_valid_at(NOON_MS)


def test_the_last_use_of_a_token_is_stored_by_the_minute() -> None:
    assert used(TOKEN, 120_001).used_ms == used(TOKEN, 179_999).used_ms == 120_000


def test_missing_limits_of_a_holder_have_the_default_values() -> None:
    default = Quota(1, 2, 3, 4, 5)
    assert Quota(max_streams=9).filled(default) == Quota(1, 9, 3, 4, 5)


def test_an_error_message_does_not_repeat_long_input() -> None:
    with pytest.raises(DetailedError) as refused:
        Bot("x" * 100_000, "ann", NOON_MS)
    assert len(str(refused.value)) < 300
