"""The worker of one tournament: creates the matches that are due, in the order of planning."""

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import suppress

from referee.contests.pairing import DueMatch
from referee.contests.tournament.commands import (
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.events import TournamentEvent
from referee.hosting.contest_store import ContestStore
from referee.hosting.contest_terms import tournament_seating
from referee.hosting.contest_worker import ContestWorker, HostingDependencies
from referee.hosting.tournament_state import TournamentState, decide_and_pair
from referee.live.match_request import MAKER
from referee.match.match_errors import MatchOver
from referee.match.result import EndCause, EndKind
from referee.match.state import Match

PART_BATCH_SIZE = 32
"""How many parts of the pairings are searched before the event loop runs again: some milliseconds of work."""
NOT_NEEDED = "the tournament does not need it any more"


class TournamentWorker(ContestWorker[TournamentState]):
    def __init__(self, store: ContestStore[TournamentState], dependencies: HostingDependencies) -> None:
        """Raises an exception if the game of the tournament no longer exists or has changed."""
        super().__init__(store, tournament_seating(store.state.terms, dependencies.games), dependencies)
        self._run_outside = dependencies.run

    async def _prepare(self) -> None:
        """Fill the cache of matches in play part by part, and let the event loop run in between."""
        for number, part in enumerate(self.state.tournament.pairings.chunks, 1):
            part.matches_in_play  # noqa: B018  # The property is computed at its first use.
            if number % PART_BATCH_SIZE == 0:
                await asyncio.sleep(0)

    async def _advance(self) -> bool:
        if self.state.over:
            await self._void_matches()
            return True
        if not self._referee.draining:
            await self._create_due_matches()
        return False

    async def _create_due_matches(self) -> None:
        """Create matches as far as their bots have room; entrants without room are passed over."""
        in_play = len(self.state.playing)
        limit = self.state.tournament.terms.max_concurrent_matches
        unavailable: set[str] = set()
        for number, part in enumerate(self.state.waiting_in_parts):
            if number:
                await asyncio.sleep(0)  # A pairing may have many matches.
            for due in part:
                if self.state.over or (limit is not None and in_play >= limit):
                    return
                if unavailable.isdisjoint(due.seats) and not self._is_delayed(due):
                    unavailable |= {name for name in due.seats if not self._has_room(due, name)}
                    in_play += unavailable.isdisjoint(due.seats) and await self._create_match(due, unavailable)

    def _has_room(self, due: DueMatch, name: str) -> bool:
        game = self.state.match_terms(due).game
        return all(self._factory.room(player, game) for player in self.state.tournament.entrants[name].bots)

    async def _record_start(self, due: DueMatch, match: Match) -> None:
        await super()._record_start(due, match)
        match_id = match.setup.match_id
        if self.state.match_id(due) != match_id:  # The tournament has ended in the meantime.
            await self._void_matches(match_id)

    async def _void_matches(self, match_id: str = "") -> None:
        """Void that match if it is live; without an id, all live matches of the tournament."""
        for match in self._referee.live_matches:
            live_id = match.setup.match_id
            if match_id in ("", live_id) and dict(match.setup.labels).get(MAKER) == self._store.contest:
                with suppress(MatchOver):
                    await self._referee.void(live_id, EndCause.ABORTED, NOT_NEEDED)

    def _decide(self, state: TournamentState, command: TournamentCommand) -> Awaitable[Sequence[TournamentEvent]]:
        return decide_and_pair(state.tournament, command, self._run_outside)

    def _start_command(self, due: DueMatch, match_id: str) -> TournamentCommand:
        return StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id)

    def _result_command(self, due: DueMatch, match: Match) -> TournamentCommand:
        assert match.result
        if match.result.kind is EndKind.VOID:
            return RecordTournamentVoid(due.pairing.id, due.number, due.attempt)
        return RecordTournamentScore(due.pairing.id, due.number, due.attempt, self._seating.score(due, match.result))
