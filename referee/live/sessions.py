"""Sessions of bots that are online: one for each open Play stream.

The newest session of a version owns the seats of that version; seats of a version without a session belong to the
newest session of the bot. So a newer version can take over in the middle of a match.

The absence of a bot is debounced: a bot in many matches that reconnects at once would otherwise cause two entries in
each of their logs. An absence is written once it has lasted for `ABSENCE_DELAY_US`, dated from its beginning. After a
written absence the next one is written at the earliest `MIN_ABSENCE_GAP_US` after the bot came back. Grace periods
count from the beginning of the absence.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from engines.game_errors import DetailedError
from referee.live.network_path import NetworkPath
from referee.live.other_nodes import SINGLE_NODE, OtherNodes
from referee.live.outbox import EndDelivery, MatchEnded, Outbox, OutboxItem, PingNotice, TakeoverNotice, VerdictNotice
from referee.live.ports import Time, Timer
from referee.match.clock import MS, SECOND, Micros
from referee.match.setup import Player

MAX_OPEN_PINGS = 9
"""Limit of unanswered pings that are remembered."""
MAX_VERDICT_DELAY_US: Micros = 300 * MS
"""How long the verdict on an accepted move can wait for another item, if the bot asks for that."""
ABSENCE_DELAY_US: Micros = SECOND
MIN_ABSENCE_GAP_US: Micros = 10 * SECOND


class SessionTakenOver(DetailedError):
    def __init__(self, player: Player, session_id: str) -> None:
        super().__init__(
            f"a newer session of {player.bot} {player.version} owns its seats now: {session_id}",
            bot=player.bot,
            version=player.version,
            session_id=session_id,
        )


@dataclass(frozen=True, slots=True)
class TurnOptions:
    """Optional contents of each turn, besides the position."""

    max_legal_moves: int = 0
    view: bool = False
    all_moves: bool = False


DEFAULT_TURN_OPTIONS = TurnOptions()


@dataclass(frozen=True, slots=True)
class Hello:
    """Options of a session. A later Hello replaces them."""

    games: frozenset[str] = frozenset()
    """Games that the bot plays. Empty: all."""
    max_matches: int = 1
    """Limit of matches at the same time. 0: no new ones."""
    turn_options: TurnOptions = DEFAULT_TURN_OPTIONS
    verdicts_with_turns: bool = False
    """Whether verdicts on accepted moves wait for another item, for at most MAX_VERDICT_DELAY_US."""


DEFAULT_HELLO = Hello()


class Session:
    """One open Play stream of a bot."""

    remote = False
    """Whether the stream is connected to another node."""

    def __init__(
        self,
        session_id: str,
        player: Player,
        hello: Hello,
        time: Time,
        path: NetworkPath,
        on_delivered: Callable[[Sequence[MatchEnded]], None],
        outage_us: Callable[[], Micros] = lambda: 0,
    ) -> None:
        """`path` is shared by all sessions of the bot. `on_delivered` is called with results that a pong confirms.

        `outage_us` returns for how long the way to the bots was interrupted so far, which is no silence of theirs.
        """
        self.id = session_id
        self.player = player
        self.hello = hello
        self.opened_ms = time.wall_ms()
        self.outbox = Outbox(self._on_sent)
        self.last_seen_us = time.monotonic_us()
        """When the last pong arrived, or else when the session was opened."""
        self._time = time
        self._outage_us = outage_us
        self._outage_when_seen_us = outage_us()
        self._on_delivered = on_delivered
        self._ping_ids = count(1)
        self._sent_us: dict[int, Micros] = {}
        """When each unanswered ping was sent, by its id."""
        self._unconfirmed: list[tuple[int, MatchEnded]] = []
        """Results that were sent, each with the first ping after it, whose pong confirms the result."""
        self._last_ping = 0
        self._verdict_timer: Timer | None = None
        """Sends the verdicts that wait. None: none has waited since it fired."""
        self.path = path
        self.misses_nonces = False
        """Whether its last nonce was not there in time; then no match waits for its nonces until it sends one."""

    def nonce_given(self) -> None:
        self.misses_nonces = False

    def nonce_missed(self) -> None:
        self.misses_nonces = True

    @property
    def round_trip_us(self) -> Micros:
        """Estimated network round trip; 0: unknown."""
        return self.path.round_trip_us

    @property
    def silent_us(self) -> Micros:
        """Time since the last pong, or since the session was opened, without outages."""
        return self._time.monotonic_us() - self.last_seen_us - (self._outage_us() - self._outage_when_seen_us)

    def accept_move(self, verdict: VerdictNotice) -> None:
        """Queue the verdict on an accepted move."""
        if not self.hello.verdicts_with_turns:
            self.outbox.put(None, verdict)
            return
        self.outbox.put_waiting(verdict)
        if self._verdict_timer is None:
            due_us = self._time.monotonic_us() + MAX_VERDICT_DELAY_US
            self._verdict_timer = self._time.call_at(due_us, self._release_verdicts)

    def ping(self) -> None:
        """Queue a ping, replacing one that was not sent yet."""
        self.outbox.put("ping", PingNotice(next(self._ping_ids), self.round_trip_us))

    def pong(self, ping_id: int) -> bool:
        """Handle a pong. Return False if that ping was not sent, or was answered before."""
        sent_us = self._sent_us.get(ping_id)
        if sent_us is None:
            return False
        self.last_seen_us = self._time.monotonic_us()
        self._outage_when_seen_us = self._outage_us()
        self.path.record_ping(self.last_seen_us - sent_us, self.last_seen_us)
        self._sent_us = {other: us for other, us in self._sent_us.items() if other > ping_id}
        if arrived := [ended for shown_by, ended in self._unconfirmed if shown_by <= ping_id]:
            self._on_delivered(arrived)
            self._unconfirmed = [shown for shown in self._unconfirmed if shown[0] > ping_id]
        return True

    def record_answer_time(self, us: Micros) -> None:
        """Record how long after its turn an answer arrived, which the round trip cannot exceed."""
        if us < self.path.round_trip_us:
            self.path.record_ping(max(0, us), self._time.monotonic_us())

    def excuse_silence(self, us: Micros) -> None:
        """Exclude time in which the server itself was late from the silence of the session."""
        self.last_seen_us = min(self.last_seen_us + max(0, us), self._time.monotonic_us())

    def notify_end(self, ended: MatchEnded) -> None:
        self.outbox.put(("ended", ended.match_id, ended.seat), ended)

    def accepts_game(self, game: str) -> bool:
        return not self.hello.games or game in self.hello.games

    def _release_verdicts(self) -> None:
        self._verdict_timer = None
        self.outbox.release()

    def _on_sent(self, items: Sequence[OutboxItem]) -> None:
        for item in items:
            if isinstance(item, PingNotice):
                self._last_ping = item.id
                self._sent_us[item.id] = self._time.monotonic_us()
                if len(self._sent_us) > MAX_OPEN_PINGS:
                    del self._sent_us[min(self._sent_us)]
            elif isinstance(item, MatchEnded):
                self._unconfirmed.append((self._last_ping + 1, item))


@dataclass(slots=True)
class _Bot:
    """A bot that has had a session in this process."""

    sessions: list[Session] = field(default_factory=list)
    """Open sessions, the newest last."""
    since_ms: int = 0
    """When a session of it was last opened or closed (Unix milliseconds)."""
    holder: str = ""
    """The holder that owns the bot."""
    path: NetworkPath = field(default_factory=NetworkPath)


class Sessions:
    """All sessions of one process."""

    def __init__(
        self,
        time: Time,
        mint_id: Callable[[], str],
        on_change: Callable[[str], None],
        ends: EndDelivery,
        others: OtherNodes = SINGLE_NODE,
        outage_us: Callable[[], Micros] = lambda: 0,
    ) -> None:
        """`on_change` is called with the bot after each change of its sessions. `outage_us`: as of a session."""
        self._time = time
        self._mint_id = mint_id
        self._on_change = on_change
        self._ends = ends
        self._others = others
        self._outage_us = outage_us
        self._bots: dict[str, _Bot] = {}

    def open(self, player: Player, hello: Hello = DEFAULT_HELLO, holder: str = "") -> Session:
        """Open a session, taking over an older one of the same version.

        The bot gets all turns that it owes, and missed results.
        """
        bot = self._bots.setdefault(player.bot, _Bot())
        delivered = self._ends.mark_delivered
        session = Session(self._mint_id(), player, hello, self._time, bot.path, delivered, self._outage_us)
        if self._others.in_charge:  # Otherwise they are sent when the node in charge knows the session.
            self.resend_ends(session)
        self.add(session, holder)
        return session

    def resend_ends(self, session: Session) -> None:
        """Send the results that the bot has not confirmed, in the background."""
        self._ends.resend(session.player.bot, session.notify_end)

    def add(self, session: Session, holder: str) -> None:
        """Add an open session, which takes over an older one of the same version."""
        player = session.player
        bot = self._bots.setdefault(player.bot, _Bot())
        bot.holder = holder
        for older in [older for older in bot.sessions if older.player == player]:
            bot.sessions.remove(older)
            older.outbox.put(None, TakeoverNotice(session.id))
            older.outbox.close(SessionTakenOver(player, session.id))
        bot.sessions.append(session)
        bot.since_ms = self._time.wall_ms()
        self._on_change(player.bot)

    def update_hello(self, session: Session, hello: Hello) -> None:
        """Replace the options of a session."""
        session.hello = hello
        self._on_change(session.player.bot)

    def close(self, session: Session) -> None:
        """Close a session whose stream has ended. Idempotent, also after a takeover."""
        bot = self._bots[session.player.bot]
        if session in bot.sessions:
            bot.sessions.remove(session)
            bot.since_ms = self._time.wall_ms()
            self._on_change(session.player.bot)

    def all(self) -> list[Session]:
        return [session for bot in self._bots.values() for session in bot.sessions]

    def bots(self) -> list[str]:
        """Return the bots that have had a session."""
        return list(self._bots)

    def of_bot(self, bot: str) -> tuple[Session, ...]:
        """Return the open sessions of a bot, the oldest first."""
        return tuple(self._bots[bot].sessions) if bot in self._bots else ()

    def since_ms(self, bot: str) -> int:
        """Return when a session of the bot was last opened or closed; 0: never."""
        return self._bots[bot].since_ms if bot in self._bots else 0

    def path_and_holder(self, player: Player) -> tuple[Micros, str]:
        """Return the round trip of the bot that is online (0: unknown), and its holder (empty: it had no session)."""
        bot = self._bots.get(player.bot)
        if bot is None:
            return 0, ""
        return bot.path.round_trip_us if bot.sessions else 0, bot.holder

    def is_local(self, bot: str) -> bool:
        """Return whether the bot is connected to this node."""
        return any(not session.remote for session in self.of_bot(bot))

    def is_online(self, player: Player) -> bool:
        """Return whether some session can play its seats."""
        return self.session_for(player) is not None

    def session_for(self, player: Player) -> Session | None:
        """Return the session that owns the seats of `player`; None: the bot is offline."""
        bot = self._bots.get(player.bot)
        if bot is None or not bot.sessions:
            return None
        for session in reversed(bot.sessions):
            if session.player == player:
                return session
        return bot.sessions[-1]

    def notify_end(self, player: Player, ended: MatchEnded) -> None:
        """Send the end of a match to the bot if it is online; otherwise it stays undelivered."""
        session = self.session_for(player)
        if session:
            session.notify_end(ended)


@dataclass(frozen=True, slots=True)
class Absence:
    since_us: Micros
    due_us: Micros
    """When the absence is written to the logs."""
    timer: Timer


class Absences:
    """Absences of bots that had a session and have none now. Times are monotonic."""

    def __init__(self, time: Time, due: Callable[[str], None]) -> None:
        """`due` is called with each bot whose absence must be written now."""
        self._time = time
        self._due = due
        self._absences: dict[str, Absence] = {}
        self._returned_us: dict[str, Micros] = {}
        """When each bot whose absence was written came back."""

    def update(self, bot: str, online: bool) -> None:
        """Record whether the bot has a session now. Idempotent."""
        if online:
            self._end(bot)
        elif bot not in self._absences:
            now_us = self._time.monotonic_us()
            due_us = max(
                now_us + ABSENCE_DELAY_US, self._returned_us.get(bot, now_us - MIN_ABSENCE_GAP_US) + MIN_ABSENCE_GAP_US
            )
            self._absences[bot] = Absence(now_us, due_us, self._time.call_at(due_us, lambda: self._fall_due(bot)))

    def absent_since_us(self, bot: str) -> Micros | None:
        """Return when the absence of an offline bot began, if it is due to be written; None: not yet."""
        absence, now_us = self._absences.get(bot), self._time.monotonic_us()
        if absence is None:  # It has had no session since this process started.
            return now_us
        return absence.since_us if now_us >= absence.due_us else None

    def _fall_due(self, bot: str) -> None:
        # A timer of the event loop can fire a millisecond early. The absence is due nevertheless: no timer follows.
        self._absences[bot] = replace(self._absences[bot], due_us=self._time.monotonic_us())
        self._due(bot)

    def close(self) -> None:
        for absence in self._absences.values():
            absence.timer.cancel()

    def _end(self, bot: str) -> None:
        absence = self._absences.pop(bot, None)
        if absence is None:
            return
        absence.timer.cancel()
        now_us = self._time.monotonic_us()
        if now_us >= absence.due_us:
            self._returned_us[bot] = now_us
