"""All matches there ever were: those at the boards as they stand, those that are over as their logs tell them.

Which matches there are is asked of the log, newest first, and not kept in memory: that would be a second
truth, and grow without end. What is asked most often, the matches in play, is at the boards anyway.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from engines.api import Game
from engines.refusals import Refusal
from referee.app.answers import EngineFault
from referee.app.asked import UnknownMatch
from referee.app.boards import Boards
from referee.app.faults import LogDamaged, missing
from referee.app.ports import Entry, EventLog
from referee.app.story import Standing, Story, Unplayable, ended_as_unplayable, retold
from referee.app.wish import MatchFilter
from referee.core.events import Event, Opened, PlayEnded
from referee.core.match import Phase

STORIES_KEPT = 128
"""Of matches that are over: some ten KB each, and the last steps of those that somebody watched."""
OPENINGS_AT_ONCE = 200
MAX_SCANNED = 2_000
"""First entries that one question about matches reads, whatever it asks for."""
MAX_RETOLD = 200
"""Whole logs that it reads, of matches that are over. The next page goes on where it stopped."""
IN_PLAY = frozenset({Phase.WAITING, Phase.PLAYING})


@dataclass(frozen=True, slots=True)
class Listed:
    """Matches that were found."""

    standings: list[Standing]
    stopped_at: str = ""
    """The match at which the search stopped, for it had read enough; older ones may be wanted. Empty: it is done."""


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

        However few are found, no more than MAX_SCANNED openings are read for it, and MAX_RETOLD whole logs.
        """
        found: list[Standing] = []
        scanned = retold = 0
        last = after
        async for opening in self._openings(after):
            if len(found) == at_most or self._are_all_older_unwanted(opening, wanted):
                break
            if scanned == MAX_SCANNED or retold == MAX_RETOLD:
                return Listed(found, last)
            scanned, last = scanned + 1, opening.match_id
            if not self._is_candidate(opening, wanted):
                continue
            retold += self._boards.find(last) is None and last not in self._told
            try:
                standing = (await self.story(last)).standing
            except (EngineFault, LogDamaged):
                continue  # It has no standing that could be shown.
            if _is_wanted(standing, wanted):
                found.append(standing)
        return Listed(found)

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

    def _are_all_older_unwanted(self, opening: Entry, wanted: MatchFilter) -> bool:
        """Is neither this match wanted, nor any that was made before it?"""
        in_play_only = wanted.phase in IN_PLAY
        return opening.at_ms < wanted.since_ms or (in_play_only and self._boards.begin_after(opening.at_ms))

    def _is_candidate(self, opening: Entry, wanted: MatchFilter) -> bool:
        """May it be wanted, by what is known of it from its first entry?"""
        live = self._boards.find(opening.match_id) is not None
        return (wanted.phase is None or live is (wanted.phase in IN_PLAY)) and _may_be_wanted(opening.event, wanted)

    async def _openings(self, after: str) -> AsyncIterator[Entry]:
        while openings := await self._log.openings(after, OPENINGS_AT_ONCE):
            for opening in openings:
                yield opening
            after = openings[-1].match_id


def _may_be_wanted(event: Event, wanted: MatchFilter) -> bool:
    if not isinstance(event, Opened):
        return False
    setup = event.setup
    bots = [player.bot for player in setup.players]
    return (
        wanted.game in ("", setup.game)
        and (not wanted.bot or wanted.bot in bots or "" in bots)
        and set(wanted.labels) <= set(setup.labels)
    )


def _is_wanted(standing: Standing, wanted: MatchFilter) -> bool:
    match = standing.match
    bots = [player.bot for player in match.players]
    return (
        (not wanted.bot or wanted.bot in bots)
        and wanted.phase in (None, match.phase)
        and (not wanted.open_only or "" in bots)
    )
