"""Live matches: all matches of this process that are not over, and the start of those that wait.

A match starts when every seat is taken by a bot that is online, accepts the game and has room for one more match, and
when all nonces are given or the time for them is over. A match that has waited too long is voided. Only the log is
stored: after a restart, a match continues to wait for the bots that come back.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from engines.api import Seat
from referee.live.engine_calls import call_engine
from referee.live.match_history import MatchHistory, match_steps, steps_of_entries
from referee.live.match_request import MAKER
from referee.live.match_timing import DeadlineTimer
from referee.live.outbox import NonceRequested
from referee.live.ports import Conflict, Time
from referee.live.reserved_places import Labels, ReservedPlaces
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.live.sessions import Session, Sessions
from referee.match.clock import Micros
from referee.match.commands import Command, ResumeMatch, StartPlay, TakeSeat, VoidMatch
from referee.match.result import EndCause
from referee.match.setup import Player, Setup
from referee.match.state import Match, MatchPhase, Turn


class LiveMatch:
    """One match that is not over."""

    def __init__(self, history: MatchHistory, sent: Iterable[Turn] = ()) -> None:
        """`sent` are the turns that were sent before this process had the match."""
        self.history = history
        self.runner: MatchRunner | None = None
        """None: match time stands still, because the bots have not returned yet after a restart."""
        self.resuming: asyncio.Task[None] | None = None
        """Task that resumes the match. None: there is none."""
        self.notified_sessions: dict[Seat, Session] = {}
        """The session to which each seat's last turn or nonce request was sent."""
        self.sent_turns = {turn.seat: turn for turn in sent}
        """The last turn that was sent to each seat."""
        self.nonces_due_us: Micros | None = None
        """Match time until which the match waits for nonces. None: it has not requested any."""
        self.start_timer: DeadlineTimer | None = None
        """Timer of the match while it waits for its start."""
        self.indexed_bots: frozenset[str] = frozenset()
        """The bots by which `LiveMatchIndex` finds the match."""

    @property
    def match(self) -> Match:
        return self.history.state

    @property
    def active_runner(self) -> MatchRunner:
        """The runner of the match, whose time must be running."""
        assert self.runner
        return self.runner

    @property
    def match_id(self) -> str:
        return self.match.setup.match_id

    @property
    def maker(self) -> str:
        """The creator of the match; empty: unknown."""
        return dict(self.match.setup.labels).get(MAKER, "")

    def run(self, runner: MatchRunner) -> None:
        """Let the time of the match run."""
        self.runner = runner

    def resume(self, start: Callable[[], asyncio.Task[None]]) -> asyncio.Task[None]:
        """Return the task that resumes the match, which is started unless there is one."""
        self.resuming = self.resuming or start()
        return self.resuming

    def cannot_resume(self) -> None:
        """Forget the task, so that another one can try again."""
        self.resuming = None

    def holds(self, bot: str, seat: Seat) -> bool:
        """Return whether the bot holds that seat."""
        players = self.history.state.players
        return bool(bot) and 0 <= seat < len(players) and players[seat].bot == bot

    def seats_of(self, bot: str) -> list[Seat]:
        return [seat for seat, player in enumerate(self.match.players) if player.bot == bot]


class LiveMatchIndex:
    """Live matches by id, by bot and by creator."""

    def __init__(self) -> None:
        self._by_id: dict[str, LiveMatch] = {}
        self.find: Callable[[str], LiveMatch | None] = self._by_id.get
        """Returns the match with that id; None: it is not live."""
        self._by_bot: defaultdict[str, dict[str, LiveMatch]] = defaultdict(dict)
        self._count_by_maker: Counter[str] = Counter()
        """Number of live matches by creator."""

    def add(self, live_match: LiveMatch) -> None:
        self._by_id[live_match.match_id] = live_match
        self._count_by_maker[live_match.maker] += 1
        self.index_seats(live_match)

    def index_seats(self, live_match: LiveMatch) -> None:
        """Index the bots of the match again, after a seat may have been taken or vacated."""
        bots = frozenset(player.bot for player in live_match.match.players if player.bot)
        for bot in bots:
            self._by_bot[bot][live_match.match_id] = live_match
        for bot in live_match.indexed_bots - bots:
            self._forget(bot, live_match.match_id)
        live_match.indexed_bots = bots

    def remove(self, match_id: str) -> LiveMatch | None:
        """Remove and return a match; None: it was removed before."""
        live_match = self._by_id.pop(match_id, None)
        if live_match:
            self._count_by_maker[live_match.maker] -= 1
            if not self._count_by_maker[live_match.maker]:
                del self._count_by_maker[live_match.maker]
            for bot in live_match.indexed_bots:
                self._forget(bot, match_id)
        return live_match

    def _forget(self, bot: str, match_id: str) -> None:
        del self._by_bot[bot][match_id]
        if not self._by_bot[bot]:
            del self._by_bot[bot]

    def of_bot(self, bot: str) -> list[LiveMatch]:
        """Return the matches of a bot in the order in which they were created."""
        return list(self._by_bot[bot].values()) if bot in self._by_bot else []

    def count_made_by(self, maker: str) -> int:
        """Return the number of live matches of that creator."""
        return self._count_by_maker[maker]

    def count_of_bot(self, bot: str, maker: str) -> int:
        """Return the number of live matches of the bot by that creator."""
        return sum(live_match.maker == maker for live_match in self.of_bot(bot))

    def all(self) -> list[LiveMatch]:
        """Return all matches in the order in which they were created."""
        return list(self._by_id.values())


