"""Sees every item of every session in every clause, and reports each breach of a rule of the client specification.

Clauses send what a rule is about, and wait for the answers that must come. What must not come may arrive at any time,
also in a later clause, and is found here.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from referee_api.v1 import play_pb2
from referee_api.v1.play_service_pb2 import PlayRequest, PlayResponse

from referee.conformance.clause import ClauseFailed
from referee.match.setup import MAX_NONCE_BYTES

NAME_CHARS = 64
MIN_NONCE_BYTES = 16
"""Shorter nonces could be guessed."""
MAX_RETRY_AFTER_MS = 60_000
DEFAULT_RETRY_AFTER_MS = 1_000
EARLY_S = 0.1
"""Tolerance, because the two processes read the clock at different times."""
PATIENCE_PER_PROMPTNESS = 10
"""What a bot does at once may take this fraction of the patience."""
OF_MATCHES = ("resignation", "draw_offer", "draw_answer", "draw_claim")
"""Items with an item id that name a match instead of a token."""

Seat = tuple[str, int]


class ObservedSession:
    """One Play stream, with all items counted in both directions."""

    def __init__(self) -> None:
        self.message_number = 0
        self.item_number = 0
        self.handled = 0
        """Number of an item that the bot has handled with all before: it has answered a ping after them."""
        self.pings: dict[int, tuple[int, float]] = {}
        """Item number and time of each ping without a pong, by its id."""
        self.has_hello = False
        self.welcome = (0, "")
        """Item number and version of the Welcome."""


@dataclass(frozen=True, slots=True)
class Ending:
    """The item that ended a turn or a match."""

    session: ObservedSession
    message_number: int
    item_number: int
    why: str


@dataclass(eq=False, slots=True)
class SentTurn:
    """A turn that was sent, and what the bot has sent for it."""

    token: str
    session: ObservedSession
    """The session in which it was sent last."""
    message_number: int
    """Message of this session in which it was sent first."""
    allowed: int = 1
    """How many times its answer may be sent: once each time the turn was sent in this session."""
    retries_s: list[float] = field(default_factory=list)
    """Times from which a rejection allows to send the answer once more."""
    answer: play_pb2.BotItem | None = None
    ending: Ending | None = None


class ProtocolObserver:
    """Observes one process of a bot, over all its sessions."""

    def __init__(
        self,
        token: str,
        patience_s: float,
        is_checked: bool = True,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without `is_checked`, no breach is reported."""
        self._is_checked = is_checked
        self.is_stopping = False
        """The kit ends the process, which may then close its stream."""
        self._authorization = f"Bearer {token}"
        self._pong_within_s = patience_s / PATIENCE_PER_PROMPTNESS
        self._now_s = now_s
        self._breaches: list[str] = []
        self._peers: set[str] = set()
        self._version: str | None = None
        self._turns: dict[tuple[str, str], SentTurn] = {}
        """All turns, by match and token."""
        self._open: dict[Seat, SentTurn] = {}
        self._matches: dict[str, Ending | None] = {}
        """The end of each match that the bot was told of."""
        self._item_ids: dict[int, play_pb2.BotItem] = {}
        self._nonces: dict[Seat, bytes] = {}
        """The nonce for each request; empty before it arrives."""

    def check(self) -> None:
        """Raise ClauseFailed with the first breach that was not reported yet."""
        if self._breaches:
            first = self._breaches[0]
            self._breaches.clear()
            raise ClauseFailed(first)

    # Called by sessions

    def on_open(self, metadata: dict[str, str], peer: str, has_deadline: bool) -> ObservedSession:
        self._require(metadata.get("authorization") == self._authorization, "CONN-3: the metadata lacks the token")
        self._require(peer not in self._peers, "CONN-1: the stream is not on a connection of its own")
        self._require(not has_deadline, "CONN-4: the stream has a deadline")
        self._peers.add(peer)
        return ObservedSession()

    def on_half_close(self) -> None:
        self._require(self.is_stopping, "CONN-4: the bot ended the stream")

    def on_sent(self, session: ObservedSession, message: PlayResponse) -> None:
        session.message_number += 1
        for item in message.items:
            session.item_number += 1
            kind = item.WhichOneof("item")
            handle = getattr(self, f"_on_{kind}", None)
            if handle:
                handle(session, getattr(item, kind or ""))

    def on_received(self, session: ObservedSession, message: PlayRequest) -> None:
        handled = session.handled
        for item in message.items:
            kind = item.WhichOneof("item")
            self._require(session.has_hello or kind == "hello", f"HELLO-1: the first item is {kind}")
            if kind == "hello":
                self._check_hello(session, item.hello)
            elif kind == "pong":
                handled = max(handled, self._check_pong(session, item.pong))
            elif kind == "nonce":
                self._check_nonce(item.nonce)
            elif kind == "move":
                self._check_move(session, item)
            elif kind in OF_MATCHES:
                self._check_item_of_match(session, item, kind)
            else:
                self._breach("an item of no kind that the contract has")
        # Only now: the order of the items of one message says nothing about what the bot knew when it made each.
        session.handled = handled
        number, version = session.welcome
        if 0 < number <= handled:
            self._version = version

    # What was sent

    def _on_welcome(self, session: ObservedSession, welcome: play_pb2.Welcome) -> None:
        session.welcome = (session.item_number, welcome.version)

    def _on_ping(self, session: ObservedSession, ping: play_pb2.Ping) -> None:
        session.pings[ping.id] = (session.item_number, self._now_s())

    def _on_nonce_request(self, _: ObservedSession, request: play_pb2.NonceRequest) -> None:
        self._nonces.setdefault((request.match_id, request.seat), b"")

    def _on_match_started(self, _: ObservedSession, started: play_pb2.MatchStarted) -> None:
        self._matches.setdefault(started.match.id, None)

    def _on_turn(self, session: ObservedSession, turn: play_pb2.Turn) -> None:
        self._matches.setdefault(turn.match_id, None)
        seat = (turn.match_id, turn.seat)
        sent = self._turns.get((turn.match_id, turn.turn_token))
        before = self._open.get(seat)
        if before and before is not sent:
            self._end(before, self._ending(session, "that was replaced by another one of its seat (TURN-4)"))
        if sent and sent.session is session:
            sent.allowed += 1
        elif sent:
            sent.session, sent.message_number, sent.allowed = session, session.message_number, 1
            sent.retries_s.clear()
        else:
            sent = SentTurn(turn.turn_token, session, session.message_number)
            self._turns[turn.match_id, turn.turn_token] = sent
        self._open[seat] = sent

    def _on_verdict(self, session: ObservedSession, verdict: play_pb2.Verdict) -> None:
        turn = self._turns.get((verdict.match_id, verdict.turn_token))
        metadata = verdict.rejected.error.metadata
        if turn and verdict.HasField("stale"):
            self._end(turn, self._ending(session, "that was stale (TURN-11)"))
        elif turn and "retry_after_ms" in metadata:
            wait_s = retry_after_ms(metadata["retry_after_ms"]) / 1_000
            turn.retries_s.append(self._now_s() + wait_s - EARLY_S)

    def _on_turn_expired(self, session: ObservedSession, expired: play_pb2.TurnExpired) -> None:
        if turn := self._turns.get((expired.match_id, expired.turn_token)):
            self._end(turn, self._ending(session, "that had expired (TURN-12)"))

    def _on_match_ended(self, session: ObservedSession, ended: play_pb2.MatchEnded) -> None:
        ending = self._ending(session, "whose match had ended (TURN-13)")
        if ended.match_id in self._matches:
            self._matches[ended.match_id] = self._matches[ended.match_id] or ending
        for (match_id, _), turn in self._turns.items():
            if match_id == ended.match_id:
                self._end(turn, ending)

    def _ending(self, session: ObservedSession, why: str) -> Ending:
        return Ending(session, session.message_number, session.item_number, why)

    def _end(self, turn: SentTurn, ending: Ending) -> None:
        turn.ending = turn.ending or ending

    # What was received

    def _check_hello(self, session: ObservedSession, hello: play_pb2.Hello) -> None:
        session.has_hello = True
        for name in ("version", "client"):
            fits = len(getattr(hello, name)) <= NAME_CHARS
            self._require(fits, f"HELLO-1: its {name} has more than {NAME_CHARS} characters")
        self._require(hello.client != "", "HELLO-1: its client is empty")
        same = self._version is None or hello.version == self._version
        self._require(same, f"HELLO-2: its version is {hello.version!r}, and the last Welcome had {self._version!r}")

    def _check_pong(self, session: ObservedSession, pong: play_pb2.Pong) -> int:
        """Return the number of the item that the pong answers."""
        if pong.id not in session.pings:
            self._breach(f"BEAT-1: a pong with the id {pong.id}, and no ping with it is without a pong")
            return 0
        number, sent_s = session.pings.pop(pong.id)
        waited_s = self._now_s() - sent_s
        self._require(waited_s <= self._pong_within_s, f"BEAT-1: a pong came {waited_s:.2f} s after its ping")
        return number

    def _check_nonce(self, nonce: play_pb2.Nonce) -> None:
        seat = (nonce.match_id, nonce.seat)
        if seat not in self._nonces:
            self._breach("NONCE-1: a nonce is not for the match and seat of a request")
            return
        size = len(nonce.nonce)
        self._require(MIN_NONCE_BYTES <= size <= MAX_NONCE_BYTES, f"NONCE-1: a nonce has {size} bytes")
        known = self._nonces[seat]
        self._require(known in (b"", nonce.nonce), "NONCE-2: a match has different nonces for one seat")
        others = {other for request, other in self._nonces.items() if request != seat}
        self._require(nonce.nonce not in others, "NONCE-2: the nonces of two seats or matches are the same")
        self._nonces[seat] = nonce.nonce

    def _check_move(self, session: ObservedSession, item: play_pb2.BotItem) -> None:
        turn = self._turns.get((item.move.match_id, item.move.turn_token))
        if turn is None:
            where = f"match {item.move.match_id!r}, token {item.move.turn_token!r}"
            self._breach(f"ANS-1: a move for a turn that was not sent: {where}")
            return
        self._check_item_id(item)
        self._check_answer(session, turn, item)

    def _check_item_of_match(self, session: ObservedSession, item: play_pb2.BotItem, kind: str) -> None:
        named = getattr(item, kind)
        if named.match_id not in self._matches:
            self._breach(f"ANS-1: an item {kind} for match {named.match_id!r}, of which the bot was not told")
            return
        self._check_item_id(item)
        over = self._matches[named.match_id]
        handled = over is not None and over.session is session and over.item_number <= session.handled
        self._require(not handled, f"TURN-6: an item {kind} for a match that had ended")
        if kind != "resignation":
            return
        self._require(named.HasField("seat"), "ANS-1: a resignation without a seat")
        if turn := self._open.get((named.match_id, named.seat)):
            self._check_answer(session, turn, item)

    def _check_item_id(self, item: play_pb2.BotItem) -> None:
        self._require(item.item_id > 0, "ANS-1: an answer has the item id 0")
        other = self._item_ids.setdefault(item.item_id, item)
        self._require(item == other, f"ANS-1: two answers have the item id {item.item_id}")

    def _check_answer(self, session: ObservedSession, turn: SentTurn, item: play_pb2.BotItem) -> None:
        if turn.session is not session:
            self._breach("TURN-5: an answer was sent before its turn had arrived in this session")
        elif turn.ending and _is_after(session, turn, turn.ending):
            self._breach(f"TURN-6: an answer was sent for a turn {turn.ending.why}")
        elif turn.answer and turn.answer != item:
            self._breach(f"TURN-3: one token got different answers: {_format(turn.answer)}, {_format(item)}")
        elif turn.allowed:
            turn.allowed -= 1
        elif any(due_s <= self._now_s() for due_s in turn.retries_s):
            turn.retries_s.remove(min(turn.retries_s))
        elif turn.retries_s:
            self._breach("TURN-9: an answer was sent again before the time of its rejection had passed")
        else:
            self._breach("TURN-14: an answer was sent again, although its turn had not arrived again")
        turn.answer = turn.answer or item

    def _require(self, fact: bool, message: str) -> None:
        if not fact:
            self._breach(message)

    def _breach(self, message: str) -> None:
        if self._is_checked:
            self._breaches.append(message)


def retry_after_ms(text: str) -> int:
    """Return the time that `retry_after_ms` in the metadata of an error means, by TURN-10."""
    if not (text.isascii() and text.isdigit()) or int(text) > MAX_RETRY_AFTER_MS:
        return DEFAULT_RETRY_AFTER_MS
    return int(text)


def _is_after(session: ObservedSession, turn: SentTurn, ending: Ending) -> bool:
    """Whether the bot knew of the end of the turn when it sent an item, or has not had the turn without its end."""
    if ending.session is not session:
        return False
    return ending.message_number == turn.message_number or ending.item_number <= session.handled


def _format(item: play_pb2.BotItem) -> str:
    return f"{item.move.move if item.HasField('move') else 'a resignation'} (item {item.item_id})"
