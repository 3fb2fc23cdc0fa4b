"""A turn as a bot of the lab sees it: the attributes of `referee_client.Turn`, each computed when the bot asks for it.

Most bots read two or three of them. To write the text of every position, and to read it back, would take more time
than the rest of the match.
"""

import time
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from referee_client.clocks import Clock, clock_in
from referee_client.errors import Refusal
from referee_client.turn import Played

from referee.live.match_history import is_sealed
from referee.live.turns import SeatClock, seat_clocks
from referee.match.clock import SECOND, Micros
from referee.match.decision import Decision
from referee.match.events import Event, MovePlayed
from referee.match.state import Match, Turn
from referee.wire.clocks import clock_of

NS_PER_SECOND = 1_000_000_000


class MadeMove(Struct, frozen=True):
    """A move, and the states before and after it."""

    before: Match
    event: MovePlayed
    after: Match

    def shown_to(self, seat: int) -> Played:
        position = self.before.require_position()
        return Played(self.event.seat, position.visible_move(self.event.seat, self.event.move, seat))

    @property
    def sealed(self) -> bool:
        """Whether other seats still had to choose and could not see it."""
        return is_sealed(self.before, self.event.seat, self.after)


class MatchLog:
    """All events of a match and the state after each, as it is played."""

    __slots__ = ("decisions", "used_us")

    def __init__(self, first: Event, match: Match) -> None:
        self.decisions = [Decision((first,), (match,), match)]
        self.used_us = [0] * len(match.players)
        """How long each seat has thought in its present turn."""

    @property
    def events(self) -> list[Event]:
        return [event for decision in self.decisions for event in decision.events]

    def moves(self) -> list[MadeMove]:
        states = [state for decision in self.decisions for state in decision.states]
        return [
            MadeMove(states[number - 1], event, states[number])
            for number, event in enumerate(self.events)
            if isinstance(event, MovePlayed)
        ]


class LabTurn(Struct, eq=False):
    seat: int
    refused: Refusal | None
    """The error of the previous answer in the same turn."""
    _match: Match
    _turn: Turn
    _log: MatchLog
    _asked_ns: int
    """The moment of asking, here as the clock told it, and in `_now_us` in match time."""
    _now_us: Micros
    _legal_moves: tuple[str, ...] | None = None

    @property
    def match_id(self) -> str:
        return self._match.setup.match_id

    @property
    def token(self) -> str:
        return self._turn.token

    @property
    def game(self) -> str:
        return self._match.game.name

    @property
    def options(self) -> Mapping[str, str]:
        return self._match.terms.settings.texts()

    @property
    def ply(self) -> int:
        return self._match.ply

    @property
    def position(self) -> str:
        return self._match.require_position().text(self.seat)

    @property
    def view(self) -> Any:
        return self._match.require_position().view(self.seat)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        moves = self._legal_moves
        if moves is None:
            self._legal_moves = moves = tuple(self._match.require_position().moves(self.seat))
        return moves

    @property
    def legal_moves_count(self) -> int:
        return len(self.legal_moves)

    @property
    def moves_since(self) -> tuple[Played, ...]:
        made = self._log.moves()[: self._match.ply]
        own = next((ply for ply in range(len(made), 0, -1) if made[ply - 1].event.seat == self.seat), 0)
        return tuple(move.shown_to(self.seat) for move in made[own:])

    @property
    def all_moves(self) -> tuple[Played, ...]:
        """All moves since the start of the match, for engines: the client library has them on request."""
        return tuple(move.shown_to(self.seat) for move in self._log.moves()[: self._match.ply])

    @property
    def clocks(self) -> tuple[Clock, ...]:
        return tuple(clock_in(clock_of(clock)) for clock in self._seat_clocks())

    @property
    def left(self) -> float | None:
        left_us = self._seat_clocks()[self.seat].left_us
        return None if left_us is None else left_us / SECOND

    @property
    def left_now(self) -> float | None:
        left = self.left
        return None if left is None else left - (time.monotonic() - self.arrived_at)

    @property
    def arrived_at(self) -> float:
        return self._asked_ns / NS_PER_SECOND

    @property
    def attempts_left(self) -> int:
        return self._match.terms.policies.attempts_a_turn - self._turn.attempt + 1

    @property
    def draw_offers(self) -> tuple[int, ...]:
        mine = self._match.side_of(self.seat)
        return tuple(sorted(seat for seat in self._match.offers if self._match.side_of(seat) != mine))

    @property
    def sealed(self) -> bool:
        """Whether other seats choose at the same time, or have made a sealed choice."""
        ply = self._match.ply
        return len(self._match.owing) > 1 or (ply > 0 and self._log.moves()[ply - 1].sealed)

    @property
    def repeated(self) -> bool:
        return False

    def _seat_clocks(self) -> tuple[SeatClock, ...]:
        """Return the clocks at the moment of asking, when nobody has thought longer than `used_us`."""
        stall_us = [
            self._now_us - turn.asked_us - used if turn else 0
            for turn, used in zip(self._match.turns, self._log.used_us, strict=True)
        ]
        return seat_clocks(self._match, self._now_us, stall_us)
