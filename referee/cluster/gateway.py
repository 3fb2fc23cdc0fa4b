"""What a node does for its own bots: reports them to the coordinator, and follows their matches."""

from collections.abc import Callable, Sequence

from referee.cluster.messages import (
    CloseSession,
    Deliver,
    Draining,
    Ended,
    EndStored,
    Follow,
    FromCoordinator,
    ItemForwarded,
    Presence,
    SessionChanged,
    SessionClosed,
    SessionKnown,
    SessionOpened,
    SessionReport,
    ToCoordinator,
)
from referee.cluster.rated_ends import NO_COORDINATOR
from referee.cluster.shared_matches import SharedMatches
from referee.live.outbox import EncodedItem, MatchEnded, TakeoverNotice
from referee.live.ports import Entry, StoreUnavailable, Timer
from referee.live.sessions import Hello, Session, SessionTakenOver
from referee.match.clock import SECOND, Micros
from referee.match.state import Match, MatchPhase
from referee.transport.wire.wire_errors import NodeUnavailable

FOLLOW_RETRY_US: Micros = SECOND
"""Delay before a match whose log could not be read is read again."""

CUT_OFF_AFTER_US: Micros = 3 * SECOND
"""How long a node takes bots after its stream to the coordinator has ended."""
CHECK_INTERVAL_US: Micros = SECOND
"""How often a node that is cut off looks for sessions that it cannot serve any more."""

Send = Callable[[ToCoordinator], None]


