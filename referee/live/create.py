"""Creates matches and takes seats in them, idempotently.

The id of a match is derived from its creator and the id of the request, so the log itself rejects a second match for
the same request, also after a restart.
"""

import hashlib
from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass

from engines.api import Game, Seat
from referee.live.engine_calls import call_engine
from referee.live.match_history import MatchStatus, match_steps
from referee.live.match_request import MAKER, PAIRING, REQUEST_ID, LiveLimits, MatchRequest
from referee.live.ports import Conflict, NoSuchMatch
from referee.live.registry import LiveMatches
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.live.worker_pool import RunFunction, run_inline
from referee.match.commands import StartPlay, TakeSeat
from referee.match.decision import Decision
from referee.match.events import Event, MatchCreated, PlayStarted
from referee.match.match_errors import MatchOver, NotAllowedNow, RequestIdReused, SeatHeld
from referee.match.setup import Player, Setup
from referee.match.state import Match, create_match


@dataclass(frozen=True, slots=True)
class CreatedMatch:
    status: MatchStatus
    repeated: bool
    """Whether the same request had created it before."""


def match_id_of(maker: str, request_id: str) -> str:
    """Return the id of the match that this request creates."""
    key = f"{maker}\0{request_id}"
    return "m" + b32encode(hashlib.sha256(key.encode()).digest()[:16]).decode().lower()[:25]


def wait_for_start(_: Match) -> Decision | None:
    """Return None: a new match waits for its start."""
    return None


def attach_nowhere(_: MatchRunner) -> None:
    """Do nothing."""


async def open_match(
    setup: Setup,
    game: Game,
    dependencies: RunnerDependencies,
    begin: Callable[[Match], Decision | None] = wait_for_start,
    attach: Callable[[MatchRunner], None] = attach_nowhere,
) -> MatchRunner:
    """Create a match by a checked setup. Raises Conflict if its id is taken, or StoreUnavailable.

    `begin` returns the decision by which play begins at once, which is written together with the creation; None: it
    does not. `attach` is called when the creation has been announced, and before the start is. If the caller is
    cancelled, the match may be in the log nevertheless, and can be resumed.
    """
    created = MatchCreated(0, setup)
    match = create_match(created, game)
    begun = begin(match)
    events = (created, *begun.events) if begun else (created,)
    entries = await dependencies.log.append(setup.match_id, 0, events)
    runner = MatchRunner(begun.match if begun else match, dependencies)
    runner.notify(dependencies.observer.on_stored, match_steps(None, entries[:1], [match]))
    attach(runner)
    if begun:
        runner.notify(dependencies.observer.on_stored, match_steps(match, entries[1:], begun.states))
    return runner


