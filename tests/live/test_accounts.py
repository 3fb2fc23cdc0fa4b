"""Values of accounts: which bots, tokens, quotas, consents and invitations are rejected, and what each change does."""

import hashlib
import re
from typing import Any

import pytest
from msgspec.structs import replace

from engines.alquerque import GAME
from engines.game_errors import DetailedError
from referee.accounts.account_errors import BadField, BadName, BotNotPaused, BotPaused, ConsentMissing
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
from referee.accounts.consent import (
    DEFAULT_CONSENT,
    Consent,
    ConsentScope,
    MatchOffer,
    check_match_count,
    check_offer,
    least_move_us,
)
from referee.accounts.invitations import MAX_USES, Invitation
from referee.accounts.tokens import Quota, Role, Token, mint_secret, revoked, sha256_of, used
from referee.match import clock
from referee.match.clock import MS, SECOND, SuddenDeath, TimeControl, Untimed
from referee.match.match_terms import MatchTerms
from tests.match.setups import time_control

NOON_MS = 1_750_000_000_000
BOT = Bot("ada", "ann", NOON_MS)
BROKEN = BotPause(PauseCause.FAULTS, "five faults in a row", NOON_MS)
BANNED = BotPause(PauseCause.ADMIN, "rude", NOON_MS)
TOKEN = Token(sha256_of("s"), Role.ORGANISER, "ann", NOON_MS, expires_ms=NOON_MS + 10)
INVITATION = Invitation(sha256_of("code"), "ann", 1_000, 2_000, 2, "cup")


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
        ("consent.games", "it has 0 characters, but must have 1 to 64", lambda: replace(DEFAULT_CONSENT, games=("",))),
        (
            "consent.games",
            "it has 65 characters, but must have 1 to 64",
            lambda: replace(DEFAULT_CONSENT, games=("x" * 65,)),
        ),
        ("consent.games", "the limit is 32 games", lambda: replace(DEFAULT_CONSENT, games=("toc",) * 33)),
        (
            "consent.min_first_move_ms",
            "it must be 0 to 4294967295",
            lambda: replace(DEFAULT_CONSENT, min_first_move_ms=-1),
        ),
        ("consent.min_move_ms", "it must be 0 to 4294967295", lambda: replace(DEFAULT_CONSENT, min_move_ms=2**32)),
        (
            "consent.max_matches_per_maker",
            "it must be 1 to 1000",
            lambda: replace(DEFAULT_CONSENT, max_matches_per_maker=0),
        ),
        (
            "consent.max_matches_per_maker",
            "it must be 1 to 1000",
            lambda: replace(DEFAULT_CONSENT, max_matches_per_maker=1_001),
        ),
        ("label", "it has 201 characters, but must have 0 to 200", lambda: replace(INVITATION, label="x" * 201)),
        ("label", "it must not contain unprintable characters", lambda: replace(INVITATION, label="a\nb")),
        ("max_uses", "it must be from 1 to 1000", lambda: replace(INVITATION, max_uses=0)),
        ("max_uses", "it must be from 1 to 1000", lambda: replace(INVITATION, max_uses=MAX_USES + 1)),
        ("expire_time", "it must be in the future", lambda: replace(INVITATION, expires_ms=1_000)),
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


ANYONE = Consent(ConsentScope.ANYONE)
ANY_CLOCK = replace(ANYONE, min_first_move_ms=0)
MINUTE = 60 * SECOND

CLOCKS: list[tuple[TimeControl, int, int]] = [
    (SuddenDeath(MINUTE), 60_000, 0),
    (clock.Hourglass(MINUTE), 60_000, 0),
    (clock.Fischer(MINUTE, 2 * SECOND), 60_000, 2_000),
    (clock.Bronstein(MINUTE, 2 * SECOND), 60_000, 2_000),
    (clock.Bronstein(SECOND, 2 * SECOND), 1_000, 1_000),
    (clock.UsDelay(MINUTE, 2 * SECOND), 62_000, 2_000),
    (clock.PerMove(3 * SECOND), 3_000, 3_000),
    (clock.Bank(MINUTE, SECOND), 61_000, 1_000),
    (clock.Correspondence(MINUTE, 2 * MINUTE), 60_000, 60_000),
    (clock.JapaneseByoYomi(MINUTE, SECOND, 3), 63_000, 1_000),
    (clock.CanadianByoYomi(MINUTE, SECOND, 1), 61_000, 1_000),
    (clock.CanadianByoYomi(MINUTE, SECOND, 5), 61_000, 0),
    (clock.MovesPerPeriod((clock.Period(10, MINUTE, 2 * SECOND), clock.Period(0, MINUTE, SECOND))), 60_000, 1_000),
]
"""Clocks, each with the time for the first move and the least time of every later one in milliseconds."""


def terms(*controls: TimeControl) -> MatchTerms:
    return MatchTerms("alquerque", GAME.settings({}), time_control(controls))


