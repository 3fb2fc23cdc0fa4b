"""The worker of one tournament: creates the matches that are due, in the order of planning."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace
from referee_values import Qualification, TournamentPhase

from referee.accounts.bots import Accounts
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import ContestError
from referee.contests.pairing import DueMatch
from referee.contests.tournament.commands import (
    CancelTournament,
    DeclareAbsent,
    FreezeVersions,
    QualifyEntrants,
    RecordTournamentScore,
    RecordTournamentVoid,
    StartTournament,
    StartTournamentMatch,
    TournamentCommand,
)
from referee.contests.tournament.events import FrozenEntrant, TournamentEvent
from referee.hosting.contest_store import ContestStore
from referee.hosting.contest_terms import tournament_seating
from referee.hosting.contest_worker import ContestWorker, HostingDependencies
from referee.hosting.match_factory import MatchFactory
from referee.hosting.tournament_state import TournamentState, decide_and_pair
from referee.live.bot_notices import BotNotifier
from referee.live.match_request import MAKER
from referee.live.ports import EngineFault, LogDamaged
from referee.match.clock import MS, SECOND, Micros
from referee.match.match_errors import MatchOver
from referee.match.moves_digest import digest_moves
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player
from referee.match.state import Match

PART_BATCH_SIZE = 32
"""How many parts of the pairings are searched before the event loop runs again: some milliseconds of work."""
MAX_SLEEP_MS = 60_000
"""Longest sleep of the worker until a point in time, since the wall clock may be set in the meantime."""
NOT_NEEDED = "the tournament does not need it any more"
AWAY, PAUSED = "not connected", "paused"
"""Why an entrant counts as absent."""
MAX_STEP_US: Micros = 10 * SECOND
"""Interval of the worker's steps while it waits for absent entrants."""

Absence = tuple[str, int, str]
"""Id of a pairing, its board if it is one of teams (else 0), and an entrant that it waits for."""


class Qualified(Struct, frozen=True, gc=False):
    """The stage before a tournament."""

    phase: TournamentPhase
    entrants: tuple[ContestEntrant, ...] = ()
    """Entrants that qualify, the best first. Empty until that tournament is finished."""


class AbsenceTimer:
    """How long the pairings of a tournament have waited for absent entrants.

    Only time that was observed counts. After a restart, a drain or a failure every wait begins anew, and a step of the
    worker adds no more than `MAX_STEP_US`, however long the process was stopped before it: nobody is absent for a fault
    of the server.
    """

    def __init__(self) -> None:
        self._waited_us: dict[Absence, Micros] = {}
        """Time for which each was absent; other absences of an open pairing are kept, so that they add up."""
        self._absent: Collection[Absence] = ()
        """Absences at the last update."""
        self._updated_us: Micros = 0

    def restart(self) -> None:
        """Let every wait begin anew."""
        self._waited_us.clear()
        self._absent = ()

    def update(self, absent: Collection[Absence], now_us: Micros) -> None:
        """Add the time since the last update to those that were absent then and still are."""
        step_us = min(now_us - self._updated_us, MAX_STEP_US)
        for absence in self._absent:
            if absence in absent:
                self._waited_us[absence] = self._waited_us.get(absence, 0) + step_us
        self._absent, self._updated_us = absent, now_us

    def waited_us(self, absence: Absence) -> Micros:
        return self._waited_us.get(absence, 0)

    def ends_us(self, no_show_us: Micros) -> dict[str, Micros]:
        """Return when the first wait of each pairing ends if those that were absent at the last update do not come."""
        ends: dict[str, Micros] = {}
        for absence in self._absent:
            end_us = self._updated_us + no_show_us - self.waited_us(absence)
            ends[absence[0]] = min(end_us, ends.get(absence[0], end_us))
        return ends

    def forget(self, pairing: str, board: int = 0) -> None:
        """Drop the waits of a pairing, or of a board of teams, that has ended."""
        self._waited_us = {key: waited for key, waited in self._waited_us.items() if key[:2] != (pairing, board)}
        self._absent = [absence for absence in self._absent if absence[:2] != (pairing, board)]


