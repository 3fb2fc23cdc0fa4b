"""A holder's bots are notified once each time that a quota is nearly used up."""

from referee.accounts.bot_log import NoticeNote
from referee.accounts.bots import Bot, MaxNames
from referee.live.bot_notices import BotLogRecorder, BotNotifier, QuotaNotifier
from referee.live.sessions import Session
from referee.storage.memory import MemoryAccounts, MemoryBotLog, MemoryTokens
from tests.live.referee_harness import BOTS, Hall, told
from tests.live.runner_harness import in_loop
from tests.storage.account_stores import bot_token

CALLS = "calls_per_minute"


async def scene(*owners: str) -> tuple[QuotaNotifier, list[Session], BotLogRecorder]:
    """Register bots with these owners; all but the last are online."""
    hall, accounts, scribe = Hall(), MemoryAccounts(MemoryTokens()), BotLogRecorder(MemoryBotLog(100))
    for player, owner in zip(BOTS, owners, strict=False):
        await accounts.register(player.bot, Bot(player.bot, owner, 0), bot_token(player.bot), MaxNames(9, 9))
    sessions_of = hall.referee.sessions.of_bot
    near = QuotaNotifier(accounts, BotNotifier(scribe, sessions_of, hall.time), sessions_of)
    return near, hall.come(*BOTS[: len(owners) - 1]), scribe


def noticed(session: Session) -> list[dict[str, str]]:
    return [dict(item.details) for item in told(session) if isinstance(item, NoticeNote)]


@in_loop
async def test_all_bots_of_the_holder_that_are_here_are_told_and_no_others() -> None:
    near, (one, another, stranger), scribe = await scene("ada", "ada", "bob", "ada")
    await near.check_usage("ada", CALLS, 79, 100)
    assert noticed(one) == []
    await near.check_usage("ada", CALLS, 80, 100)
    told_now = [{"quota": CALLS, "used": "80", "limit": "100"}]
    assert (noticed(one), noticed(another), noticed(stranger)) == (told_now, told_now, [])
    kept = [line.note.what for line in await scribe.read(BOTS[0].bot)]
    assert [what.about for what in kept if isinstance(what, NoticeNote)] == ["quota_near"]
    assert await scribe.read(BOTS[3].bot) == []


@in_loop
async def test_it_is_told_again_only_when_half_of_it_was_free_in_between() -> None:
    near, (one,), _ = await scene("ada", "ada")
    for used, heard in ((80, 1), (90, 0), (60, 0), (80, 0), (50, 0), (70, 0), (81, 1)):
        await near.check_usage("ada", CALLS, used, 100)
        assert len(noticed(one)) == heard, used
    await near.check_usage("ada", "streams_at_most", 4, 5)
    assert len(noticed(one)) == 1, "another quota"