async def resume_match(match: Match, at_ms: int, dependencies: RunnerDependencies) -> MatchRunner:
    """Resume a match that no runner runs; `at_ms` is when its last entry was written.

    Match time has stood still since then and runs from now on, so bots should be back first. What another process has
    written meanwhile is applied first. Raises StoreUnavailable.
    """
    while True:
        down_ms = max(0, dependencies.time.wall_ms() - at_ms)  # The wall clock may have been set back.
        back = dependencies.decide(match, ResumeMatch(down_ms), match.at_us)
        if not back.events:  # The match is over. It still returns verdicts for repeated answers.
            return MatchRunner(match, dependencies)
        try:
            entries = await dependencies.log.append(match.setup.match_id, match.number, back.events)
        except Conflict:
            match, at_ms = await _read_on(match, dependencies)
        else:
            runner = MatchRunner(back.match, dependencies)
            runner.notify(dependencies.observer.on_stored, match_steps(match, entries, back.states))
            return runner


async def _read_on(match: Match, dependencies: RunnerDependencies) -> tuple[Match, int]:
    """Return the match after what another process has written, and when it was written (Unix milliseconds)."""
    entries = await dependencies.log.read(match.setup.match_id, match.number)
    steps = await call_engine(match.game, steps_of_entries, match, entries)
    dependencies.observer.on_received(steps)
    return steps[-1].state, entries[-1].at_ms


TOO_LATE = "not every seat was taken by a bot that was there in time"


@dataclass(frozen=True, slots=True)
class FreeCapacity:
    """Free capacity of a bot that is online."""

    player: Player
    room: int
    """Number of further matches that it can start now."""


