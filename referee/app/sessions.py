"""The bots that are there: one session for each open Play stream.

The newest session of a bot's version owns the seats that were given to that version; seats of a version
that has no session fall to the newest session of the bot. So a bot can be replaced by its successor in
the middle of a match.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from engines.refusals import Refusal
from referee.app.ends import Ends
from referee.app.network_path import NetworkPath
from referee.app.outbox import Ended, Item, Outbox, Pinged, TakenOver
from referee.app.ports import Time
from referee.core.clock import Micros
from referee.core.setup import Player

PINGS_KEPT = 9
"""So many that are not answered are remembered."""


class SessionTakenOver(Refusal):
    def __init__(self, player: Player, session_id: str) -> None:
        super().__init__(
            f"a newer session of {player.bot} {player.version} owns its seats now: {session_id}",
            bot=player.bot,
            version=player.version,
            session_id=session_id,
        )


@dataclass(frozen=True, slots=True)
class TurnWishes:
    """What each turn should carry beyond the position."""

    legal_moves_at_most: int = 0
    view: bool = False
    all_moves: bool = False


NOTHING_MORE = TurnWishes()


@dataclass(frozen=True, slots=True)
class Hello:
    """What a bot wants of its session. A later one replaces the one before."""

    games: frozenset[str] = frozenset()
    """Empty: all."""
    matches_at_most: int = 1
    """At once. 0: no new ones."""
    wishes: TurnWishes = NOTHING_MORE


ANYTHING = Hello()


class Session:
    """One open Play stream of a bot."""

    def __init__(
        self,
        session_id: str,
        player: Player,
        hello: Hello,
        time: Time,
        path: NetworkPath,
        heard: Callable[[Sequence[Ended]], None],
    ) -> None:
        """`path` is that of the bot, over all of its sessions. `heard` is told of the ends that have arrived."""
        self.id = session_id
        self.player = player
        self.hello = hello
        self.opened_ms = time.wall_ms()
        self.outbox = Outbox(self._goes_out)
        self.heard_us = time.monotonic_us()
        """When it last gave a sign of life: a pong, or its beginning."""
        self._time = time
        self._heard = heard
        self._ping_ids = count(1)
        self._sent_us: dict[int, Micros] = {}
        """When the pings that are not answered yet went out."""
        self._shown_by: list[tuple[int, Ended]] = []
        """Ends that went out, and the first ping after each: its pong shows that the end arrived."""
        self._last_ping = 0
        self._path = path

    @property
    def path_us(self) -> Micros:
        """The way there and back, see `network_path`. 0: nothing is known."""
        return self._path.us

    @property
    def silent_us(self) -> Micros:
        """For how long it has given no sign of life."""
        return self._time.monotonic_us() - self.heard_us

    def ping(self) -> None:
        """Have a ping told. One that did not go out yet is replaced."""
        self.outbox.put("ping", Pinged(next(self._ping_ids), self.path_us))

    def pong(self, ping_id: int) -> bool:
        """The bot answers a ping. False: one that was never sent, or was answered before; it says nothing."""
        sent_us = self._sent_us.get(ping_id)
        if sent_us is None:
            return False
        self.heard_us = self._time.monotonic_us()
        self._path.ping_took(self.heard_us - sent_us, self.heard_us)
        self._sent_us = {other: us for other, us in self._sent_us.items() if other > ping_id}
        if arrived := [ended for shown_by, ended in self._shown_by if shown_by <= ping_id]:
            self._heard(arrived)
            self._shown_by = [shown for shown in self._shown_by if shown[0] > ping_id]
        return True

    def answered_within(self, us: Micros) -> None:
        """So long after a turn was asked, the bot's answer to it was here."""
        self._path.answer_took(us, self._time.monotonic_us())

    def excuse(self, us: Micros) -> None:
        """The referee itself was late by so much, and heard nobody meanwhile."""
        self.heard_us = min(self.heard_us + max(0, us), self._time.monotonic_us())

    def tell_end(self, ended: Ended) -> None:
        self.outbox.put(("ended", ended.match_id, ended.seat), ended)

    def takes(self, game: str) -> bool:
        return not self.hello.games or game in self.hello.games

    def _goes_out(self, items: Sequence[Item]) -> None:
        for item in items:
            if isinstance(item, Pinged):
                self._last_ping = item.id
                self._sent_us[item.id] = self._time.monotonic_us()
                if len(self._sent_us) > PINGS_KEPT:
                    del self._sent_us[min(self._sent_us)]
            elif isinstance(item, Ended):
                self._shown_by.append((self._last_ping + 1, item))