class MatchCreator:
    def __init__(
        self,
        live: LiveMatches,
        limits: LiveLimits,
        mint_id: Callable[[], str],
        draw_seed: Callable[[], bytes],
        run: RunFunction = run_inline,
    ) -> None:
        self._live = live
        self._limits = limits
        self._mint_id = mint_id
        self._draw_seed = draw_seed
        self._run = run

    async def create(self, request: MatchRequest) -> CreatedMatch:
        """Create a match, or return the one that the same request has created.

        Raises an error of its terms, RequestIdReused, TooManyWaiting, TooExpensive or StoreUnavailable.
        """
        match_id = self._match_id(request)
        setup = await self._setup(request, match_id, request.seed or self._draw_seed())
        game, dependencies = self._live.find_game(setup.terms.game), self._live.dependencies
        with self._live.creating(match_id):
            try:
                await open_match(setup, game, dependencies, self._begin, self._attach)
            except BaseException as error:
                if not self._live.index.find(match_id):
                    self._live.starter.cancel(match_id)
                if isinstance(error, Conflict):
                    return await self._find_created(request, match_id)
                raise
        return CreatedMatch((await self._live.stored.history(match_id)).status, repeated=False)

    async def find_created(self, request: MatchRequest) -> CreatedMatch | None:
        """Return what this request has created; None: nothing. Raises RequestIdReused or StoreUnavailable."""
        try:
            return await self._find_created(request, self._match_id(request))
        except NoSuchMatch:
            return None

    async def join(self, match_id: str, seat: Seat | None, player: Player) -> Seat:
        """Take that seat; None: the seat that the bot holds already, or else the first open one.

        Raises SeatHeld, NoSuchSeat, MatchOver, NoSuchMatch or StoreUnavailable.
        """
        while True:
            match = (await self._live.stored.history(match_id)).match
            if match.result:
                raise MatchOver(str(match.result))
            wanted = _choose_seat(match, player) if seat is None else seat
            if _holds_seat(match, wanted, player):
                return wanted
            runner = await self._live.runner(match_id)
            try:
                await runner.submit(TakeSeat(wanted, player))
            except NotAllowedNow:  # Play has begun, so no seat is open.
                raise SeatHeld(wanted, runner.match.players[wanted].bot) from None
            except SeatHeld:
                if seat is not None:
                    raise
            else:
                return wanted

    def _begin(self, match: Match) -> Decision | None:
        """Return the decision by which a new match begins at once, for which places are kept now. None: it waits."""
        if self._live.index.find(match.setup.match_id) or match.game.is_slow:
            # A repeated request must not touch the match that the first one has created. The first position of a slow
            # game is awaited by the runner.
            return None
        sessions, decide = self._live.starter.sessions_to_begin(match), self._live.dependencies.decide
        taken: list[Event] = []
        states: list[Match] = []
        for seat, session in enumerate(sessions):
            seated = decide(match, TakeSeat(seat, session.player), match.at_us)  # No event if the version is known.
            taken, states, match = [*taken, *seated.events], [*states, *seated.states], seated.match
        begun = decide(match, StartPlay(), match.at_us) if sessions else None
        if begun is None or len(begun.events) > 1 or type(begun.events[0]) is not PlayStarted:
            return None  # It waits, or ends at once.
        self._live.starter.reserve(match)
        return Decision((*taken, *begun.events), (*states, *begun.states), begun.match)

    def _attach(self, runner: MatchRunner) -> None:
        live_match = self._live.index.find(runner.match_id)
        if live_match:  # Otherwise the announcement of its creation has failed.
            self._live.attach_runner(live_match, runner)

    def _match_id(self, request: MatchRequest) -> str:
        request_id = request.labels.get(REQUEST_ID)
        if request.match_id or not request_id:
            return request.match_id or self._mint_id()
        return match_id_of(request.labels.get(MAKER, ""), request_id)

    async def _setup(self, request: MatchRequest, match_id: str, seed: bytes) -> Setup:
        """Return the setup; moves of an opening are played in a worker. Raises what `MatchRequest.setup` raises."""
        # Options and a position cost little within `field_limits`, which `test_create_cost` checks: the largest
        # `own_board` of Troke 8 ms of CPU, every other option of any game 1 ms, every position 2 ms.
        game = self._live.find_game(request.terms.game)
        if not request.opening.moves:
            return await call_engine(game, request.setup, match_id, seed, self._live.games, self._limits)
        holder = (
            "" if PAIRING in request.labels else request.labels.get(MAKER, "")
        )  # Contests have no limit on waiting calls.
        return await self._run(
            MatchRequest.setup, request, match_id, seed, {game.name: game}, self._limits, holder=holder
        )

    async def _find_created(self, request: MatchRequest, match_id: str) -> CreatedMatch:
        standing = (await self._live.stored.history(match_id)).status
        setup = standing.match.setup
        if await self._setup(request, match_id, request.seed or setup.seed) != setup:
            raise RequestIdReused(request.labels[REQUEST_ID])
        return CreatedMatch(standing, repeated=True)


def _holds_seat(match: Match, seat: Seat, player: Player) -> bool:
    if not 0 <= seat < len(match.players):
        return False
    held = match.players[seat]
    return bool(held.bot) and held.bot == player.bot and player.version in ("", held.version)


def _choose_seat(match: Match, player: Player) -> Seat:
    seats = range(len(match.players))
    own_seat = next((seat for seat in seats if _holds_seat(match, seat, player)), None)
    open_seat = next((seat for seat in seats if not match.players[seat].bot), None)
    wanted = open_seat if own_seat is None else own_seat
    if wanted is None:
        raise SeatHeld(0, match.players[0].bot)
    return wanted
