"""Turns: what a seat owes now, as it may see it, and the notification of bots.

A turn is self-contained: a bot needs no memory of earlier turns. Turns, starts and results are queued for the sessions
of bots after they are in the log.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice

from msgspec import Struct

from engines.api import Json, Seat
from referee.live.live_match import LiveMatch
from referee.live.match_history import MatchStep, PlayedMove
from referee.live.outbox import MatchEnded, MatchStarted, TurnExpired, TurnNotice
from referee.live.sessions import Session, Sessions
from referee.match.clock import Clock, Micros, TimeControl
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MovePlayed, MoveSource, PlayStarted, RefereeRecovered
from referee.match.state import Match, MatchPhase, Turn


class SeatClock(Struct, frozen=True, gc=False):
    """Clock of one seat at one moment."""

    seat: Seat
    control: TimeControl
    clock: Clock
    """The clock before the current turn."""
    limit_us: Micros | None
    """Maximum duration of a move with that clock; None: unlimited."""
    used_us: Micros
    """Time of that turn so far, less referee delay. 0: there is no turn."""
    left_us: Micros | None
    """Time from now until the flag falls, with all that the seat is credited; None: unlimited."""
    running: bool
    credit_left_us: Micros


@dataclass(frozen=True, slots=True)
class LegalMoves:
    listed: tuple[str, ...]
    count: int


class TurnDue(Struct, frozen=True, gc=False):
    """A turn that a seat owes now, with the state of the match."""

    match: Match
    turn: Turn
    moves: Sequence[PlayedMove]
    """All moves so far."""
    since: int
    """Number of moves made up to the last one of this seat, inclusive."""
    clocks: tuple[SeatClock, ...]
    repeated: bool
    """Whether this turn was sent before."""

    @property
    def seat(self) -> Seat:
        return self.turn.seat

    @property
    def position(self) -> str:
        """Text of the position; what the seat may not see is `?`."""
        return self.match.require_position().text(self.turn.seat)

    def view(self) -> Json:
        return self.match.require_position().view(self.seat)

    def moves_since(self, all_moves: bool = False) -> list[tuple[Seat, str]]:
        """Return the moves since this seat's last one, or all moves; each as this seat may see it."""
        first = 0 if all_moves else self.since
        seat = self.turn.seat
        return [(move.seat, move.shown[seat]) for move in islice(self.moves, first, self.match.ply)]

    def legal_moves(self, limit: int) -> LegalMoves:
        """Return the first `limit` legal moves in order, and the number of all."""
        moves = self.match.require_position().moves(self.seat)
        return LegalMoves(tuple(moves[:limit]), len(moves))

    @property
    def left_us(self) -> Micros | None:
        """Time until the flag of this seat falls; None: unlimited."""
        return self.clocks[self.turn.seat].left_us

    @property
    def attempts_left(self) -> int:
        """Attempts left, including this one."""
        return self.match.terms.policies.attempts_a_turn - self.turn.attempt + 1

    @property
    def offers(self) -> tuple[Seat, ...]:
        """Seats of other sides with a pending draw offer."""
        mine = self.match.side_of(self.seat)
        return tuple(sorted(seat for seat in self.match.offers if self.match.side_of(seat) != mine))

    @property
    def sealed(self) -> bool:
        """Whether other seats choose at the same time, or have made a sealed choice."""
        ply = self.match.ply
        return len(self.match.turns) - self.match.turns.count(None) > 1 or (ply > 0 and self.moves[ply - 1].sealed)


def seat_clocks(match: Match, now_us: Micros, stall_us: Sequence[Micros]) -> tuple[SeatClock, ...]:
    """Return every seat's clock at a match time; `stall_us` is the referee delay of each seat's turn."""
    clocks = []
    for seat, (turn, clock, control) in enumerate(zip(match.turns, match.clocks, match.terms.controls, strict=True)):
        left_us = limit_us = control.limit_us(clock)
        used_us = 0
        if turn:
            delayed_us = turn.asked_us + stall_us[seat]
            used_us = max(0, now_us - delayed_us)
            if limit_us is not None:
                credit_us = min(match.terms.credit.per_move_us, match.credit_us[seat])
                left_us = max(0, delayed_us + limit_us + credit_us - now_us)
        running, credit_left_us = turn is not None, match.credit_us[seat]
        clocks.append(SeatClock(seat, control, clock, limit_us, used_us, left_us, running, credit_left_us))
    return tuple(clocks)


def clocks_at_entry(match: Match) -> tuple[SeatClock, ...]:
    """Return every seat's clock at the last entry of the match."""
    return seat_clocks(match, match.at_us, (0,) * len(match.players))


def live_clocks(live_match: LiveMatch) -> tuple[SeatClock, ...]:
    """Return every seat's clock, as of now."""
    match, runner = live_match.history.state, live_match.runner
    if runner is None:
        return clocks_at_entry(match)
    now_us = runner.match_now()
    return seat_clocks(match, now_us, runner.delays.all_us(match, now_us))


