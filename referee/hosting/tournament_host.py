"""Facade of tournaments: everything that adapters can call to work with them."""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace
from referee_values import ExportFormat, Qualification, TournamentPhase

from referee.accounts.account_errors import BadField
from referee.accounts.names import check_words
from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.contest_errors import (
    MatchNotCounted,
    NoSuchPairing,
    NotAnEntrant,
    TournamentNotStarted,
    TournamentOver,
)
from referee.contests.corrections import Correction
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.commands import (
    CancelTournament,
    EnterTournament,
    RequestBye,
    StaffAct,
    StartTournament,
    TournamentCommand,
    WithdrawEntrant,
)
from referee.contests.tournament.decide import decide
from referee.contests.tournament.events import TournamentEnded, TournamentEvent
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_host import (
    MAX_TEXT_CHARS,
    ContestHost,
    ContestRequest,
    check_not_entered,
    check_reason,
    with_default_name,
)
from referee.hosting.contest_log import (
    TOURNAMENT,
    ContestEntry,
    ContestEvent,
    ContestLog,
    TournamentCreated,
    contest_id,
)
from referee.hosting.contest_store import ContestRegistry, ContestStore
from referee.hosting.contest_terms import HostedTournamentTerms, bots_per_entrant, check_tournament_terms
from referee.hosting.contest_worker import HostingDependencies
from referee.hosting.hosting_errors import EntriesClosed, NoSuchTournament
from referee.hosting.ladder_host import LadderHost
from referee.hosting.ladder_ratings import seed_rating, team_seed_rating
from referee.hosting.tournament_corrections import find_match, score_correction
from referee.hosting.tournament_state import TournamentState, decide_and_pair, fold_tournament
from referee.hosting.tournament_tables import ANY_PAIRING, EXPORTS, PairingFilter, TournamentTables
from referee.hosting.tournament_worker import Qualified, TournamentWorker

FILTER_BATCH_SIZE = 5_000
"""How many pairings are filtered before the event loop runs again."""


class TournamentRequest(ContestRequest[HostedTournamentTerms], frozen=True, gc=False):
    """A request to create a tournament. Its terms have no seed, which the referee draws."""

    entrants: tuple[ContestEntrant, ...] = ()

    def created(self, seed: bytes) -> TournamentCreated:
        """Return the first event of the tournament."""
        terms = replace(self.terms, tournament=replace(self.terms.tournament, seed=seed))
        title = self.title or self.name
        return TournamentCreated(self.name, title, self.organiser, self.request_id, terms, len(self.entrants))


def tournament_registry(
    log: ContestLog, report_fault: Callable[[str, Exception], None]
) -> ContestRegistry[TournamentState]:
    """Return a registry of tournaments, to be opened."""
    return ContestRegistry(log, TOURNAMENT, fold_tournament, TournamentEnded, report_fault)


