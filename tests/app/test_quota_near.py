"""A holder's bots hear when a quota is nearly used up: once each time that it comes near."""

from referee.app.accounts import Bot, NamesAtMost
from referee.app.bot_log import Noticed
from referee.app.notices import Notices
from referee.app.quota_near import QuotaNear
from referee.app.scribe import Scribe
from referee.app.sessions import Session
from referee.storage.accounts_memory import MemoryAccounts, MemoryTokens
from referee.storage.bot_log_memory import MemoryBotLog
from tests.app.hall import BOTS, Hall, told
from tests.app.scene import in_loop
from tests.storage.books import bot_token

CALLS = "calls_per_minute"


async def scene(*owners: str) -> tuple[QuotaNear, list[Session], Scribe]:
    """Bots of these owners, all but the last of which are here."""
    hall, accounts, scribe = Hall(), MemoryAccounts(MemoryTokens()), Scribe(MemoryBotLog(100))
    for player, owner in zip(BOTS, owners, strict=False):
        await accounts.register(player.bot, Bot(player.bot, owner, 0), bot_token(player.bot), NamesAtMost(9, 9))
    sessions_of = hall.referee.sessions.of_bot
    near = QuotaNear(accounts, Notices(scribe, sessions_of, hall.time), sessions_of)
    return near, hall.come(*BOTS[: len(owners) - 1]), scribe


def noticed(session: Session) -> list[dict[str, str]]:
    return [dict(item.details) for item in told(session) if isinstance(item, Noticed)]


@in_loop
async def test_all_bots_of_the_holder_that_are_here_are_told_and_no_others() -> None:
    near, (one, another, stranger), scribe = await scene("ada", "ada", "bob", "ada")
    await near.used("ada", CALLS, 79, 100)
    assert noticed(one) == []
    await near.used("ada", CALLS, 80, 100)
    told_now = [{"quota": CALLS, "used": "80", "limit": "100"}]
    assert (noticed(one), noticed(another), noticed(stranger)) == (told_now, told_now, [])
    kept = [line.note.what for line in await scribe.read(BOTS[0].bot)]
    assert [what.about for what in kept if isinstance(what, Noticed)] == ["quota_near"]
    assert await scribe.read(BOTS[3].bot) == []


@in_loop
async def test_it_is_told_again_only_when_half_of_it_was_free_in_between() -> None:
    near, (one,), _ = await scene("ada", "ada")
    for used, heard in ((80, 1), (90, 0), (60, 0), (80, 0), (50, 0), (70, 0), (81, 1)):
        await near.used("ada", CALLS, used, 100)
        assert len(noticed(one)) == heard, used
    await near.used("ada", "streams_at_most", 4, 5)
    assert len(noticed(one)) == 1, "another quota"
