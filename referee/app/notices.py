"""Notices: what a bot's author should know. The bot is told if it is there; its private log keeps it."""

from collections.abc import Callable, Sequence

from referee.app.accounts import Bot, Pause
from referee.app.bot_log import Note, Noticed
from referee.app.ports import Time
from referee.app.scribe import Scribe
from referee.app.sessions import Session
from referee.core.result import Fault


class Notices:
    def __init__(self, scribe: Scribe, sessions_of: Callable[[str], Sequence[Session]], time: Time) -> None:
        """`sessions_of` gives the open sessions of a bot."""
        self._scribe = scribe
        self._sessions_of = sessions_of
        self._time = time

    def paused(self, bot: Bot, pause: Pause) -> None:
        details = (("cause", pause.cause.value), ("faults", str(bot.faults)))
        self._tell(bot, Noticed("paused", pause.message, details))

    def returned(self, bot: Bot) -> None:
        self._tell(bot, Noticed("returned", f"{bot.name} is no longer paused"))

    def fault_counted(self, bot: Bot, fault: Fault, match_id: str, left: int) -> None:
        """`left`: so many more in a row and it is paused."""
        message = f"a fault was counted in match {match_id}: {fault.value}; {left} more in a row pause {bot.name}"
        details = (("fault", fault.value), ("match_id", match_id), ("left", str(left)))
        self._tell(bot, Noticed("fault_counted", message, details))

    def quota_near(self, bot: Bot, quota: str, used: int, limit: int) -> None:
        """Of its holder's, all bots and tokens together."""
        message = f"{used} of {limit} are used of the quota {quota} of {bot.owner}; what goes beyond it is refused"
        details = (("quota", quota), ("used", str(used)), ("limit", str(limit)))
        self._tell(bot, Noticed("quota_near", message, details))

    def _tell(self, bot: Bot, noticed: Noticed) -> None:
        for session in self._sessions_of(bot.name):
            session.outbox.put(("notice", noticed.about), noticed)
        self._scribe.note(bot.name, Note(self._time.wall_ms(), bot.latest_version, noticed))
