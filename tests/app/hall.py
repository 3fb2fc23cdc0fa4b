"""A whole referee on a stopped time, with bots that a test plays by hand."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from engines.api import Game
from engines.registry import games
from referee.app.floor import Listener
from referee.app.lag import Lag
from referee.app.outbox import Asked, Ended, Item
from referee.app.ports import Entry, LogUnavailable
from referee.app.referee import Referee
from referee.app.sessions import Hello, Session
from referee.app.turns import TurnDue
from referee.app.wish import Limits, MatchWish
from referee.core.clock import SECOND, SuddenDeath
from referee.core.match import Match, Phase
from referee.core.setup import Player
from referee.storage.memory import MemoryEventLog
from referee.storage.unheard_memory import MemoryUnheardEnds
from tests.app.scene import GatedLog
from tests.app.stopped_time import StoppedTime, settled
from tests.core.games import BRITTLE, STONES
from tests.strangers_games.strangers_games import FINGERS, NIM

GAMES: dict[str, Game] = {**games(), "nim": NIM, "fingers": FINGERS, "brittle": BRITTLE, "stones": STONES}
BOTS = tuple(Player(f"bot{seat}", "1") for seat in range(4))
USUAL = Limits()
MANY = Hello(matches_at_most=1000)


class Noting:
    """A listener."""

    def __init__(self) -> None:
        self.heard: list[Entry] = []
        self.faults: list[tuple[str, Exception]] = []

    def announce(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        self.heard.extend(entries)

    def broke(self, match_id: str, fault: Exception) -> None:
        self.faults.append((match_id, fault))


class GatedEnds(MemoryUnheardEnds):
    """That can be away."""

    trouble: LogUnavailable | None = None

    async def of(self, bot: str, at_most: int) -> list[Ended]:
        if self.trouble:
            raise self.trouble
        return await super().of(bot, at_most)


class Hall:
    """One process with its referee."""

    log: GatedLog

    def __init__(self, after: "Hall | None" = None, limits: Limits = USUAL, games: dict[str, Game] = GAMES) -> None:
        """Alone, or after another process on the same log."""
        self.time: StoppedTime = after.time if after else StoppedTime()
        self.stored: MemoryEventLog = after.stored if after else MemoryEventLog(self.time.wall_ms)
        self.log = GatedLog(self.time, self.stored)
        self.unheard = GatedEnds(self.stored)
        self.noted = Noting()
        self.listeners: list[Listener] = [self.noted]
        self.lag = Lag(self.time)
        self.ids: Iterator[int] = after.ids if after else count(1)
        self.referee = Referee(
            self.log,
            self.unheard,
            self.time,
            games,
            limits,
            lambda: f"id{next(self.ids)}",
            lambda: bytes(32),
            self.lag,
            self.listeners,
        )

    async def crashed(self, games: dict[str, Game] | None = None) -> "Hall":
        """Another process on the same log. This one does nothing any more."""
        await self.referee.close()
        return Hall(after=self, games=games or GAMES)

    def come(self, *players: Player, hello: Hello = MANY) -> list[Session]:
        return [self.referee.sessions.open(player, hello) for player in players]

    async def create(self, game: str = "nim", **more: Any) -> str:
        """A match of bot0, bot1, … with ten seconds a seat, but for what is said."""
        created = await self.referee.create(wish(game, **more))
        await settled()
        return created.standing.match.setup.match_id

    async def begun(self, game: str = "nim", **more: Any) -> tuple[str, list[Session]]:
        sessions = self.come(*BOTS[: seats_of(game)])
        match_id = await self.create(game, **more)
        assert (await self.referee.standing(match_id)).match.phase is Phase.PLAYING
        return match_id, sessions

    def due(self, match_id: str, seat: int) -> TurnDue:
        due = self.referee.turn_due(match_id, seat)
        assert due
        return due

    async def played(self, match_id: str, seat: int, move: str, **more: Any) -> Any:
        """The seat answers its turn."""
        answered = await self.referee.submit(match_id, seat, self.due(match_id, seat).turn.token, move, **more)
        await settled()
        return answered

    async def kinds(self, match_id: str) -> list[str]:
        return [type(entry.event).__name__ for entry in await self.stored.read(match_id)]

    async def match(self, match_id: str) -> Match:
        return (await self.referee.standing(match_id)).match


def seats_of(game: str) -> int:
    return len(GAMES[game].table(GAMES[game].settings()).seats)


def wish(game: str = "nim", **more: Any) -> MatchWish:
    usual: dict[str, Any] = {"players": BOTS[: seats_of(game)], "controls": (SuddenDeath(10 * SECOND),)}
    return MatchWish(game, **usual | more)


def told(session: Session) -> list[Item]:
    """All that waits to be told, taken out."""
    return session.outbox.drain(1000)


def asked(session: Session) -> list[Asked]:
    """The turns among it."""
    return [item for item in told(session) if isinstance(item, Asked)]


def of_kind(items: Sequence[Item], kind: Callable[..., Item]) -> list[Item]:
    return [item for item in items if type(item) is kind]