def turn_due(live_match: LiveMatch | None, seat: Seat) -> TurnDue | None:
    """Return the turn that the seat owes now; None: none. The next call for this turn is marked `repeated`."""
    if live_match is None or live_match.runner is None:
        return None
    history = live_match.history
    match = history.state
    turn = match.turns[seat]
    if turn is None:
        return None
    repeated = live_match.sent_turns.get(seat) == turn
    live_match.sent_turns[seat] = turn
    return TurnDue(match, turn, history.moves, history.last_move_of.get(seat, 0), live_clocks(live_match), repeated)


class TurnNotifier:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._sends_turns = True

    def stop_turns(self) -> None:
        """Send no new turns, since the server is draining."""
        self._sends_turns = False

    def notify(self, live_match: LiveMatch, steps: Sequence[MatchStep], kinds: Set[type]) -> None:
        """Notify the bots of stored steps, which have events of these kinds."""
        before, match = steps[0].before, steps[-1].state
        if PlayStarted in kinds:
            self.notify_start(live_match)
        if match.phase is MatchPhase.OVER:
            self._notify_end(live_match)
        elif before:
            first = steps[0].entry.event
            if len(steps) > 1 or (isinstance(first, MovePlayed) and first.source is not MoveSource.BOT):
                self._notify_expired(live_match, before, steps)
            self._notify_turns(live_match, before, match, log_was_away=RefereeRecovered in kinds)

    def notify_new_session(self, live_match: LiveMatch, seat: Seat) -> bool:
        """Send the turn of the seat if a new session owns it; return whether one does."""
        session = self._sessions.session_for(live_match.match.players[seat])
        if session is None or session is live_match.notified_sessions.get(seat):
            return False
        turn = live_match.match.turns[seat]
        if turn:
            self._notify_turn(live_match, turn, session)
        live_match.notified_sessions[seat] = session
        return True

    def notify_start(self, live_match: LiveMatch) -> None:
        """Tell the bots that play has begun."""
        for seat, player in enumerate(live_match.match.players):
            session = self._sessions.session_for(player)
            if session:
                session.outbox.put(("began", live_match.match_id, seat), MatchStarted(live_match.match_id, seat))
                live_match.notified_sessions[seat] = session

    def _notify_end(self, live_match: LiveMatch) -> None:
        for seat, player in enumerate(live_match.match.players):
            if player.bot:
                self._sessions.notify_end(player, MatchEnded(live_match.match_id, seat))

    def _notify_expired(self, live_match: LiveMatch, before: Match, steps: Sequence[MatchStep]) -> None:
        """Notify seats whose turn was played for them."""
        for step in steps:
            event = step.entry.event
            if isinstance(event, MovePlayed) and event.source is not MoveSource.BOT and _had_turn(before, event):
                assert step.before
                played = step.before.require_position().visible_move(event.seat, event.move, event.seat)
                row, control = _clock_charge(steps, event.token), before.terms.controls[event.seat]
                expired = TurnExpired(live_match.match_id, event.seat, event.token, played, row, control)
                self._put(live_match, event.seat, ("expired", live_match.match_id, event.token), expired)

    def _notify_turns(self, live_match: LiveMatch, before: Match, match: Match, log_was_away: bool) -> None:
        """Send new turns and those changed by a draw offer.

        After an outage of the log all turns are sent again, since answers given meanwhile were rejected and not all
        bots resend them. A match that is being restored has no turns to send yet: all are sent when it runs.
        """
        if live_match.runner is None:
            return
        all_of_them = match.offers != before.offers or log_was_away
        for seat, turn in enumerate(match.turns):
            if turn and (all_of_them or turn is not before.turns[seat]):
                session = self._sessions.session_for(match.players[seat])
                if session:
                    self._notify_turn(live_match, turn, session)

    def _notify_turn(self, live_match: LiveMatch, turn: Turn, session: Session) -> None:
        match_id, seat = live_match.history.state.setup.match_id, turn.seat
        if self._sends_turns:
            live_match.notified_sessions[seat] = session
            session.outbox.put(("turn", match_id, seat), TurnNotice(match_id, seat))
        elif live_match.sent_turns.get(seat) != turn or live_match.notified_sessions.get(seat) is not session:
            # Also if another process has sent it, or an earlier session: an answer to that may have been lost.
            live_match.active_runner.withhold(seat, turn.token)

    def _put(self, live_match: LiveMatch, seat: Seat, key: tuple[str, str, str], item: TurnExpired) -> None:
        session = self._sessions.session_for(live_match.match.players[seat])
        if session:
            session.outbox.put(key, item)


def _had_turn(before: Match, event: MovePlayed) -> bool:
    turn = before.turns[event.seat]
    return turn is not None and turn.token == event.token


def _clock_charge(steps: Sequence[MatchStep], token: str) -> ClockCharge | None:
    """Return the clock charge with which the flag fell in that turn. None: it did not fall."""
    events = [step.entry.event for step in steps]
    return next((event.row for event in events if isinstance(event, FlagFell) and event.token == token), None)
