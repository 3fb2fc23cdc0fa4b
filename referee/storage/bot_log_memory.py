"""The private logs of all bots in memory, for one event loop."""

from collections import defaultdict, deque
from collections.abc import Sequence
from itertools import islice

from referee.app.bot_log import EVERY_LINE, Line, Note, WantedLines


class MemoryBotLog:
    """A BotLog that keeps `lines_at_most` for each bot."""

    def __init__(self, lines_at_most: int) -> None:
        assert lines_at_most >= 1
        self._logs: defaultdict[str, deque[Line]] = defaultdict(lambda: deque(maxlen=lines_at_most))

    async def append(self, bot: str, notes: Sequence[Note]) -> None:
        log = self._logs[bot]
        last = log[-1].number if log else 0
        log.extend(Line(number, note) for number, note in enumerate(notes, last + 1))

    async def read(
        self, bot: str, wanted: WantedLines = EVERY_LINE, after: int = 0, at_most: int | None = None
    ) -> list[Line]:
        lines = self._logs.get(bot, ())
        return list(islice((line for line in lines if line.number > after and _is(line.note, wanted)), at_most))


def _is(note: Note, wanted: WantedLines) -> bool:
    return wanted.version in ("", note.version) and wanted.match_id in ("", note.match_id)
