"""Facade of ladders: everything that adapters can call to work with them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from engines.api import Game
from referee.accounts.account_errors import BadField, BotPaused
from referee.accounts.names import check_words
from referee.contests.contest_entrant import ContestEntrant
from referee.contests.contest_errors import LadderClosed
from referee.contests.corrections import Correction
from referee.contests.ladder.commands import (
    ChallengeEntrants,
    CloseLadder,
    JoinLadder,
    LadderCommand,
    LeaveLadder,
    PauseLadder,
    ResumeLadder,
    StartSeason,
)
from referee.contests.ladder.decide import decide, find_challenge
from referee.contests.ladder.events import LadderClosureFinished
from referee.contests.ladder.season import LadderStandingsRow
from referee.contests.ladder.state import LadderPhase
from referee.contests.pairing_progress import PairingProgress
from referee.hosting.contest_host import (
    MAX_TEXT_CHARS,
    ContestHost,
    ContestRequest,
    check_reason,
)
from referee.hosting.contest_log import LADDER, ContestEntry, ContestLog, LadderCreated, contest_id
from referee.hosting.contest_store import ContestRegistry, ContestStore
from referee.hosting.contest_terms import HostedLadderTerms, check_ladder_terms
from referee.hosting.contest_worker import HostingDependencies
from referee.hosting.hosting_errors import NoSuchLadder
from referee.hosting.ladder_corrections import LadderCorrections
from referee.hosting.ladder_estimates import LadderEstimates
from referee.hosting.ladder_ratings import LadderRatings, RatingPoint, read_history
from referee.hosting.ladder_state import LadderFold, LadderState
from referee.hosting.ladder_worker import LadderWorker, find_available
from referee.live import match_request as labels
from referee.match.setup import Player
from referee.match.state import Match


class LadderRequest(ContestRequest[HostedLadderTerms], frozen=True, gc=False):
    def created(self, seed: bytes) -> LadderCreated:
        """Return the first event of the ladder."""
        return LadderCreated(self.name, self.title or self.name, self.organiser, self.request_id, seed, self.terms)


def ladder_registry(
    log: ContestLog, games: Mapping[str, Game], report_fault: Callable[[str, Exception], None]
) -> ContestRegistry[LadderState]:
    """Return a registry of ladders, to be opened before matches are recovered, since their ends may be rated."""
    return ContestRegistry(log, LADDER, LadderFold(games), LadderClosureFinished, report_fault)


def max_faults_for(ladders: ContestRegistry[LadderState], match: Match, default: int) -> int:
    """Return how many faults in a row pause a bot, if the last was in `match`: as its ladder says, or `default`."""
    name = dict(match.setup.labels).get(labels.LADDER)
    first = ladders.first_entries.get(contest_id(LADDER, name)) if name else None
    created = first.event if first else None
    return created.terms.value.pause_after_faults if isinstance(created, LadderCreated) else default


class LadderHost(ContestHost[LadderState, LadderRequest]):
    _unknown = NoSuchLadder

    def __init__(
        self,
        registry: ContestRegistry[LadderState],
        dependencies: HostingDependencies,
        ratings: LadderRatings,
        flush_faults: Callable[[], Awaitable[None]],
    ) -> None:
        """`flush_faults`: see `LadderWorker`."""
        super().__init__(registry, dependencies, check_ladder_terms)
        self._ratings = ratings
        self._flush_faults = flush_faults
        self._corrections = LadderCorrections(registry.log, dependencies.run)
        self._estimates = LadderEstimates(registry.log, dependencies.run)

    async def stop(self, why: Exception) -> None:
        await super().stop(why)
        await self._estimates.close()

    async def join(self, name: str, entrant: ContestEntrant) -> LadderStandingsRow:
        """Add an entrant, which without a name is named as its only bot. Return its row in the standings. Idempotent.

        Raises LadderClosed, AlreadyOnLadder, EntrantNameTaken, AlreadyIn, NoSuchBot, NoSuchVersion, BotPaused,
        BadField, or WrongParticipantCount if it is not one bot for each seat of a side.
        """
        store = await self._find_store(name)
        resolved = await self._resolve_entrant(entrant, store.state.seating.bots)
        rows = await self.standings_of(await self._carry_out(store, JoinLadder(resolved)))
        return next(row for row in rows if row.entrant.name == resolved.name)

    async def leave(self, name: str, entrant: str, message: str = "") -> None:
        """Remove an entrant; its matches in play are finished and rated. Raises NotAMember or BadField."""
        check_words("message", message, MAX_TEXT_CHARS)
        state = await self._carry_out(await self._find_store(name), LeaveLadder(entrant, message))
        left = state.ladder.all_entrants.get(entrant)
        self._free_places(left.bots if left else ())

    async def challenge(self, name: str, request: str, entrants: tuple[str, ...]) -> PairingProgress:
        """Pair these entrants as soon as all have room: one for each seat, or for each side if partners are fixed.

        Idempotent: the same `request`, which begins with the caller, returns the same pairing again. The ladder knows
        the challenges of a caller that are not over (`open_challenges_of`).
        Raises LadderClosed, NotAMember, WrongParticipantCount, SameOwner, BotPaused, RequestIdReused or
        RefereeDraining.
        """
        store = await self._find_store(name)
        if find_challenge(store.state.ladder, request) is None:
            await self._check_may_play(store.state, entrants)
        state = await self._carry_out(store, ChallengeEntrants(request, entrants))
        progress = find_challenge(state.ladder, request)
        assert progress
        return progress

    async def start_season(self, name: str, request: str) -> LadderState:
        """Widen all ratings, so that they adapt fast again. Idempotent for each `request`. Raises LadderClosed."""
        return await self._carry_out(await self._find_store(name), StartSeason(request))

    async def pause(self, name: str, message: str = "") -> LadderState:
        """Start no matches until the ladder is resumed. Raises LadderClosed or BadField."""
        check_words("message", message, MAX_TEXT_CHARS)
        return await self._carry_out(await self._find_store(name), PauseLadder(message))

    async def resume(self, name: str) -> LadderState:
        """Start matches again. Raises LadderClosed."""
        return await self._carry_out(await self._find_store(name), ResumeLadder())

    async def close(self, name: str, message: str = "") -> LadderState:
        """Stop pairing. After the last match is over and rated, the log ends with `LadderClosureFinished`.

        Raises BadField.
        """
        check_words("message", message, MAX_TEXT_CHARS)
        return await self._carry_out(await self._find_store(name), CloseLadder(message))

    async def correct(self, name: str, correction: Correction) -> LadderState:
        """Strike a rated match, correct its result or restore it, at any time. Idempotent for each request.

        Raises MatchNotCounted, BadRanks, RequestIdReused or BadField.
        """
        check_reason(correction.message)
        store = await self._find_store(name)
        await self._corrections.correct(store, correction)
        return store.state

    async def standings(self, name: str, season: int = 0, all_versions: bool = False) -> list[LadderStandingsRow]:
        """Return the standings, best first, of the current season (0) or an earlier one. Raises BadField (season)."""
        state = await self.get(name)
        if not 0 <= season <= state.ladder.season:
            raise BadField("season", f"there is no season {season}; 1 to {state.ladder.season} exist")
        return await self.standings_of(state, season, all_versions)

    async def history(
        self, name: str, bot: str, version: str = "", after: int = 0, limit: int = 100
    ) -> list[RatingPoint]:
        """Return the history of the ratings of a bot, or of one version, oldest first, after entry number `after`.

        The rating of partners is in the history of each of them. Raises NoSuchBot or NoSuchVersion.
        """
        state, accounts = await self.get(name), self._deps.accounts
        await accounts.bot(bot)
        if version:
            await accounts.versions(bot, version, 1)
        corrected = await self._corrections.ratings_of(state) if state.corrected_until else None
        return await read_history(self._registry.log, state, corrected, Player(bot, version), after, limit)

    async def _carry_out(self, store: ContestStore[LadderState], command: LadderCommand) -> LadderState:
        return await self._execute(store, lambda state: decide(state.ladder, command))

    async def _check_may_play(self, state: LadderState, entrants: tuple[str, ...]) -> None:
        """Raises LadderClosed, BotPaused or RefereeDraining."""
        if state.ladder.phase is not LadderPhase.OPEN:
            raise LadderClosed(state.name)
        if self._deps.referee.draining:
            raise self._deps.referee.draining
        for name in entrants:
            for player in state.ladder.entrants[name].bots if name in state.ladder.entrants else ():
                bot = await self._deps.accounts.bot(player.bot)
                if bot.pause:
                    raise BotPaused(bot.name, bot.pause.cause.value)

    async def standings_of(
        self, state: LadderState, season: int = 0, all_versions: bool = False
    ) -> list[LadderStandingsRow]:
        """Return the standings in that state of a ladder, best first. `season`: see `standings`."""
        available, _ = await find_available(state, self._deps.factory, with_busy=True)
        playing = {online.name: state.ladder.entrants[online.name].rated_player(online.bots) for online in available}
        estimates = await self._estimates.of(state, season or state.ladder.season)
        return state.ladder.standings(playing, season, all_versions, self._deps.time.wall_ms(), estimates)

    def _create_worker(self, store: ContestStore[LadderState]) -> LadderWorker:
        return LadderWorker(store, self._deps, self._ratings, self._flush_faults)

    def _contests_after(self, last: str) -> Iterable[str]:
        """Ladders are listed by name."""
        return sorted(contest for contest in self._registry.first_entries if contest > last)

    async def _creation_events(self, request: LadderRequest) -> Sequence[LadderCreated]:
        return [request.created(self._deps.draw_seed())]

    async def _is_same_request(self, first: ContestEntry, request: LadderRequest) -> bool:
        return isinstance(first.event, LadderCreated) and first.event == request.created(first.event.seed)