@dataclass(slots=True)
class _Bot:
    """What is known of one bot that was here."""

    sessions: list[Session] = field(default_factory=list)
    """The newest last."""
    since_ms: int = 0
    """When a session of it last came or went."""
    holder: str = ""
    """The holder that owns the bot."""
    path: NetworkPath = field(default_factory=NetworkPath)


class Sessions:
    """All sessions of one process."""

    def __init__(self, time: Time, mint_id: Callable[[], str], changed: Callable[[str], None], ends: Ends) -> None:
        """`changed` is told the bot whose sessions have changed, after each change."""
        self._time = time
        self._mint_id = mint_id
        self._changed = changed
        self._ends = ends
        self._bots: dict[str, _Bot] = {}

    def open(self, player: Player, hello: Hello = ANYTHING, holder: str = "") -> Session:
        """A session for `player`, whose version is known. An older one of the same version is taken over.

        It is told what its bot missed: every turn that it owes, and ends of matches.
        """
        bot = self._bots.setdefault(player.bot, _Bot())
        bot.holder = holder
        session = Session(self._mint_id(), player, hello, self._time, bot.path, self._ends.heard)
        for older in [older for older in bot.sessions if older.player == player]:
            bot.sessions.remove(older)
            older.outbox.put(None, TakenOver(session.id))
            older.outbox.close(SessionTakenOver(player, session.id))
        bot.sessions.append(session)
        bot.since_ms = self._time.wall_ms()
        self._ends.recall(player.bot, session.tell_end)
        self._changed(player.bot)
        return session

    def says_hello(self, session: Session, hello: Hello) -> None:
        """It wants something else from now on."""
        session.hello = hello
        self._changed(session.player.bot)

    def close(self, session: Session) -> None:
        """The stream has ended. To close a session twice, or one that was taken over, is no fault."""
        bot = self._bots[session.player.bot]
        if session in bot.sessions:
            bot.sessions.remove(session)
            bot.since_ms = self._time.wall_ms()
            self._changed(session.player.bot)

    def all(self) -> list[Session]:
        return [session for bot in self._bots.values() for session in bot.sessions]

    def of_bot(self, bot: str) -> tuple[Session, ...]:
        """Its open sessions, the oldest first."""
        return tuple(self._bots[bot].sessions) if bot in self._bots else ()

    def since_ms(self, bot: str) -> int:
        """When a session of it last came or went; 0: none was ever here."""
        return self._bots[bot].since_ms if bot in self._bots else 0

    def holder_of(self, bot: str) -> str:
        """Return the holder of the bot; empty if it never had a session."""
        return self._bots[bot].holder if bot in self._bots else ""

    def present(self, player: Player) -> bool:
        """Can some session play its seats?"""
        return self.of_player(player) is not None

    def of_player(self, player: Player) -> Session | None:
        """The session that owns the seats of `player`; None: the bot is not there."""
        bot = self._bots.get(player.bot)
        if bot is None or not bot.sessions:
            return None
        for session in reversed(bot.sessions):
            if session.player == player:
                return session
        return bot.sessions[-1]

    def tell_end(self, player: Player, ended: Ended) -> None:
        """Have the bot told that its match is over, if it is there; else the end waits for it with the log."""
        session = self.of_player(player)
        if session:
            session.tell_end(ended)