class Gateway:
    """A PresenceObserver that has a stream to the coordinator now and then."""

    sees_moves = False

    def __init__(self, node: str, shared: SharedMatches) -> None:
        self._node = node
        self._sessions = shared.live.sessions
        self._shared = shared
        self._time = shared.live.time
        self._start = shared.live.start_task
        self._send: Send | None = None
        """Sends a message to the coordinator. None: there is no stream to it."""
        self._reported: dict[str, dict[str, Hello]] = {}
        """The last Hello of each session that was reported, by bot and id of the session."""
        self._connected: set[str] = set()
        """Bots that are connected to this node."""
        self._watched: set[str] = set()
        """Matches of which the coordinator must be notified of every entry."""
        self._draining = False
        self.cut_off = True
        """Whether this node has no stream to the coordinator and so takes no bots: it would not get their matches."""
        self._cut_off_timer: Timer | None = None
        self._rated_ends = shared.rated_ends

    def connect(self, send: Send) -> None:
        """Begin a stream to the coordinator."""
        self._set_reachable()
        self._send, self._reported = send, {}
        self._watched.clear()
        sessions = [session for session in self._sessions.all() if not session.remote]
        send(SessionReport(tuple(self._opened(session) for session in sessions)))
        if self._draining:
            send(Draining())
        self._rated_ends.connect(send)

    def disconnect(self) -> None:
        """End the stream to the coordinator, or cease to be it. The matches that this node follows go on."""
        self._send = None
        self._rated_ends.disconnect()
        if not self.cut_off and self._cut_off_timer is None:
            self._check_sessions_in(CUT_OFF_AFTER_US)

    def coordinate(self) -> None:
        """Need no stream any more, because this node is the coordinator."""
        self._set_reachable()
        self._send = None
        self._rated_ends.disconnect()
        self._rated_ends.decide_again()

    def close(self) -> None:
        if self._cut_off_timer:
            self._cut_off_timer.cancel()

    def _set_reachable(self) -> None:
        self.close()
        self._cut_off_timer, self.cut_off = None, False

    def _check_sessions_in(self, delay_us: Micros) -> None:
        self._cut_off_timer = self._time.call_at(self._time.monotonic_us() + delay_us, self._end_unserved)

    def _end_unserved(self) -> None:
        """End the sessions of all bots but those that play matches which this node follows."""
        self.cut_off = True
        for session in self._sessions.all():
            if not session.remote and not self._is_served(session):
                session.outbox.close(NodeUnavailable(NO_COORDINATOR))
        self._check_sessions_in(CHECK_INTERVAL_US)

    def _is_served(self, session: Session) -> bool:
        """Return whether the bot gets all turns that it owes, as far as this node can know."""
        bot = session.player.bot
        return session.id in self._reported.get(bot, {}) and bool(self._shared.in_play(bot))

    def drop(self) -> None:
        """End the stream for good: bots count as lost with this node, so their time stands still, and no end waits."""
        self.disconnect()
        self._rated_ends.close()

    def announce_drain(self) -> None:
        """Tell the coordinator that this node sends no new turns any more."""
        self._draining = True
        if self._send:
            self._send(Draining())

    # As an observer

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        if match.phase is MatchPhase.OVER:
            self._watched.discard(match.setup.match_id)

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: a fault of this node concerns no other."""

    def on_presence_changed(self, bot: str) -> None:
        sessions = {session.id: session for session in self._sessions.of_bot(bot) if not session.remote}
        if sessions and bot not in self._connected:
            self._connected.add(bot)
            self._shared.excuse(bot)
        if self._send:
            self._report(self._send, bot, sessions)
        if not sessions:
            self._connected.discard(bot)
            self._shared.release(bot)

    def _report(self, send: Send, bot: str, sessions: dict[str, Session]) -> None:
        reported = self._reported.setdefault(bot, {})
        for session_id in reported.keys() - sessions.keys():
            del reported[session_id]
            send(SessionClosed(session_id, tuple(self._shared.uses(bot)) if not sessions else ()))
        for session_id, session in sessions.items():
            if session_id not in reported:
                send(self._opened(session))
            elif reported[session_id] is not session.hello:
                send(SessionChanged(session_id, tuple(sorted(session.hello.games)), session.hello.max_matches))
                reported[session_id] = session.hello
        if not reported:
            del self._reported[bot]

    def _opened(self, session: Session) -> SessionOpened:
        player, hello = session.player, session.hello
        self._reported.setdefault(player.bot, {})[session.id] = hello
        return SessionOpened(
            session.id,
            player.bot,
            player.version,
            self._sessions.path_and_holder(player)[1],
            tuple(sorted(hello.games)),
            hello.max_matches,
            tuple(match.setup.match_id for match in self._shared.in_play(player.bot)),
        )

    # As the coordinator asks

    def handle(self, message: FromCoordinator) -> None:
        """Handle a message from the coordinator."""
        if isinstance(message, Follow):
            if message.watched:
                self._watched.add(message.match_id)
            self._start(self._follow(message))
        elif isinstance(message, Presence):
            self._update_presence(message.nodes_of)
        elif isinstance(message, EndStored):
            self._rated_ends.handle(message)
        else:
            self._handle_session(message)

    def _handle_session(self, message: SessionKnown | CloseSession | Deliver | Ended) -> None:
        session = self._find_session(message.session_id)
        if session is None:  # It has closed meanwhile.
            return
        if isinstance(message, Deliver):
            session.outbox.put(None, EncodedItem(message.item))
        elif isinstance(message, Ended):
            session.notify_end(MatchEnded(message.match_id, message.seat))
        elif isinstance(message, SessionKnown):
            self._sessions.resend_ends(session)
        else:
            session.outbox.put(None, TakeoverNotice(message.by_session_id))
            session.outbox.close(SessionTakenOver(session.player, message.by_session_id))

    def _find_session(self, session_id: str) -> Session | None:
        return next((session for session in self._sessions.all() if session.id == session_id), None)

    def _update_presence(self, nodes_of: dict[str, tuple[str, ...]]) -> None:
        for bot, nodes in nodes_of.items():
            self._shared.set_elsewhere(bot, tuple(node for node in nodes if node != self._node))

    async def _follow(self, message: Follow) -> None:
        try:
            await self._shared.follow(message.match_id, message.uses, began=message.began)
        except StoreUnavailable:
            self._time.call_at(self._time.monotonic_us() + FOLLOW_RETRY_US, lambda: self.handle(message))

    # For matches that run here

    def forward(self, session: Session, item: bytes) -> bool:
        """Let the coordinator handle an item of a Play stream; return whether it can be reached."""
        if self._send is None:
            return False
        self._send(ItemForwarded(session.id, item))
        return True

    def is_watched(self, match_id: str) -> bool:
        """Return whether the match is watched at the coordinator."""
        return match_id in self._watched
