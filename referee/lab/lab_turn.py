"""A turn as a bot of the lab sees it: the attributes of `referee_client.Turn`, each computed when the bot asks for it.

Most bots read two or three of them. To write the text of every position, and to read it back, would take more time
than the rest of the match.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from msgspec import Struct
from referee_api.conversion import to_value
from referee_client.errors import Refusal
from referee_values import Clock, SeatMove

from engines.api import Position
from referee.live.match_history import is_sealed
from referee.live.turns import SeatClock, seat_clocks
from referee.match.clock import SECOND, Micros
from referee.match.decision import Decision
from referee.match.events import Event, MovePlayed
from referee.match.match_terms import attempts_a_turn
from referee.match.plain_run import LoggedItem, PlainMove
from referee.match.state import Match, move_played, new_turn
from referee.transport.wire.clocks import clock_of

NS_PER_SECOND = 1_000_000_000


class MatchLog:
    """All events of a match as it is played, and the state after each, which is computed when it is asked for."""

    __slots__ = ("_states", "created", "items", "used_us")

    def __init__(self, first: Event, created: Match) -> None:
        self.created = created
        self.items: list[LoggedItem] = [first]
        self.used_us = [0] * len(created.players)
        """How long each seat has thought in its present turn."""
        self._states = {1: created}
        """States by the number of their last event; those after plain moves may be missing."""

    def add(self, decided: Decision) -> None:
        for event, state in zip(decided.events, decided.states, strict=True):
            self.items.append(event)
            self.note_state(state)

    def note_state(self, state: Match) -> None:
        self._states[state.number] = state

    def state(self, number: int) -> Match:
        """Return the state after this number of events."""
        states = self._states
        known = number
        while known not in states:
            known -= 1
        for missing in range(known, number):
            move = self.items[missing]
            assert isinstance(move, PlainMove)
            states[missing + 1] = move_played(states[missing], move.event, move.position)
        return states[number]


class LabTurn(Struct, eq=False):
    seat: int
    rejection: Refusal | None
    """The error of the previous answer in the same turn."""
    ply: int
    _position: Position
    _attempt: int
    turn_ply: int
    """Ply in which the turn became due: an earlier one if others chose at the same time."""
    _log: MatchLog
    _number: int
    """Number of events at the moment of asking."""
    _asked_ns: int
    """The moment of asking, here as the clock told it, and in `_now_us` in match time."""
    _now_us: Micros
    _legal_moves: tuple[str, ...] | None = None

    @property
    def match_id(self) -> str:
        return self._log.created.setup.match_id

    @property
    def token(self) -> str:
        return new_turn(self.seat, self.turn_ply, 0, self._attempt).token

    @property
    def game(self) -> str:
        return self._log.created.game.name

    @property
    def options(self) -> Mapping[str, str]:
        return self._log.created.terms.settings.texts()

    @property
    def position(self) -> str:
        return self._position.text(self.seat)

    @property
    def view(self) -> Any:
        return self._position.view(self.seat)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        moves = self._legal_moves
        if moves is None:
            self._legal_moves = moves = tuple(self._position.moves(self.seat))
        return moves

    @property
    def legal_moves_count(self) -> int:
        return len(self.legal_moves)

    @property
    def legal_moves_truncated(self) -> bool:
        return False

    @property
    def history(self) -> tuple[SeatMove, ...]:
        return self._shown(takewhile(lambda numbered: numbered[1].seat != self.seat, self._moves_back()))

    @property
    def all_moves(self) -> tuple[SeatMove, ...]:
        """All moves since the start of the match, for engines: the client library has them on request."""
        return self._shown(self._moves_back())

    @property
    def clocks(self) -> tuple[Clock, ...]:
        return tuple(to_value(clock_of(clock), Clock) for clock in self._seat_clocks())

    @property
    def time_left(self) -> float | None:
        left_us = self._seat_clocks()[self.seat].left_us
        return None if left_us is None else left_us / SECOND

    @property
    def time_left_now(self) -> float | None:
        left = self.time_left
        return None if left is None else left - (time.monotonic() - self.arrived_at)

    @property
    def arrived_at(self) -> float:
        return self._asked_ns / NS_PER_SECOND

    @property
    def attempts_left(self) -> int:
        return attempts_a_turn(self._log.created.terms.policies) - self._attempt + 1

    @property
    def draw_offers(self) -> tuple[int, ...]:
        match = self._match
        mine = match.side_of(self.seat)
        return tuple(sorted(seat for seat in match.offers if match.side_of(seat) != mine))

    @property
    def simultaneous(self) -> bool:
        """Whether other seats choose at the same time, or have made a sealed choice."""
        if len(self._position.owing) > 1:
            return True
        last = next(self._moves_back(), None)
        return last is not None and is_sealed(self._log.state(last[0] - 1), last[1].seat, self._log.state(last[0]))

    @property
    def repeated(self) -> bool:
        return False

    @property
    def _match(self) -> Match:
        return self._log.state(self._number)

    def _moves_back(self) -> Iterator[tuple[int, MovePlayed | PlainMove]]:
        """Yield the moves so far with the numbers of their events, beginning with the last."""
        for number in range(self._number, 0, -1):
            item = self._log.items[number - 1]
            if isinstance(item, MovePlayed | PlainMove):
                yield number, item

    def _shown(self, moves_back: Iterable[tuple[int, MovePlayed | PlainMove]]) -> tuple[SeatMove, ...]:
        """Return moves as the seat may see them, in the order in which they were played."""
        shown: list[SeatMove] = []
        for number, move in moves_back:
            before = self._log.state(number - 1).require_position()
            shown.append(SeatMove(seat=move.seat, move=before.visible_move(move.seat, move.move, self.seat)))
        return tuple(reversed(shown))

    def _seat_clocks(self) -> tuple[SeatClock, ...]:
        """Return the clocks at the moment of asking, when nobody has thought longer than `used_us`."""
        match = self._match
        stall_us = [
            self._now_us - turn.asked_us - used if turn else 0
            for turn, used in zip(match.turns, self._log.used_us, strict=True)
        ]
        return seat_clocks(match, self._now_us, stall_us)