class MatchStarter:
    def __init__(
        self,
        sessions: Sessions,
        time: Time,
        submit: Callable[[LiveMatch, Command], None],
        reserved_places: ReservedPlaces,
    ) -> None:
        """`submit` passes a command to a match without waiting for the decision."""
        self._sessions = sessions
        self._time = time
        self._submit = submit
        self.reserved_places = reserved_places
        self._playing: dict[Player, dict[str, Setup]] = {}
        """The setups of the matches that each player plays or is about to start, by id."""
        self._occupied: dict[str, tuple[Player, ...]] = {}
        """The players towards whose capacity each match counts. One of them may have been withdrawn since."""
        self._beginning: set[str] = set()
        self._paused = False
        """Whether no match starts, since it is not known yet which bots have room for it."""

    def start_if_ready(self, live_match: LiveMatch) -> None:
        """Start the match if it is ready, or void it if it has waited too long. Idempotent."""
        runner = live_match.runner
        if live_match.match.phase is not MatchPhase.WAITING or runner is None or live_match.match_id in self._beginning:
            self.stop_timer(live_match)
            return
        if self._paused:
            return
        now_us = runner.match_now()
        start_timeout_us = live_match.match.terms.start_timeout_us
        if start_timeout_us and now_us >= start_timeout_us:
            self._submit(live_match, VoidMatch(EndCause.NOT_STARTED, TOO_LATE))
            return
        sessions = self._ready_sessions(live_match.match)
        if sessions and self._nonces_complete(live_match, sessions, now_us):
            self._begin(live_match, sessions)
        self._set_timer(live_match, now_us)

    def pause(self) -> None:
        """Start no match until `unpause`, since it is not known yet which bots have room for it."""
        self._paused = True

    def unpause(self) -> None:
        """Let matches start. The caller tries to start those that wait."""
        self._paused = False

    def sessions_to_begin(self, match: Match) -> list[Session]:
        """Return the session for each seat with which a new match can begin at once; empty: it must wait."""
        return [] if self._paused or match.terms.nonce_timeout_us else self._ready_sessions(match)

    def reserve(self, match: Match) -> None:
        """Count a match that is about to begin towards the capacity of its players."""
        self._beginning.add(match.setup.match_id)
        self.occupy(match)

    def cancel(self, match_id: str) -> None:
        """Free what was reserved for a match that did not begin."""
        self._beginning.discard(match_id)
        for player in self._occupied.pop(match_id, ()):
            matches = self._playing.get(player, {})
            matches.pop(match_id, None)
            if not matches:
                self._playing.pop(player, None)

    def free_capacity(self, player: Player, game: str, labels: Labels | None = None) -> FreeCapacity | None:
        """Return the free capacity of the bot for that game; None: it is offline or does not accept the game.

        With `labels`, it is that for matches with these labels, without places that are kept free for others.
        """
        session = self._session(player, game)
        if session is None:
            return None
        return FreeCapacity(session.player, self._room(labels, session))

    def awaits_nonces(self, live_match: LiveMatch) -> bool:
        """Return whether all bots are ready and the match waits only for nonces."""
        waits = live_match.match.phase is MatchPhase.WAITING and live_match.match_id not in self._beginning
        return waits and bool(self._ready_sessions(live_match.match))

    def occupy(self, match: Match) -> None:
        """Count the match towards the capacity of its players."""
        match_id = match.setup.match_id
        self._occupied[match_id] = match.players
        for player in match.players:
            self._playing.setdefault(player, {})[match_id] = match.setup

    def release(self, live_match: LiveMatch) -> None:
        """Free the capacity of the players, since the match is over, did not start, or is run elsewhere."""
        self.stop_timer(live_match)
        self.cancel(live_match.match_id)

    def _ready_sessions(self, match: Match) -> list[Session]:
        """Return the session for each seat; empty if a seat is open, or its bot is offline or not ready."""
        sessions = [session for player in match.players if (session := self._ready_session(match, player))]
        return sessions if len(sessions) == len(match.players) else []

    def _ready_session(self, match: Match, player: Player) -> Session | None:
        session = self._session(player, match.terms.game)
        if session is None:
            return None
        if match.setup.match_id in self._playing.get(session.player, {}):
            return session
        return session if self._room(dict(match.setup.labels), session) else None

    def _room(self, labels: Labels | None, session: Session) -> int:
        """Return how many more matches with these labels the bot in the session can start."""
        return self.reserved_places.room(labels, session, self._playing.get(session.player, {}).values())

    def _session(self, player: Player, game: str) -> Session | None:
        """Return the session that can play the game, by the player's version if it names one. None: there is none."""
        session = self._sessions.session_for(player) if player.bot else None
        if session is None or (player.version and session.player != player):
            return None
        return session if session.accepts_game(game) else None

    def _nonces_complete(self, live_match: LiveMatch, sessions: list[Session], now_us: Micros) -> bool:
        """Return whether all nonces are given or the time for them is over. If not, request those that are missing."""
        match = live_match.match
        if not match.terms.nonce_timeout_us or None not in match.nonces:
            return True
        missing = [(seat, session) for seat, session in enumerate(sessions) if match.nonces[seat] is None]
        asked = {seat for seat, session in missing if live_match.notified_sessions.get(seat) is session}
        if live_match.nonces_due_us is None:
            live_match.nonces_due_us = now_us + match.terms.nonce_timeout_us
        if now_us >= live_match.nonces_due_us:
            for seat, session in missing:
                if seat in asked:
                    session.nonce_missed()
            return True
        until_us = self._monotonic_us(live_match.nonces_due_us, now_us)
        for seat, session in missing:
            if seat not in asked:
                live_match.notified_sessions[seat] = session
                request = NonceRequested(live_match.match_id, seat, match.setup.commitment, until_us)
                session.outbox.put(("nonce", live_match.match_id, seat), request)
        # A bot that sends no nonces delays one match, and not every match of a contest.
        return all(session.misses_nonces for _, session in missing)

    def _begin(self, live_match: LiveMatch, sessions: list[Session]) -> None:
        open_versions = [seat for seat, player in enumerate(live_match.match.players) if not player.version]
        for seat in open_versions:
            self._submit(live_match, TakeSeat(seat, sessions[seat].player))
        if not open_versions:  # Otherwise the match is checked again when the versions are known.
            self.reserve(live_match.match)
            self._submit(live_match, StartPlay())

    def _set_timer(self, live_match: LiveMatch, now_us: Micros) -> None:
        """Set the timer to the next time limit of the match: for its start, or for nonces."""
        dues = (live_match.match.terms.start_timeout_us, live_match.nonces_due_us)
        due_us = min((due for due in dues if due and due > now_us), default=None)
        if live_match.start_timer is None:
            live_match.start_timer = DeadlineTimer(self._time, lambda: self._timer_fired(live_match))
        live_match.start_timer.set(None if due_us is None else self._monotonic_us(due_us, now_us))

    def _timer_fired(self, live_match: LiveMatch) -> None:
        self.stop_timer(live_match)
        self.start_if_ready(live_match)

    def stop_timer(self, live_match: LiveMatch) -> None:
        """Cancel the timer of the match."""
        if live_match.start_timer:
            live_match.start_timer.stop()
            # It refers to the live match: only the garbage collector could free such a cycle.
            live_match.start_timer = None

    def _monotonic_us(self, at_us: Micros, now_us: Micros) -> Micros:
        return self._time.monotonic_us() + at_us - now_us
