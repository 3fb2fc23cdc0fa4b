"""All matches there ever were: those at the boards as they stand, those that are over as their logs tell them.

Which matches there are is asked of the log, newest first, and not kept in memory: that would be a second
truth, and grow without end. A list of matches is made from their summaries, and follows no log.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engines.api import Game
from engines.refusals import Refusal
from referee.app.answers import EngineFault
from referee.app.asked import UnknownMatch
from referee.app.boards import Boards
from referee.app.faults import LogDamaged, missing
from referee.app.ports import Entry, EventLog
from referee.app.story import Standing, Story, Unplayable, ended_as_unplayable, read_summary, retold
from referee.app.wish import MatchFilter
from referee.core.events import PlayEnded

STORIES_KEPT = 128
"""Of matches that are over: some ten KB each, and the last steps of those that somebody watched."""
SUMMARIES_AT_ONCE = 50
"""Summaries that one read of the log returns; between two reads the event loop serves other tasks."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Matches that were found."""

    standings: list[Standing]
    stopped_at: str = ""
    """See `ports.Summaries`."""


class Archive:
    def __init__(
        self,
        log: EventLog,
        find_game: Callable[[str], Game],
        boards: Boards,
        broke: Callable[[str, Exception], None],
    ) -> None:
        """`broke` hears of each match that had its end, and whose log cannot be followed any more."""
        self._log = log
        self._find_game = find_game
        self._boards = boards
        self._broke = broke
        self._told: OrderedDict[str, Story | Refusal] = OrderedDict()
        """Of matches that are over: those that ended or were asked for last, or why the log cannot be followed.

        And why a log cannot be read, be its match over or not: nobody runs it.
        """

    async def story(self, match_id: str) -> Story:
        """Raises UnknownMatch, LogUnavailable, or EngineFault or LogDamaged if its log cannot be followed any more."""
        board = self._boards.find(match_id)
        if board:
            return board.story
        if match_id in self._told:
            self._told.move_to_end(match_id)
            story = self._told[match_id]
        else:
            story = await self._retold(match_id)
        if isinstance(story, Refusal):
            raise story
        return story

    def keep(self, story: Story) -> None:
        """Its match is over and leaves its board. It will be asked for soon: to tell its bots, and who watches."""
        self._keep(story.match.setup.match_id, story)

    async def standings(self, wanted: MatchFilter, after: str, at_most: int) -> Listed:
        """Matches, the newest first, from the first older than the match `after`. Raises LogUnavailable.

        Matches whose summary cannot be read, or whose game is unknown, are left out.
        """
        found: list[Standing] = []
        for left in range(at_most, 0, -SUMMARIES_AT_ONCE):
            asked = min(left, SUMMARIES_AT_ONCE)
            part = await self._log.summaries(wanted, after, asked)
            found += [standing for summary in part.found if (standing := self._standing(summary))]
            after = part.stopped_at
            if len(part.found) < asked:
                break
        return Listed(found, after)

    def _standing(self, summary: Sequence[Entry]) -> Standing | None:
        try:
            return read_summary(summary, self._find_game)
        except Exception:  # The match is left out here. A caller who asks for it by its id is told the reason.
            return None

    async def _retold(self, match_id: str) -> Story | Refusal:
        """Or why its log cannot be followed any more."""
        try:
            entries = await self._log.read(match_id)
        except LogDamaged as why:
            self._broke(match_id, why)
            self._keep(match_id, why)
            return why
        if not entries:
            raise UnknownMatch(match_id)
        story: Story | Refusal
        try:
            story = await retold(entries, self._find_game)
        except Unplayable as why:
            lacks = missing(entries)
            story = LogDamaged(match_id, lacks) if lacks else EngineFault(match_id)
            if not ended_as_unplayable(entries):  # Who declared it void has told already.
                self._broke(match_id, why)
        if isinstance(entries[-1].event, PlayEnded):
            self._keep(match_id, story)
        return story

    def _keep(self, match_id: str, story: Story | Refusal) -> None:
        self._told[match_id] = story
        if len(self._told) > STORIES_KEPT:
            self._told.popitem(last=False)
