"""What the coordinator does for the other nodes: knows their sessions, and tells them which matches to follow."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

from referee.accounts.bot_log import NoticeNote
from referee.cluster.messages import (
    CONFLICT,
    STORED,
    UNAVAILABLE,
    CloseSession,
    Deliver,
    Draining,
    Ended,
    EndRated,
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
from referee.cluster.shared_matches import SharedMatches
from referee.live.match_timing import TurnUse
from referee.live.network_path import NetworkPath
from referee.live.outbox import NonceRequested, Outbox, OutboxItem, TakeoverNotice, VerdictNotice
from referee.live.ports import Append, Conflict, Entry, StoreUnavailable, Time
from referee.live.queued_command import MatchMoving
from referee.live.sessions import Hello, Session
from referee.match.clock import MS, Micros
from referee.match.events import PlayEnded, PlayStarted, RefereeRecovered
from referee.match.setup import Player
from referee.match.state import Match, MatchPhase
from referee.storage.codec import MATCH_CODEC, decode_request

MAX_SILENCE_US: Micros = 1_500 * MS
"""A node that has been silent for longer, although it writes a ping every second, may stand still."""
DELIVERED = (NonceRequested, VerdictNotice, NoticeNote)
"""Items that the node of the session does not make itself."""

Send = Callable[[FromCoordinator], None]


class ItemHandler(Protocol):
    """Handles items of Play streams that are connected to other nodes."""

    async def answer_item(self, session: Session, message: bytes) -> VerdictNotice:
        """Carry out a BotItem, and return the verdict on it."""

    async def encode_item(self, session: Session, item: OutboxItem) -> bytes:
        """Return the RefereeItem of an item for the bot of that session."""


class RemoteSession(Session):
    """A session whose stream is connected to another node."""

    remote = True

    def __init__(
        self, opened: SessionOpened, node: str, time: Time, put: Callable[["RemoteSession", OutboxItem], None]
    ) -> None:
        """`put` is called with each item for the session."""
        player = Player(opened.bot, opened.version)
        hello = _hello(opened.games, opened.max_matches)
        super().__init__(opened.session_id, player, hello, time, NetworkPath(), lambda _: None)
        self.node = node
        self.outbox = _RemoteOutbox(lambda item: put(self, item))


class _RemoteOutbox(Outbox):
    """Passes items on at once."""

    def __init__(self, put: Callable[[OutboxItem], None]) -> None:
        super().__init__()
        self._put = put

    def put(self, _: object, item: OutboxItem) -> None:
        if not self.closed:
            self._put(item)


class Coordinator:
    """A PresenceObserver of the coordinator, which has a stream to each other node."""

    sees_moves = False

    def __init__(self, node: str, shared: SharedMatches, items: ItemHandler, return_within_us: Micros) -> None:
        """`return_within_us`: how long bots that have lost their node are waited for."""
        self._node = node
        self._sessions = shared.live.sessions
        self._shared = shared
        self._time = shared.live.time
        self._start = shared.live.start_task
        self._items = items
        self._return_within_us = return_within_us
        self._nodes: dict[str, Send] = {}
        """Sends a message to each node that has a stream."""
        self._silent_us: dict[str, Callable[[], Micros]] = {}
        """Returns how long each of these nodes has sent nothing."""
        self._draining: set[str] = set()
        """Those of these nodes that send no new turns."""
        self._unheard: set[str] = set()
        """Members that have not reported their sessions, or whose stream has ended since: any bot may be there."""
        shared.on_watched(self._watch)

    def begin(self, others: Collection[str]) -> None:
        """Become the coordinator of these other members, which have not reported their sessions yet."""
        self._unheard = set(others)
        self.wait_for_reports()
        if self._unheard:
            self._shared.hold_time()

    def connect(self, node: str, send: Send, silent_us: Callable[[], Micros]) -> None:
        """Begin a stream to a node, which reports its sessions next. `silent_us` returns for how long it is silent."""
        self._nodes[node] = send
        self._silent_us[node] = silent_us
        send(Presence({bot: nodes for bot in self._sessions.bots() if (nodes := self._nodes_of_online(bot))}))

    def disconnect(self, node: str, send: Send) -> None:
        """End a stream. The bots of the node count as connected until the node has left the cluster.

        If one of them connects to another node, nobody knows how much time it has used. Nor does anybody know which
        bots connect to the node from now on, so the time of all bots that are offline stands still.
        """
        if self._nodes.get(node) is send:
            unheard_us = self._silent_us[node]()
            del self._nodes[node], self._silent_us[node]
            self._draining.discard(node)
            self._wait_for_bots_of(node)
            self._unheard.add(node)
            self._shared.hold_time(unheard_us)

    def remove_node(self, node: str) -> None:
        """Wait for the bots that were connected to a node that has left the cluster, as far as is known."""
        self._wait_for_bots_of(node)
        for session in self._sessions_on(node):
            self._sessions.close(session)
        self._set_heard(node)

    def _set_heard(self, node: str) -> None:
        """Note that no bots are connected to the node but those whose sessions are known."""
        self._unheard.discard(node)
        if not self._unheard:
            self._shared.lost.release(self._return_within_us)

    def _wait_for_bots_of(self, node: str) -> None:
        bots = {session.player.bot for session in self._sessions_on(node)}
        self._shared.lost.add({bot for bot in bots if self._nodes_of_online(bot) == (node,)}, self._return_within_us)

    def wait_for_reports(self) -> None:
        """Wait for all bots in matches in play that may be connected to other nodes, which have not reported yet."""
        self._shared.lost.add(self._shared.offline_bots(), self._return_within_us)

    def resign(self) -> None:
        """Forget all other nodes and their sessions, since this node is the coordinator no more.

        Only the matches of bots that are connected here go on here.
        """
        self._nodes.clear()
        self._silent_us.clear()
        self._draining.clear()
        self._unheard.clear()
        for session in _only_remote(self._sessions.all()):
            self._sessions.close(session)
        self._shared.release_all()

    def handle(self, node: str, message: ToCoordinator) -> None:
        """Handle a message from a node."""
        if isinstance(message, SessionReport):
            self._update_sessions(node, message.sessions)
        elif isinstance(message, SessionOpened):
            self._open_session(node, message)
        elif isinstance(message, EndRated):
            self._start(self._end_rated(node, message))
        elif isinstance(message, Draining):
            self._draining.add(node)
        elif session := self._find_session(node, message.session_id):
            self._handle_session(session, message)

    def _handle_session(self, session: RemoteSession, message: SessionChanged | SessionClosed | ItemForwarded) -> None:
        if isinstance(message, SessionChanged):
            self._sessions.update_hello(session, _hello(message.games, message.max_matches))
        elif isinstance(message, SessionClosed):
            self._shared.set_uses(message.uses)
            self._excuse_node(session)
            self._sessions.close(session)
        else:
            self._start(self._answer(session, message.item))

    def _update_sessions(self, node: str, reported: Sequence[SessionOpened]) -> None:
        known = {session.id: session for session in self._sessions_on(node)}
        for session_id in known.keys() - {opened.session_id for opened in reported}:
            self._sessions.close(known[session_id])
        for opened in reported:
            if opened.session_id in known:  # The node has measured the turns of the bot all the time.
                self._shared.lost.discard(opened.bot)
                self._follow_all(known[opened.session_id], opened.follows, uses=())
                self._send(node, SessionKnown(opened.session_id))
            else:
                self._open_session(node, opened)
        self._set_heard(node)

    def _open_session(self, node: str, opened: SessionOpened) -> None:
        adopted = [match for match_id in opened.follows if (match := self._shared.adopt(match_id))]
        session = RemoteSession(opened, node, self._time, self._put)
        self._sessions.add(session, opened.holder)
        self._follow_all(session, opened.follows, self._shared.uses(opened.bot))
        self._send(node, SessionKnown(session.id))
        for match in adopted:  # Nodes that reported their bots before this one were not told to follow it.
            self._let_nodes_follow(match)

    def _follow_all(
        self, session: RemoteSession, follows: Collection[str], uses: Sequence[tuple[str, TurnUse]]
    ) -> None:
        """Let the node of the session follow the matches of its bot, and tell it what it cannot know of them."""
        uses_by_match = defaultdict(list)
        for match_id, used in uses:
            uses_by_match[match_id].append(used)
        for match in self._shared.in_play(session.player.bot):
            match_id = match.setup.match_id
            watched, used_here = self._shared.is_watched(match_id), tuple(uses_by_match[match_id])
            if match_id not in follows or used_here or watched:
                self._send(session.node, Follow(match_id, used_here, watched=watched))
        self._shared.catch_up([match.setup.match_id for match in self._shared.in_play(session.player.bot)])

    # As an observer

    def on_entries(self, before: Match | None, entries: Sequence[Entry], match: Match) -> None:
        """Let nodes follow a match that has begun or resumed, and tell bots of a match that never began."""
        kinds = {type(entry.event) for entry in entries}
        if match.phase is MatchPhase.PLAYING and not kinds.isdisjoint({PlayStarted, RefereeRecovered}):
            self._let_nodes_follow(match, began=PlayStarted in kinds)
        elif PlayEnded in kinds and before and before.phase is MatchPhase.WAITING:
            for seat, player in enumerate(match.players):
                session = self._sessions.session_for(player) if player.bot else None
                if isinstance(session, RemoteSession):
                    self._send(session.node, Ended(session.id, match.setup.match_id, seat))

    def _let_nodes_follow(self, match: Match, *, began: bool = False) -> None:
        """Let all nodes to which bots of the match are connected follow it."""
        match_id = match.setup.match_id
        self._send_all(match, Follow(match_id, began=began, watched=self._shared.is_watched(match_id)))

    def _watch(self, match: Match) -> None:
        """Get every entry of a match from the nodes that run it."""
        self._send_all(match, Follow(match.setup.match_id, watched=True))

    def on_fault(self, match_id: str, fault: Exception) -> None:
        """Do nothing: it is logged."""

    def on_presence_changed(self, bot: str) -> None:
        presence = Presence({bot: self._nodes_of_online(bot)})
        for node in [*self._nodes]:
            self._send(node, presence)

    # Sessions

    def nodes_of(self, bot: str) -> Collection[str]:
        """Return the other nodes to which the bot is connected."""
        return {session.node for session in self._remote_sessions(bot)}

    def _nodes_of_online(self, bot: str) -> tuple[str, ...]:
        """Return all nodes to which the bot is connected, this one included."""
        here = (self._node,) if self._sessions.is_local(bot) else ()
        return (*here, *sorted(self.nodes_of(bot)))

    def _remote_sessions(self, bot: str) -> list[RemoteSession]:
        return _only_remote(self._sessions.of_bot(bot))

    def _sessions_on(self, node: str) -> list[RemoteSession]:
        return [session for session in _only_remote(self._sessions.all()) if session.node == node]

    def _find_session(self, node: str, session_id: str) -> RemoteSession | None:
        return next((session for session in self._sessions_on(node) if session.id == session_id), None)

    def _put(self, session: RemoteSession, item: OutboxItem) -> None:
        if isinstance(item, TakeoverNotice):
            self._excuse_node(session)
            self._send(session.node, CloseSession(session.id, item.by_session_id))
        elif isinstance(item, DELIVERED):
            self._start(self._deliver(session, item))

    def _excuse_node(self, session: RemoteSession) -> None:
        """Charge no time to a bot that leaves a node which drains, or is not heard: it may have got no turn there."""
        silent_us = self._silent_us.get(session.node)
        if session.node in self._draining or silent_us is None or silent_us() > MAX_SILENCE_US:
            self._shared.lost.add({session.player.bot}, self._return_within_us)

    async def _deliver(self, session: RemoteSession, item: OutboxItem) -> None:
        self._send(session.node, Deliver(session.id, await self._items.encode_item(session, item)))

    async def _answer(self, session: RemoteSession, item: bytes) -> None:
        await self._deliver(session, await self._items.answer_item(session, item))

    def _send_all(self, match: Match, message: FromCoordinator) -> None:
        """Send to all nodes to which bots of the match are connected."""
        for node in {session.node for player in match.players for session in self._remote_sessions(player.bot)}:
            self._send(node, message)

    def _send(self, node: str, message: FromCoordinator) -> None:
        send = self._nodes.get(node)
        if send:  # Otherwise the node reports its sessions when its stream begins again.
            send(message)

    async def _end_rated(self, node: str, asked: EndRated) -> None:
        try:
            events = tuple(map(MATCH_CODEC.decode, asked.events))
            append = Append(asked.match_id, asked.after, events, decode_request(asked.request or None))
            entries = await self._shared.end_rated(append)
            answer = EndStored(asked.request_no, STORED, entries[-1].number)
        except Conflict as conflict:
            answer = EndStored(asked.request_no, CONFLICT, conflict.last)
        except (StoreUnavailable, MatchMoving) as why:
            answer = EndStored(asked.request_no, UNAVAILABLE, why=str(why))
        self._send(node, answer)


def _hello(games: Sequence[str], max_matches: int) -> Hello:
    return Hello(frozenset(games), max_matches)


def _only_remote(sessions: Iterable[Session]) -> list[RemoteSession]:
    return [session for session in sessions if isinstance(session, RemoteSession)]