class TournamentHost(ContestHost[TournamentState, TournamentRequest]):
    _unknown = NoSuchTournament

    def __init__(
        self, registry: ContestRegistry[TournamentState], dependencies: HostingDependencies, ladders: LadderHost
    ) -> None:
        """`ladders` provides the ratings that seed entrants."""
        super().__init__(registry, dependencies, check_tournament_terms)
        self._ladders = ladders
        self.tables = TournamentTables(dependencies.run)

    async def enter(self, name: str, entrant: ContestEntrant) -> TournamentState:
        """Add an entrant, which without a name is named as its only bot; its rating is looked up. Idempotent.

        Raises TournamentStarted, EntriesClosed, TournamentOver, AlreadyIn, EntrantNameTaken, WrongEntrantCount,
        NoSuchBot, NoSuchVersion, BotPaused, BadField, or WrongParticipantCount if it is not one bot for each seat of a
        side.
        """
        store = await self._find_store(name)
        if stage := store.state.terms.value.qualification:
            raise BadField("tournament", f"the entrants of {name} come from {stage.tournament}")
        resolved = await self._resolve(store.state.terms, entrant)

        def decide_new_entry(state: TournamentState) -> list[TournamentEvent]:
            entered = not state.over and state.tournament.has_entrant(resolved)
            return [] if entered else _decide_entry(state, resolved, self._deps.time.wall_ms())

        return await self._execute(store, decide_new_entry)

    async def withdraw(self, name: str, entrant: str, message: str = "") -> TournamentState:
        """Remove an entrant before the start; after it, do not pair the entrant any more. Idempotent.

        Raises NotAnEntrant, TournamentOver or BadField.
        """
        check_words("message", message, MAX_TEXT_CHARS)
        store = await self._find_store(name)
        left = store.state.tournament.entrants.get(entrant)
        state = await self._carry_out(store, WithdrawEntrant(entrant, message))
        self._free_places(left.bots if left else ())
        return state

    async def start(self, name: str) -> TournamentState:
        """Start play. Idempotent.

        Raises WrongEntrantCount, NotAnEntrant, BadTerms (of challengers), TournamentOver or RefereeDraining.
        """
        store = await self._find_store(name)
        if store.state.tournament.phase == "entry" and self._deps.referee.draining:
            raise self._deps.referee.draining
        return await self._carry_out(store, StartTournament(), unless="playing")

    async def cancel(self, name: str, message: str = "") -> TournamentState:
        """End the tournament; its matches in play become void. Idempotent. Raises TournamentOver or BadField."""
        check_words("message", message, MAX_TEXT_CHARS)
        store = await self._find_store(name)
        return await self._carry_out(store, CancelTournament(message), unless="cancelled")

    async def act(self, name: str, command: StaffAct) -> TournamentState:
        """Execute an act of staff during play; it needs a reason. Idempotent.

        Raises TournamentNotStarted, TournamentOver, NoSuchPairing, PairingNotChangeable, BadPairings, NotAnEntrant or
        BadField.
        """
        check_reason(command.message)
        store = await self._find_store(name)
        if store.state.over:
            raise TournamentOver(name, store.state.tournament.phase)
        return await self._carry_out(store, command)

    async def request_bye(self, name: str, command: RequestBye) -> TournamentState:
        """Record or cancel an entrant's request for a bye. Idempotent.

        Raises NotAnEntrant, TournamentOver or ByeNotPossible.
        """
        return await self._carry_out(await self._find_store(name), command)

    async def correct(self, name: str, correction: Correction) -> PairingProgress:
        """Strike a match, correct its result or restore it, also after the end. Idempotent for each request.

        Raises TournamentNotStarted, MatchNotCounted, PairingNotChangeable, BadRanks, RequestIdReused or BadField.
        """
        check_reason(correction.message)
        store = await self._find_store(name)
        if store.state.tournament.phase == "entry":
            raise TournamentNotStarted(name)
        due = await find_match(store.state, correction.match_id)
        if due is None:
            raise MatchNotCounted(correction.match_id)
        state = await self._carry_out(store, score_correction(store.state, due, correction, self._deps.games))
        return state.tournament.pairings[due.pairing.id]

    async def pairings(
        self, name: str, wanted: PairingFilter = ANY_PAIRING, after: str = "", limit: int = 100
    ) -> list[PairingProgress]:
        """Return pairings by round and board, those after the pairing `after`. Raises NotAnEntrant or NoSuchPairing."""
        tournament = (await self.get(name)).tournament
        if wanted.entrant and wanted.entrant not in tournament.entrants:
            raise NotAnEntrant(name, wanted.entrant)
        last: tuple[int, int, int] | None = None
        found: list[tuple[tuple[int, int, int], PairingProgress]] = []
        for number, progress in enumerate(tournament.pairings.values()):
            if number % FILTER_BATCH_SIZE == FILTER_BATCH_SIZE - 1:
                await asyncio.sleep(0)
            place = (progress.pairing.round, progress.pairing.board, number)
            if progress.pairing.id == after:
                last = place
            elif wanted.matches(progress):
                found.append((place, progress))
        if after and last is None:
            raise NoSuchPairing(after)
        found.sort()
        first = 0 if last is None else bisect_left(found, (last,))
        return [progress for _, progress in found[first : first + limit]]

    def no_show_times_ms(self, name: str) -> Mapping[str, int]:
        """Return when absent entrants lose each pairing that waits for them now, unless they come before."""
        worker = self.workers.find(contest_id(TOURNAMENT, name))
        return worker.no_show_times_ms if isinstance(worker, TournamentWorker) else {}

    async def export(self, name: str, form: ExportFormat) -> str:
        """Return the tournament in an export format. Raises TournamentNotStarted or NotExportable."""
        return await self.tables.export(await self.get(name), EXPORTS[form])

    async def _carry_out(
        self,
        store: ContestStore[TournamentState],
        command: TournamentCommand,
        unless: TournamentPhase | None = None,
    ) -> TournamentState:
        """Execute a command, which changes nothing if the tournament is in the phase `unless` already."""

        async def decided(state: TournamentState) -> list[TournamentEvent]:
            if state.tournament.phase == unless:
                return []
            return await decide_and_pair(state.tournament, command, self._deps.run, self._deps.time.wall_ms())

        return await self._execute(store, decided)

    async def _resolve(self, terms: HostedTournamentTerms, entrant: ContestEntrant) -> ContestEntrant:
        bots = bots_per_entrant(terms, self._deps.games)
        entrant = await self._resolve_entrant(entrant, bots, one_for_all=not terms.value.boards)
        if not terms.value.ladder or terms.value.seeding != "rating":
            return entrant
        ladder = (await self._ladders.get(terms.value.ladder)).ladder
        rating_of = team_seed_rating if terms.value.boards else seed_rating
        return replace(entrant, rating=rating_of(ladder, entrant.bots))

    def _create_worker(self, store: ContestStore[TournamentState]) -> TournamentWorker:
        return TournamentWorker(store, self._deps, self._qualified)

    async def _qualified(self, qualification: Qualification) -> Qualified:
        """Return the entrants that qualify, in the order of the standings, once the tournament before is over."""
        state = await self.get(qualification.tournament)
        if not state.over or state.tournament.phase == "cancelled":
            return Qualified(state.tournament.phase)
        standings = [row.standing.entrant for row in await self.tables.rows(state)]
        active = [name for name in standings if name not in state.tournament.withdrawn]
        best = tuple(state.tournament.entrants[name] for name in active[: qualification.best])
        return Qualified(state.tournament.phase, best)

    async def _check_qualification(self, request: TournamentRequest, qualification: Qualification) -> None:
        """Raises NoSuchTournament or BadField. Bots agreed to the terms of the stage before."""
        before = await self.get(qualification.tournament)
        if before.organiser != request.organiser:
            raise BadField("terms.qualification.tournament", "it must be a tournament of the same organiser")
        was, wanted = before.terms.value, request.terms.value
        differ = any(getattr(was, name) != getattr(wanted, name) for name in ("boards", "partner_rule", "ladder"))
        if differ or before.terms.match_terms != request.terms.match_terms:
            why = "it must have the same match terms, ladder, partners and boards"
            raise BadField("terms.qualification.tournament", why)
        if request.entrants:
            raise BadField("entrants", f"they come from {qualification.tournament}")

    def _contests_after(self, last: str) -> Iterable[str]:
        """Tournaments are listed from the newest."""
        contests = [*reversed(self._registry.first_entries)]
        return contests[contests.index(last) + 1 if last in contests else 0 :]

    async def _creation_events(self, request: TournamentRequest) -> Sequence[ContestEvent]:
        terms = request.terms.value
        if terms.ladder:
            await self._ladders.get(terms.ladder)
        if terms.qualification:
            await self._check_qualification(request, terms.qualification)
        entrants = [await self._resolve(request.terms, entrant) for entrant in request.entrants]
        return _decide_creation(request.created(self._deps.draw_seed()), entrants)

    async def _is_same_request(self, first: ContestEntry, request: TournamentRequest) -> bool:
        created = first.event
        if not isinstance(created, TournamentCreated) or created != request.created(created.terms.tournament.seed):
            return False
        entries = await self._registry.log.read(first.contest, 1, created.entrants)
        entered = [entry.event.entrant for entry in entries if isinstance(entry.event, EntrantJoined)]
        wanted = [with_default_name(entrant) for entrant in request.entrants]
        return [(each.name, each.bots) for each in entered] == [(each.name, each.bots) for each in wanted]


def _decide_entry(state: TournamentState, entrant: ContestEntrant, now_ms: int = 0) -> list[TournamentEvent]:
    """Return the event that enters an entrant. Raises AlreadyIn, EntriesClosed, or what `decide` raises.

    Entrants that come with the creation of a tournament are never too late: for them, the time is 0.
    """
    if not state.over:
        for other in state.tournament.entrants.values():
            check_not_entered(entrant, other)
        closes_at_ms = state.tournament.terms.entries_close_at_ms
        if closes_at_ms and now_ms >= closes_at_ms:
            raise EntriesClosed(state.name, closes_at_ms)
    return decide(state.tournament, EnterTournament(entrant))


def _decide_creation(created: TournamentCreated, entrants: Sequence[ContestEntrant]) -> list[ContestEvent]:
    """Return the first events of a tournament with these entrants. Raises what `_decide_entry` raises."""
    state = TournamentState(Tournament(created.terms.tournament, name=created.name), created=created, created_ms=0)
    events: list[ContestEvent] = [created]
    for entrant in entrants:
        for event in _decide_entry(state, entrant):
            state = replace(state, tournament=evolve(state.tournament, event))
            events.append(event)
    return events
