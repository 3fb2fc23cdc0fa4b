"""Matches that wait for their start.

A match begins when every seat is taken and its bot is there, takes the game, and has room for one more
match; where nonces are asked for, when they have come, or the time for them is over. A match that has
waited too long is void. Nothing here is remembered over a restart but what the log tells: whoever comes
back waits on.
"""

from collections.abc import Callable
from dataclasses import dataclass

from referee.app.alarm_clock import AlarmClock
from referee.app.boards import Board
from referee.app.outbox import NonceAsked
from referee.app.ports import Time
from referee.app.sessions import Session, Sessions
from referee.core.clock import Micros
from referee.core.commands import Begin, Command, TakeSeat, Void
from referee.core.match import Match, Phase
from referee.core.result import Cause
from referee.core.setup import Player

TOO_LATE = "not every seat was taken by a bot that was there in time"


@dataclass(frozen=True, slots=True)
class Free:
    """A bot that is there, by the version that would play."""

    player: Player
    room: int
    """How many more matches it could begin now."""


class Lobby:
    def __init__(self, sessions: Sessions, time: Time, submit: Callable[[Board, Command], None]) -> None:
        """`submit` has a match decide something, and waits for nothing."""
        self._sessions = sessions
        self._time = time
        self._submit = submit
        self._playing: dict[Player, dict[str, None]] = {}
        """The matches that each player is in the middle of, or about to begin."""
        self._beginning: set[str] = set()

    def look(self, board: Board) -> None:
        """Begin this match if it can, or end its waiting if it must. To look too often does no harm."""
        runner = board.runner
        if board.match.phase is not Phase.WAITING or runner is None or board.match_id in self._beginning:
            self.rest(board)
            return
        now_us = runner.match_now()
        start_within_us = board.match.setup.start_within_us
        if start_within_us and now_us >= start_within_us:
            self._submit(board, Void(Cause.NOT_STARTED, TOO_LATE))
            return
        sessions = self._there(board.match)
        if sessions and self._nonces_in(board, sessions, now_us):
            self._begin(board, sessions)
        self._look_again(board, now_us)

    def free(self, player: Player, game: str) -> Free | None:
        """How much room the bot has for matches of that game. None: it is not there, or does not take the game."""
        session = self._session(player, game)
        if session is None:
            return None
        matches = self._playing.get(session.player, {})
        return Free(session.player, max(0, session.hello.matches_at_most - len(matches)))

    def about_to_begin(self, board: Board) -> bool:
        """Has everybody come, so that it only waits for nonces?"""
        waits = board.match.phase is Phase.WAITING and board.match_id not in self._beginning
        return waits and bool(self._there(board.match))

    def plays(self, board: Board) -> None:
        """Play has begun there, or is about to begin."""
        for player in board.match.players:
            self._playing.setdefault(player, {})[board.match_id] = None

    def leaves(self, board: Board) -> None:
        """It is over, or did not begin, or is not run here any more: its players have room again."""
        self.rest(board)
        self._beginning.discard(board.match_id)
        for player in board.match.players:
            matches = self._playing.get(player, {})
            matches.pop(board.match_id, None)
            if not matches:
                self._playing.pop(player, None)

    def _there(self, match: Match) -> list[Session]:
        """The session for each seat; empty if a seat is open, or its bot not there, or not ready for it."""
        sessions = [session for player in match.players if (session := self._ready(match, player))]
        return sessions if len(sessions) == len(match.players) else []

    def _ready(self, match: Match, player: Player) -> Session | None:
        session = self._session(player, match.setup.game)
        if session is None:
            return None
        matches = self._playing.get(session.player, {})
        room = match.setup.match_id in matches or len(matches) < session.hello.matches_at_most
        return session if room else None

    def _session(self, player: Player, game: str) -> Session | None:
        """By which the bot would play the game, as that very version if one is asked for."""
        session = self._sessions.of_player(player) if player.bot else None
        if session is None or (player.version and session.player != player):
            return None
        return session if session.takes(game) else None

    def _nonces_in(self, board: Board, sessions: list[Session], now_us: Micros) -> bool:
        """Is every nonce given, or the time for them over? If not, ask for those that are missing."""
        match = board.match
        if not match.setup.nonce_within_us or None not in match.nonces:
            return True
        if board.nonces_until_us is None:
            board.nonces_until_us = now_us + match.setup.nonce_within_us
        if now_us >= board.nonces_until_us:
            return True
        until_us = self._monotonic_us(board.nonces_until_us, now_us)
        for seat, session in enumerate(sessions):
            if match.nonces[seat] is None and board.asked_of.get(seat) is not session:
                board.asked_of[seat] = session
                asked = NonceAsked(board.match_id, seat, match.setup.commitment, until_us)
                session.outbox.put(("nonce", board.match_id, seat), asked)
        return False

    def _begin(self, board: Board, sessions: list[Session]) -> None:
        open_versions = [seat for seat, player in enumerate(board.match.players) if not player.version]
        for seat in open_versions:
            self._submit(board, TakeSeat(seat, sessions[seat].player))
        if not open_versions:  # Else it is looked at again when they are known.
            self._beginning.add(board.match_id)
            self.plays(board)
            self._submit(board, Begin())

    def _look_again(self, board: Board, now_us: Micros) -> None:
        """When time alone will change something."""
        dues = (board.match.setup.start_within_us, board.nonces_until_us)
        due_us = min((due for due in dues if due and due > now_us), default=None)
        if board.alarm is None:
            board.alarm = AlarmClock(self._time, lambda: self._rings(board))
        board.alarm.set(None if due_us is None else self._monotonic_us(due_us, now_us))

    def _rings(self, board: Board) -> None:
        self.rest(board)
        self.look(board)

    def rest(self, board: Board) -> None:
        """Nothing rings for it any more."""
        if board.alarm:
            board.alarm.stop()
            board.alarm = None  # It knows its board: left there, only the garbage collector could free the two.

    def _monotonic_us(self, at_us: Micros, now_us: Micros) -> Micros:
        return self._time.monotonic_us() + at_us - now_us
