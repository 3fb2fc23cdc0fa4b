"""A complete referee on a stopped clock; tests submit the answers of the bots."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from engines.api import Game
from engines.options import Value
from engines.registry import games
from referee.live.loop_lag import LoopLag
from referee.live.match_request import LiveLimits, MatchRequest
from referee.live.outbox import MatchEnded, OutboxItem, TurnNotice
from referee.live.ports import Entry, MatchObserver, StoreUnavailable
from referee.live.referee import Referee
from referee.live.registry import LiveMatches, MatchSurroundings
from referee.live.sessions import Hello, Session
from referee.live.turns import TurnDue
from referee.match.clock import SECOND, SuddenDeath
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase
from tests.live.fake_time import FakeTime, settle
from tests.live.runner_harness import LoggingProcess
from tests.match.games import BRITTLE, STONES
from tests.match.setups import complete, split
from tests.storage.memory import MemoryUndeliveredEnds
from tests.third_party_games.third_party_games import FINGERS, NIM

GAMES: dict[str, Game] = {**games(), "nim": NIM, "fingers": FINGERS, "brittle": BRITTLE, "stones": STONES}
BOTS = tuple(Player(f"bot{seat}", "1") for seat in range(4))
DEFAULT_LIMITS = LiveLimits()
MANY_MATCHES = Hello(max_matches=1000)


class Recorder:
    """Observer that records entries and faults."""

    sees_moves = True

    def __init__(self) -> None:
        self.received: list[Entry] = []
        self.faults: list[tuple[str, Exception]] = []

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        self.received.extend(entries)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        self.faults.append((match_id, fault))


class GatedEnds(MemoryUndeliveredEnds):
    """Store of undelivered ends that can be made unavailable."""

    error: StoreUnavailable | None = None

    async def list_for(self, bot: str, limit: int) -> list[MatchEnded]:
        if self.error:
            raise self.error
        return await super().list_for(bot, limit)


class RefereeHarness(LoggingProcess):
    """One server process with its referee."""

    def __init__(
        self,
        after: "RefereeHarness | None" = None,
        limits: LiveLimits = DEFAULT_LIMITS,
        games: dict[str, Game] = GAMES,
        observers: Sequence[MatchObserver] = (),
        time: FakeTime | None = None,
        lag: LoopLag | None = None,
        **around: Any,
    ) -> None:
        """Start with an empty log, or with the log of an earlier process. `around`: fields of MatchSurroundings."""
        super().__init__(after, time)
        self.undelivered_ends = GatedEnds(self.stored)
        self.recorder = Recorder()
        self.lag = lag or LoopLag(self.time)
        self.ids: Iterator[int] = after.ids if after else count(1)
        surroundings = MatchSurroundings((self.recorder, *observers), **around)
        self.live = LiveMatches(
            self.log, self.undelivered_ends, self.time, games, self._mint_id, self.lag, surroundings
        )
        self.referee = Referee(self.live, limits, self._mint_id, lambda: bytes(32))

    def _mint_id(self) -> str:
        return f"id{next(self.ids)}"

    async def close(self) -> None:
        self.log.before.set()
        self.log.after.set()
        await self.referee.close()

    async def restart(self, games: dict[str, Game] | None = None) -> "RefereeHarness":
        """Return another process on the same log. This one is closed."""
        await self.referee.close()
        return RefereeHarness(after=self, games=games or GAMES)

    async def restart_and_recover(self, games: dict[str, Game] | None = None) -> "RefereeHarness":
        """Return another process on the same log, which has recovered its matches. This one is closed."""
        later = await self.restart(games)
        await later.referee.recover()
        return later

    def connect(self, *players: Player, hello: Hello = MANY_MATCHES) -> list[Session]:
        return [self.referee.sessions.open(player, hello) for player in players]

    async def create(self, game: str = "nim", **more: Any) -> str:
        """Create a match of bot0, bot1, … with ten seconds per seat, unless `more` says otherwise; return its id."""
        created = await self.referee.create(match_request(game, **more))
        await settle()
        return created.status.match.setup.match_id

    async def start_match(self, game: str = "nim", **more: Any) -> tuple[str, list[Session]]:
        sessions = self.connect(*BOTS[: seats_of(game)])
        match_id = await self.create(game, **more)
        assert (await self.referee.status(match_id)).match.phase is MatchPhase.PLAYING
        return match_id, sessions

    def turn_due(self, match_id: str, seat: int) -> TurnDue:
        due = self.referee.turn_due(match_id, seat)
        assert due
        return due

    async def submit_move(self, match_id: str, seat: int, move: str, **more: Any) -> Any:
        """Answer the seat's turn."""
        answered = await self.referee.submit(match_id, seat, self.turn_due(match_id, seat).turn.token, move, **more)
        await settle()
        return answered

    async def match(self, match_id: str) -> Match:
        return (await self.referee.status(match_id)).match


def seats_of(game: str) -> int:
    return len(GAMES[game].table(GAMES[game].settings()).seats)


def match_request(game: str = "nim", chosen: Mapping[str, Value] | None = None, **more: Any) -> MatchRequest:
    defaults: dict[str, Any] = {"players": BOTS[: seats_of(game)], "controls": (SuddenDeath(10 * SECOND),)}
    terms, others = split(defaults | more)
    return MatchRequest(MatchTerms(game, GAMES[game].settings(chosen), **complete(terms)), **others)


def drain_outbox(*sessions: Session) -> list[OutboxItem]:
    """Remove and return everything in the outgoing queues."""
    return [item for session in sessions for item in session.outbox.drain(1000)]


def drain_turns(session: Session) -> list[TurnNotice]:
    """Empty the outgoing queue, and return the turns that were in it."""
    return [item for item in drain_outbox(session) if isinstance(item, TurnNotice)]


def filter_by_type(items: Sequence[OutboxItem], kind: Callable[..., OutboxItem]) -> list[OutboxItem]:
    return [item for item in items if type(item) is kind]