class VersionFreeze:
    """Versions that the entrants of a tournament play with until its end, if its terms freeze them.

    An entrant that named a version plays with that one anyway. For the others the worker records the version that is
    online when play starts or when they enter later, else the latest one. A bot that was never connected is frozen when
    it comes.
    """

    def __init__(self, factory: MatchFactory, accounts: Accounts, notifier: BotNotifier) -> None:
        self._factory = factory
        self._accounts = accounts
        self._notifier = notifier
        self._told: set[tuple[Player, str]] = set()
        """Frozen versions, each with another one that was online, of which the owner knows."""

    async def versions_to_freeze(self, state: TournamentState) -> list[FrozenEntrant]:
        """Return the entrants whose versions are not frozen yet and are known now."""
        if not state.terms.value.freeze_versions:
            return []
        game = state.terms.match_terms[0].game
        found = []
        for name in state.tournament.active_entrants:
            bots = state.tournament.entrants[name].bots
            if not all(player.version for player in bots):
                chosen = tuple([await self._chosen(player, game) for player in bots])
                found += [FrozenEntrant(name, chosen)] if chosen != bots else []
        return found

    async def _chosen(self, player: Player, game: str) -> Player:
        if player.version:
            return player
        online = self._factory.online_version(player, game)
        return replace(player, version=online or (await self._accounts.bot(player.bot)).latest_version)

    async def explain(self, state: TournamentState, bots: Sequence[Player], game: str) -> None:
        """Tell the owners of bots that are online with another version why they get no match. Each is told once."""
        if not state.terms.value.freeze_versions:
            return
        for player in bots:
            online = self._factory.online_version(Player(player.bot), game)
            away = online and not self._factory.online_version(player, game)
            if away and (player, online) not in self._told:
                self._told.add((player, online))
                bot = await self._accounts.bot(player.bot)
                self._notifier.version_frozen(bot, state.name, player.version, online)