def unmet(consent: Consent, offer: MatchOffer) -> str:
    """Return the condition that is not met; empty: the bot takes the match."""
    try:
        check_offer("ada", consent, offer)
    except ConsentMissing as error:
        return error.details["condition"]
    return ""


def test_the_error_names_the_bot_and_says_why_in_one_sentence() -> None:
    with pytest.raises(ConsentMissing, match=r"^the consent of ada is missing: it takes only matches") as error:
        check_offer("ada", Consent(ConsentScope.OWN), MatchOffer(()))
    assert error.value.details["bot"] == "ada"


@pytest.mark.parametrize(
    ("scope", "by_bot", "condition"),
    [
        (ConsentScope.OWN, True, "scope"),
        (ConsentScope.OWN, False, "scope"),
        (ConsentScope.OWN_AND_CONTESTS, True, ""),
        (ConsentScope.OWN_AND_CONTESTS, False, "scope"),
        (ConsentScope.ANYONE, True, ""),
        (ConsentScope.ANYONE, False, ""),
    ],
)
def test_the_scope_says_who_may_seat_the_bot(scope: ConsentScope, by_bot: bool, condition: str) -> None:
    assert unmet(Consent(scope), MatchOffer((terms(SuddenDeath(MINUTE)),), by_bot=by_bot)) == condition


@pytest.mark.parametrize(("control", "first_ms", "every_ms"), CLOCKS, ids=str)
def test_every_clock_is_compared_by_its_first_and_by_its_shortest_move(
    control: TimeControl, first_ms: int, every_ms: int
) -> None:
    offer = MatchOffer((terms(control),))
    assert least_move_us(control) == every_ms * 1_000
    exact = replace(ANYONE, min_first_move_ms=first_ms, min_move_ms=every_ms)
    assert unmet(exact, offer) == ""
    assert unmet(replace(exact, min_first_move_ms=first_ms + 1), offer) == "min_first_move_ms"
    assert unmet(replace(exact, min_move_ms=every_ms + 1), offer) == "min_move_ms"


def test_a_match_without_a_clock_needs_a_bot_that_takes_any_clock() -> None:
    untimed = MatchOffer((terms(Untimed()),))
    assert unmet(ANYONE, untimed) == "min_first_move_ms"
    assert unmet(replace(ANY_CLOCK, min_move_ms=1), untimed) == "min_first_move_ms"
    assert unmet(ANY_CLOCK, untimed) == ""


def test_one_second_is_the_default_for_the_first_move() -> None:
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(SECOND)),))) == ""
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(SECOND - MS)),))) == "min_first_move_ms"


def test_every_seat_and_all_terms_of_a_contest_are_compared() -> None:
    odds = replace(ANYONE, accept_odds=True)
    assert unmet(odds, MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(MS)),))) == "min_first_move_ms"
    assert unmet(ANYONE, MatchOffer((terms(SuddenDeath(MINUTE)), terms(SuddenDeath(MS))))) == "min_first_move_ms"


def test_a_bot_can_be_restricted_to_games() -> None:
    offer = MatchOffer((terms(SuddenDeath(MINUTE)),))
    assert unmet(replace(ANYONE, games=("toc", "alquerque")), offer) == ""
    assert unmet(replace(ANYONE, games=("toc",)), offer) == "games"


def test_odds_are_different_clocks_and_a_given_start() -> None:
    clocks = MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(2 * MINUTE)),))
    start = MatchOffer((terms(SuddenDeath(MINUTE)),), start_given=True)
    even = MatchOffer((terms(SuddenDeath(MINUTE), SuddenDeath(MINUTE)),))
    assert [unmet(ANYONE, offer) for offer in (clocks, start, even)] == ["accept_odds", "accept_odds", ""]
    odds = replace(ANYONE, accept_odds=True)
    assert [unmet(odds, offer) for offer in (clocks, start, even)] == ["", "", ""]


def test_a_maker_may_have_a_limited_number_of_matches_of_the_bot() -> None:
    check_match_count("ada", DEFAULT_CONSENT, 1)
    with pytest.raises(ConsentMissing, match="at most 2 matches"):
        check_match_count("ada", DEFAULT_CONSENT, 2)


def test_the_id_does_not_contain_the_code() -> None:
    assert INVITATION.id == f"in_{sha256_of('code').hex()[:16]}"


@pytest.mark.parametrize(
    ("changes", "now_ms", "end"),
    [
        ({}, 1_999, ""),
        ({}, 2_000, "expired"),
        ({"uses": 1}, 1_999, ""),
        ({"uses": 2}, 1_999, "used_up"),
        ({"uses": 2, "revoked": True}, 2_000, "revoked"),
    ],
)
def test_an_invitation_ends_when_it_is_revoked_expired_or_used_up(
    changes: dict[str, Any], now_ms: int, end: str
) -> None:
    assert replace(INVITATION, **changes).end_at(now_ms) == end


def test_a_code_has_a_prefix_of_its_own() -> None:
    assert mint_secret(bytes(32), "rf_invite_").secret.startswith("rf_invite_a")
