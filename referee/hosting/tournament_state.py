"""State of a tournament: the pure tournament, its creation, and when each pairing was planned; and its decisions.

A round of a Swiss tournament with hundreds of entrants takes seconds to pair, which would block the event loop, and
so would pickling thousands of pairings at once. So large rounds are paired in a worker process, and parts of the
pairings cache their pickled form: each part is pickled separately, and again only after it has changed.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from referee.contests.contest_entrant import ContestEntrant
from referee.contests.pairing import DueMatch
from referee.contests.tournament.commands import TournamentCommand
from referee.contests.tournament.decide import decide, will_pair_round
from referee.contests.tournament.events import (
    PairingPostponed,
    PairingReopened,
    PairingsPlanned,
    PairingsReplaced,
    TournamentEnded,
    TournamentEvent,
    TournamentPlayStarted,
)
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_log import LADDER, TOURNAMENT, ContestEntry, TournamentCreated
from referee.hosting.contest_terms import HostedTournamentTerms
from referee.hosting.hosted_contest import HostedContest
from referee.hosting.hosting_errors import ContestDamaged
from referee.live.worker_pool import RunFunction
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player

MAX_ENTRANTS_HERE = 16
"""Limit of entrants for pairing on the event loop: some ten milliseconds, less than a call to a worker process."""

MAX_PAIRING_CPU_S = 1800.0
"""CPU limit for one round; a round of 1000 entrants takes about two minutes."""


class TournamentState(HostedContest[TournamentCreated], frozen=True, gc=False):
    kind = TOURNAMENT
    tournament: Tournament
    started_ms: int | None = None
    ended_ms: int | None = None

    @property
    def play(self) -> Tournament:
        return self.tournament

    @property
    def all_entrants(self) -> Mapping[str, ContestEntrant]:
        return self.tournament.entrants

    @property
    def present_entrants(self) -> Collection[ContestEntrant]:
        """Entrants that have not left."""
        return [self.tournament.entrants[name] for name in self.tournament.active_entrants]

    @property
    def terms(self) -> HostedTournamentTerms:
        return self.created.terms

    @property
    def over(self) -> bool:
        return self.tournament.phase in {"finished", "cancelled"}

    @property
    def labels(self) -> Mapping[str, str]:
        """Labels `ladder` and `tournament` of its matches, as far as they have them."""
        ladder = self.terms.value.ladder
        return {TOURNAMENT: self.name, LADDER: ladder} if ladder else {TOURNAMENT: self.name}

    @property
    def unstarted(self) -> list[DueMatch]:
        """Matches that were planned and have not started, including those that must not start now."""
        return self.waiting

    @property
    def waiting(self) -> list[DueMatch]:
        """Matches that may start, in the order of planning, not limited by how many may be played at once."""
        return [due for some in self.waiting_in_parts for due in some]

    @property
    def waiting_in_parts(self) -> Iterator[Sequence[DueMatch]]:
        """Yield the matches of `waiting` in parts of some hundred."""
        parts = self.tournament.pairings.chunks if self.tournament.phase == "playing" else ()
        return (part.waiting_matches for part in parts)

    def has_bot(self, bot: str) -> bool:
        """Return whether an entrant plays with that bot."""
        return any(player.bot == bot for entrant in self.tournament.entrants.values() for player in entrant.bots)

    def match_terms(self, due: DueMatch) -> MatchTerms:
        """Return the terms of a match; those of one set are the same."""
        return self.terms.match_terms[(due.set_number - 1) % len(self.terms.match_terms)]

    def is_set_open(self, set_id: str, but: str) -> bool:
        """Return whether a set of duplicate play has matches left to play, without the due match with the id `but`."""
        pairing, _, number = set_id.rpartition("/")
        if pairing in self.tournament.dropped:
            return not self.over
        return not (self.over or self.tournament.pairings[pairing].is_set_over(int(number), but))

    def players_of(self, due: DueMatch, name: str) -> tuple[Player, ...]:
        """Return the bots with which an entrant plays a match: of a team, the one of its board."""
        bots = self.tournament.entrants[name].bots
        return (bots[due.number - 1],) if self.tournament.terms.value.boards else bots


def fold_tournament(state: TournamentState | None, entry: ContestEntry) -> TournamentState:
    """Return the state after an entry. None: it is the first entry."""
    event = entry.event
    if state is None:
        if not isinstance(event, TournamentCreated):
            raise ContestDamaged(entry.contest)
        return TournamentState(
            Tournament(event.terms.tournament, name=event.name), created=event, created_ms=entry.at_ms
        )
    after = replace(state, tournament=evolve(state.tournament, event), number=entry.number)  # type: ignore[arg-type]
    if isinstance(event, TournamentPlayStarted):
        return replace(after, started_ms=entry.at_ms)
    if isinstance(event, PairingPostponed):
        return replace(after, planned_ms={**state.planned_ms, event.pairing: max(entry.at_ms, event.until_ms)})
    if isinstance(event, PairingReopened):
        return replace(after, planned_ms={**state.planned_ms, event.pairing: entry.at_ms})
    if isinstance(event, PairingsPlanned | PairingsReplaced):
        due_ms = max(entry.at_ms, event.not_before_ms)
        planned = dict.fromkeys((pairing.id for pairing in event.pairings), due_ms)
        return replace(after, planned_ms={**state.planned_ms, **planned})
    return replace(after, ended_ms=entry.at_ms) if isinstance(event, TournamentEnded) else after


async def decide_and_pair(
    tournament: Tournament, command: TournamentCommand, run: RunFunction, now_ms: int = 0
) -> list[TournamentEvent]:
    """Return the events that follow from a command, as `decide` does; `run` computes what may take long."""
    if len(tournament.entrants) > MAX_ENTRANTS_HERE and will_pair_round(tournament, command):
        await pickle_parts(tournament)
        return await run(decide, tournament, command, now_ms, max_cpu_s=MAX_PAIRING_CPU_S)
    return decide(tournament, command, now_ms)


async def pickle_parts(tournament: Tournament) -> None:
    """Pickle pairings part by part, so that sending them to a worker process does not block the event loop."""
    for part in tournament.pairings.chunks:
        part.pickle()
        await asyncio.sleep(0)