class TournamentWorker(ContestWorker[TournamentState]):
    def __init__(
        self,
        store: ContestStore[TournamentState],
        dependencies: HostingDependencies,
        qualified: Callable[[Qualification], Awaitable[Qualified]],
    ) -> None:
        """Raises an exception if the game of the tournament no longer exists or has changed."""
        self._qualified = qualified
        super().__init__(store, tournament_seating(store.state.terms, dependencies.games), dependencies)
        self._run_outside = dependencies.run
        self._absences = AbsenceTimer()
        self._freeze = VersionFreeze(dependencies.factory, dependencies.accounts, dependencies.notifier)

    @property
    def no_show_times_ms(self) -> dict[str, int]:
        """When absent entrants lose each pairing that waits for them now, unless they come before."""
        ends_us = self._absences.ends_us(self.state.tournament.terms.no_show_ms * MS)
        now_us, now_ms = self._time.monotonic_us(), self._time.wall_ms()
        return {pairing: now_ms + (end_us - now_us) // MS for pairing, end_us in ends_us.items()}

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
        if self._referee.draining:
            self._absences.restart()
        elif self.state.tournament.phase == "entry":
            await self._start_on_time()
        else:
            await self._freeze_versions()
            await self._create_due_matches()
            await self._record_absences()
        return False

    async def _freeze_versions(self) -> None:
        if frozen := await self._freeze.versions_to_freeze(self.state):
            await self._execute(FreezeVersions(tuple(frozen)))

    def _retry_in(self, delay_us: Micros) -> None:
        self._absences.restart()
        super()._retry_in(delay_us)

    async def _start_on_time(self) -> None:
        """Start the tournament when it is time. With too few entrants, it is tried again when one enters."""
        starts_at_ms, stage = self.state.tournament.terms.starts_at_ms, self.state.terms.value.qualification
        if stage and not self.state.tournament.entrants:
            await self._qualify(stage)
        has_stage_before = stage and self.state.tournament.entrants
        if (starts_at_ms or has_stage_before) and not self._is_early(starts_at_ms):
            with suppress(ContestError):
                await self._execute(StartTournament())
                self.wake()

    async def _qualify(self, stage: Qualification) -> None:
        """Enter the best of the stage before once it is finished; without them, cancel the tournament."""
        before = await self._qualified(stage)
        if len(before.entrants) > 1:
            await self._execute(QualifyEntrants(before.entrants))
        elif before.phase in {"finished", "cancelled"}:
            why = "was cancelled" if before.phase == "cancelled" else "has too few entrants left"
            await self._execute(CancelTournament(f"{stage.tournament}, the stage before, {why}"))
            self.wake()

    def _is_early(self, at_ms: int) -> bool:
        """Return whether that moment is still to come; the worker is woken then."""
        left_ms = at_ms - self._time.wall_ms()
        if left_ms > 0:
            self._wake_in(min(left_ms, MAX_SLEEP_MS) * MS)
        return left_ms > 0

    def _is_delayed(self, due: DueMatch) -> bool:
        progress = self.state.tournament.pairings.get(due.pairing.id)
        if progress is None:  # Staff has replaced it in the meantime.
            return True
        return self._is_early(progress.not_before_ms) or super()._is_delayed(due)

    async def _recover(self) -> None:
        """Also void matches that were created for a pairing which staff then replaced, before they were recorded."""
        await super()._recover()
        recorded = {self.state.match_id(due) for due in self.state.playing}
        for match in self._own_live_matches():
            if match.setup.match_id not in recorded and not match.result:
                await self._void_matches(match.setup.match_id)

    async def _create_due_matches(self) -> None:
        """Create matches as far as their bots have room; entrants without room are passed over."""
        in_play = len(self.state.playing)
        limit = self.state.tournament.terms.max_concurrent_matches
        unavailable_by_board: defaultdict[int, set[str]] = defaultdict(set)
        for number, part in enumerate(self.state.waiting_in_parts):
            if number:
                await asyncio.sleep(0)  # A pairing may have many matches.
            for due in part:
                if self.state.over or (limit is not None and in_play >= limit):
                    return
                unavailable = unavailable_by_board[self._board(due)]
                if unavailable.isdisjoint(due.seats) and not self._is_delayed(due):
                    unavailable |= {name for name in due.seats if not self._has_room(due, name)}
                    for name in unavailable.intersection(due.seats):
                        bots = self.state.players_of(due, name)
                        await self._freeze.explain(self.state, bots, self.state.match_terms(due).game)
                    in_play += unavailable.isdisjoint(due.seats) and await self._create_match(due, unavailable)

    def _has_room(self, due: DueMatch, name: str) -> bool:
        games, bots = [self.state.match_terms(due).game], self.state.players_of(due, name)
        available = self._factory.availability(bots, games, self.state.labels)
        return available is not None and available.room > 0

    def _board(self, due: DueMatch) -> int:
        """Return the board of a match of two teams. 0: its entrants are no teams."""
        return due.number if self.state.terms.value.boards else 0

    async def _record_absences(self) -> None:
        """Record who was absent from a pairing for too long, and take another step while somebody is absent."""
        no_show_us = self.state.tournament.terms.no_show_ms * MS
        if not no_show_us or self.state.over:
            return
        absent = await self._find_absent()
        self._absences.update(absent.keys(), self._time.monotonic_us())
        left_us = [no_show_us - self._absences.waited_us(absence) for absence in absent]
        for place in dict.fromkeys(absence[:2] for absence, left in zip(absent, left_us, strict=True) if left <= 0):
            await self._declare_absent(*place, absent, no_show_us)
        if absent:
            self._wake_in(min([MAX_STEP_US, *(left for left in left_us if left > 0)]))

    async def _declare_absent(
        self, pairing: str, board: int, absent: Mapping[Absence, str], no_show_us: Micros
    ) -> None:
        """Record the absence of those whose time is over, and of those that are paused."""
        progress = self.state.tournament.pairings.get(pairing)
        names = (
            []
            if progress is None
            else [
                name
                for name in progress.pairing.participants
                if self._absences.waited_us((pairing, board, name)) >= no_show_us
                or await self._is_paused(DueMatch(progress.pairing, board, 1), name)
            ]
        )
        why = dict.fromkeys(absent.get((pairing, board, name), PAUSED) for name in names)
        message = f"{' or '.join(why)} for {no_show_us // SECOND} s"
        self._absences.forget(pairing, board)
        if names:
            await self._execute(DeclareAbsent(pairing, tuple(names), message, board=board))
        self.wake()

    async def _find_absent(self) -> dict[Absence, str]:
        """Return the absent entrants, each with its first pairing that waits, and why it counts as absent.

        On each board of teams, another bot may be absent.

        Nobody counts as absent while the tournament has reached its limit of matches in play.
        """
        found: dict[Absence, str] = {}
        seen_by_board: defaultdict[int, set[str]] = defaultdict(set)
        for number, part in enumerate(self.state.waiting_in_parts):
            if number:
                await asyncio.sleep(0)
            for due in part:
                if self.state.full:
                    return {}
                board = self._board(due)
                names = set(due.pairing.participants) - seen_by_board[board]
                if names and not self._is_delayed(due):
                    seen_by_board[board] |= names
                    if board or not self.state.tournament.pairings[due.pairing.id].matches_in_play:
                        why_absent = await self._why_absent(due, names)
                        found |= {(due.pairing.id, board, name): why for name, why in why_absent}
        return found

    async def _why_absent(self, due: DueMatch, names: Collection[str]) -> list[tuple[str, str]]:
        away = [name for name in due.pairing.participants if not self._is_present(due, name)]
        if away or not all(self._has_room(due, name) for name in due.pairing.participants):
            return [(name, AWAY) for name in away if name in names]
        return [(name, PAUSED) for name in names if await self._is_paused(due, name)]

    def _is_present(self, due: DueMatch, name: str) -> bool:
        game = self.state.match_terms(due).game
        return all(self._factory.is_present(player, game) for player in self.state.players_of(due, name))

    async def _is_paused(self, due: DueMatch, name: str) -> bool:
        return await self._factory.find_paused(self.state.players_of(due, name)) is not None

    async def _record_start(self, due: DueMatch, match: Match) -> None:
        await super()._record_start(due, match)
        match_id = match.setup.match_id
        if self.state.match_id(due) != match_id:  # The tournament has ended in the meantime.
            await self._void_matches(match_id)

    async def _void_matches(self, match_id: str = "") -> None:
        """Void that match if it is live; without an id, all live matches of the tournament."""
        for match in self._own_live_matches():
            live_id = match.setup.match_id
            if match_id in ("", live_id):
                with suppress(MatchOver):
                    await self._referee.void(live_id, EndCause.ABORTED, NOT_NEEDED)

    def _own_live_matches(self) -> list[Match]:
        live = self._referee.live_matches
        return [match for match in live if dict(match.setup.labels).get(MAKER) == self._store.contest]

    def _decide(self, state: TournamentState, command: TournamentCommand) -> Awaitable[Sequence[TournamentEvent]]:
        return decide_and_pair(state.tournament, command, self._run_outside, self._time.wall_ms())

    def _start_command(self, due: DueMatch, match_id: str) -> TournamentCommand:
        return StartTournamentMatch(due.pairing.id, due.number, due.attempt, match_id)

    async def _result_command(self, due: DueMatch, match: Match) -> TournamentCommand:
        assert match.result
        if match.result.kind is EndKind.VOID:
            return RecordTournamentVoid(due.pairing.id, due.number, due.attempt)
        score = self._seating.score(due, match.result, await self._moves_digest(match))
        return RecordTournamentScore(due.pairing.id, due.number, due.attempt, score)

    async def _moves_digest(self, match: Match) -> str:
        """Return the digest of the moves. Empty if the log can no longer be replayed."""
        try:
            status = await self._referee.status(match.setup.match_id)
        except (EngineFault, LogDamaged):
            return ""
        return digest_moves(match.setup, ((made.seat, made.move) for made in status.moves))
