"""Queues turns, starts and results for the sessions of bots, after they are in the log."""

from collections.abc import Sequence

from engines.api import Seat
from referee.live.live_match import LiveMatch
from referee.live.match_history import MatchStep
from referee.live.outbox import MatchEnded, MatchStarted, TurnExpired, TurnNotice
from referee.live.sessions import Session, Sessions
from referee.match.clock_charge import ClockCharge
from referee.match.events import FlagFell, MatchResumed, MovePlayed, MoveSource, PlayStarted
from referee.match.state import Match, MatchPhase, Turn
from referee.match.visibility import redact


class TurnNotifier:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self.sends_turns = True
        """False: no new turns are sent, since the server is draining."""

    def notify(self, live_match: LiveMatch, steps: Sequence[MatchStep]) -> None:
        """Notify the bots of stored steps."""
        before, match = steps[0].before, live_match.match
        if any(isinstance(step.entry.event, PlayStarted) for step in steps):
            self._notify_start(live_match)
        if match.phase is MatchPhase.OVER:
            self._notify_end(live_match)
        elif before:
            self._notify_expired(live_match, before, steps)
            self._notify_turns(
                live_match, before, log_was_away=any(isinstance(step.entry.event, MatchResumed) for step in steps)
            )

    def notify_new_session(self, live_match: LiveMatch, seat: Seat) -> bool:
        """Send the turn of the seat if a new session owns it; return whether one does."""
        session = self._sessions.session_for(live_match.match.players[seat])
        if session is None or session is live_match.notified_sessions.get(seat):
            return False
        live_match.notified_sessions[seat] = session
        turn = live_match.match.turns[seat]
        if turn:
            self._notify_turn(live_match, turn, session)
        return True

    def _notify_start(self, live_match: LiveMatch) -> None:
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
                shown = redact(step.before, event, event.seat)
                played = shown.move if isinstance(shown, MovePlayed) else ""
                lapsed = TurnExpired(
                    live_match.match_id, event.seat, event.token, played, _clock_charge(steps, event.token)
                )
                self._put(live_match, event.seat, ("lapsed", live_match.match_id, event.token), lapsed)

    def _notify_turns(self, live_match: LiveMatch, before: Match, log_was_away: bool) -> None:
        """Send new turns and those changed by a draw offer.

        After an outage of the log all turns are sent again, since answers given meanwhile were rejected and not all
        bots resend them.
        """
        match = live_match.match
        all_of_them = match.offers != before.offers or (log_was_away and live_match.runner is not None)
        for turn in filter(None, match.turns):
            if all_of_them or turn != before.turns[turn.seat]:
                session = self._sessions.session_for(match.players[turn.seat])
                if session:
                    self._notify_turn(live_match, turn, session)

    def _notify_turn(self, live_match: LiveMatch, turn: Turn, session: Session) -> None:
        if self.sends_turns:
            live_match.notified_sessions[turn.seat] = session
            session.outbox.put(("turn", live_match.match_id, turn.seat), TurnNotice(live_match.match_id, turn.seat))
        elif live_match.sent_tokens.get(turn.seat) != turn.token:
            live_match.active_runner.withhold(turn.seat, turn.token)

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
