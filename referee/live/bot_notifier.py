"""Notices for the author of a bot: sent to its open sessions and recorded in its private log."""

from collections.abc import Callable, Sequence

from referee.accounts.bot_log import Note, NoticeNote
from referee.accounts.bots import Accounts, Bot, BotPause
from referee.live.bot_log_recorder import BotLogRecorder
from referee.live.ports import Time
from referee.live.sessions import Session
from referee.match.result import Fault


class BotNotifier:
    def __init__(self, recorder: BotLogRecorder, sessions_of: Callable[[str], Sequence[Session]], time: Time) -> None:
        """`sessions_of` returns the open sessions of a bot."""
        self._recorder = recorder
        self._sessions_of = sessions_of
        self._time = time

    def paused(self, bot: Bot, pause: BotPause) -> None:
        details = (("cause", pause.cause.value), ("faults", str(bot.faults)))
        self._notify(bot, NoticeNote("paused", pause.message, details))

    def returned(self, bot: Bot) -> None:
        self._notify(bot, NoticeNote("returned", f"{bot.name} is no longer paused"))

    def fault_counted(self, bot: Bot, fault: Fault, match_id: str, left: int) -> None:
        """Notify of a counted fault; `left` more in a row pause the bot."""
        message = f"a fault was counted in match {match_id}: {fault.value}; {left} more in a row pause {bot.name}"
        details = (("fault", fault.value), ("match_id", match_id), ("left", str(left)))
        self._notify(bot, NoticeNote("fault_counted", message, details))

    def quota_near(self, bot: Bot, quota: str, used: int, limit: int) -> None:
        """Notify that most of a quota of the owner is used."""
        message = f"{used} of {limit} are used of the quota {quota} of {bot.owner}; what goes beyond it is refused"
        details = (("quota", quota), ("used", str(used)), ("limit", str(limit)))
        self._notify(bot, NoticeNote("quota_near", message, details))

    def _notify(self, bot: Bot, noticed: NoticeNote) -> None:
        for session in self._sessions_of(bot.name):
            session.outbox.put(("notice", noticed.about), noticed)
        self._recorder.record(bot.name, Note(self._time.wall_ms(), bot.latest_version, noticed))


class QuotaNotifier:
    """Notifies the bots of a holder when 80 % of a quota is used, and again only after usage was down to half."""

    def __init__(
        self, accounts: Accounts, notifier: BotNotifier, sessions_of: Callable[[str], Sequence[Session]]
    ) -> None:
        """`sessions_of` returns the open sessions of a bot."""
        self._accounts = accounts
        self._notifier = notifier
        self._sessions_of = sessions_of
        self._warned: set[tuple[str, str]] = set()
        """Holders, each with a quota that was nearly used up at the last check."""

    async def check_usage(self, holder: str, quota: str, used: int, limit: int) -> None:
        """Notify the holder's online bots if the quota is nearly used up. Raises LogUnavailable."""
        which = (holder, quota)
        if 2 * used <= limit:
            self._warned.discard(which)
        elif 5 * used >= 4 * limit and which not in self._warned:
            self._warned.add(which)
            for bot in await self._accounts.bots(owner=holder):
                if self._sessions_of(bot.name):
                    self._notifier.quota_near(bot, quota, used, limit)
