"""Tells the bots what concerns them: what a match has come to, and what they owe when they come back.

All of this is in the log before it is told.
"""

from collections.abc import Sequence

from engines.api import Seat
from referee.app.boards import Board
from referee.app.outbox import Asked, Began, Ended, Lapsed
from referee.app.sessions import Session, Sessions
from referee.app.story import Step
from referee.core.events import FlagFell, MovePlayed, PlayBegan, RefereeBack, Source
from referee.core.match import Match, Phase, Turn
from referee.core.row import ClockRow
from referee.core.telling import told


class Crier:
    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self.asks = True
        """False: no new turns, for the referee is about to go."""

    def happened(self, board: Board, steps: Sequence[Step]) -> None:
        """These steps are in the log."""
        before, match = steps[0].before, board.match
        if any(isinstance(step.entry.event, PlayBegan) for step in steps):
            self._tell_beginning(board)
        if match.phase is Phase.OVER:
            self._tell_end(board)
        elif before:
            self._tell_lapses(board, before, steps)
            self._ask_anew(board, before, log_was_away=any(isinstance(step.entry.event, RefereeBack) for step in steps))

    def comes(self, board: Board, seat: Seat) -> bool:
        """Has somebody else come to play this seat? If so, that session is asked what the seat owes."""
        session = self._sessions.of_player(board.match.players[seat])
        if session is None or session is board.asked_of.get(seat):
            return False
        board.asked_of[seat] = session
        turn = board.match.turns[seat]
        if turn:
            self._ask(board, turn, session)
        return True

    def _tell_beginning(self, board: Board) -> None:
        for seat, player in enumerate(board.match.players):
            session = self._sessions.of_player(player)
            if session:
                session.outbox.put(("began", board.match_id, seat), Began(board.match_id, seat))
                board.asked_of[seat] = session

    def _tell_end(self, board: Board) -> None:
        for seat, player in enumerate(board.match.players):
            if player.bot:
                self._sessions.tell_end(player, Ended(board.match_id, seat))

    def _tell_lapses(self, board: Board, before: Match, steps: Sequence[Step]) -> None:
        """Whose turn was played by somebody else."""
        for step in steps:
            event = step.entry.event
            if isinstance(event, MovePlayed) and event.source is not Source.BOT and _was_asked(before, event):
                heard = told(step.before, event, event.seat)
                played = heard.move if isinstance(heard, MovePlayed) else ""
                lapsed = Lapsed(board.match_id, event.seat, event.token, played, _proof(steps, event.token))
                self._put(board, event.seat, ("lapsed", board.match_id, event.token), lapsed)

    def _ask_anew(self, board: Board, before: Match, log_was_away: bool) -> None:
        """Those whose turn is new, or was changed by an offer of a draw.

        And all, when the log was away: what they answered meanwhile was refused, and not all programs say it again.
        """
        match = board.match
        all_of_them = match.offers != before.offers or (log_was_away and board.runner is not None)
        for turn in filter(None, match.turns):
            if all_of_them or turn != before.turns[turn.seat]:
                session = self._sessions.of_player(match.players[turn.seat])
                if session:
                    self._ask(board, turn, session)

    def _ask(self, board: Board, turn: Turn, session: Session) -> None:
        if self.asks:
            board.asked_of[turn.seat] = session
            session.outbox.put(("turn", board.match_id, turn.seat), Asked(board.match_id, turn.seat))
        elif board.tokens_told.get(turn.seat) != turn.token:
            board.running.withhold(turn.seat, turn.token)

    def _put(self, board: Board, seat: Seat, key: tuple[str, str, str], item: Lapsed) -> None:
        session = self._sessions.of_player(board.match.players[seat])
        if session:
            session.outbox.put(key, item)


def _was_asked(before: Match, event: MovePlayed) -> bool:
    turn = before.turns[event.seat]
    return turn is not None and turn.token == event.token


def _proof(steps: Sequence[Step], token: str) -> ClockRow | None:
    """The row by which the flag fell in that turn, if it did."""
    events = [step.entry.event for step in steps]
    return next((event.row for event in events if isinstance(event, FlagFell) and event.token == token), None)
