"""One match, as a value: how it stands, and how an event changes it.

`evolve` makes it so and never refuses: an event has already happened. What may happen next is said in
`deciding`. Folding a match's events over `opened` gives the match again, whoever does it and whenever.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, TypeVar

from engines.api import Game, Position, Seat, Table
from engines.chance import Chance
from referee.core import fair
from referee.core.clock import Clock, Hourglass, Micros
from referee.core.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MovePlayed,
    MoveRefused,
    NonceGiven,
    Opened,
    PlayBegan,
    PlayEnded,
    RefereeBack,
    SeatBack,
    SeatForfeited,
    SeatGone,
    SeatResigned,
    SeatTaken,
    Source,
)
from referee.core.rating import RatingChange
from referee.core.result import Forfeit, Result
from referee.core.row import ClockRow, shared
from referee.core.setup import Player, Setup

T = TypeVar("T")

NEVER = -1


class Phase(Enum):
    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Turn:
    """A move that a seat owes. Each attempt at it has a token of its own, and each token one verdict."""

    seat: Seat
    ply: int
    asked_us: Micros
    attempt: int = 1

    @property
    def token(self) -> str:
        return f"{self.seat}.{self.ply}.{self.attempt}"


Verdict = MovePlayed | MoveRefused | FlagFell


@dataclass(frozen=True)
class Match:
    """How a match stands. Tuples hold one thing a seat. It has no slots, so that `evolve` can copy it at one stroke."""

    setup: Setup
    game: Game
    table: Table
    players: tuple[Player, ...]
    nonces: tuple[bytes | None, ...]
    clocks: tuple[Clock, ...]
    credit_us: tuple[Micros, ...]
    """Network credit left."""
    turns: tuple[Turn | None, ...]
    """What is owed."""
    verdicts: tuple[Verdict | None, ...]
    """On each seat's last answer, or instead of one."""
    moves_made: tuple[int, ...]
    gone_us: tuple[Micros | None, ...]
    """Since when the seat's bot has no session; None: it has one."""
    offered_ply: tuple[int, ...]
    """When the seat last offered a draw."""
    phase: Phase = Phase.WAITING
    number: int = 1
    """Of the last event."""
    at_us: Micros = 0
    """Match time of the last event."""
    ply: int = 0
    position: Position | None = None
    chance: Chance | None = None
    offers: frozenset[Seat] = frozenset()
    """Seats whose offer of a draw stands."""
    resigned: tuple[Seat, ...] = ()
    forfeits: tuple[Forfeit, ...] = ()
    result: Result | None = None
    ratings: tuple[RatingChange, ...] = ()
    """What the result did to ratings, in order of seats."""

    @property
    def out(self) -> frozenset[Seat]:
        """The seats that dropped out."""
        return frozenset((*self.resigned, *(forfeit.seat for forfeit in self.forfeits)))

    @property
    def owing(self) -> tuple[Turn, ...]:
        return tuple(turn for turn in self.turns if turn)

    def side_of(self, seat: Seat) -> int:
        return next(side for side, seats in enumerate(self.table.sides) if seat in seats)

    def at_play(self) -> Position:
        """The position, once play began. Raises ValueError before that, as a damaged log may tell."""
        if self.position is None:
            raise ValueError("play has not begun")
        return self.position

    def luck(self) -> Chance:
        """The chance of the match, once play began. Raises ValueError before that."""
        if self.chance is None:
            raise ValueError("play has not begun")
        return self.chance


def opened(event: Opened, game: Game) -> Match:
    """The match at its first event."""
    setup = event.setup.completed(game)
    table = game.table(setup.settings)
    seats = len(table.seats)
    return Match(
        setup,
        game,
        table,
        players=setup.players,
        nonces=(None,) * seats,
        clocks=tuple(control.first() for control in setup.controls),
        credit_us=(setup.credit.per_match_us,) * seats,
        turns=(None,) * seats,
        verdicts=(None,) * seats,
        moves_made=(0,) * seats,
        gone_us=(None,) * seats,
        offered_ply=(NEVER,) * seats,
        at_us=event.at_us,
    )


def evolve(match: Match, event: Event, position: Position | None = None) -> Match:
    """The match after `event`. `position` spares the work where the position after it is known already."""
    changes = CHANGES[type(event)](match, event, position)
    # What `replace` would give, for a tenth of its time: it asks for each of the many fields by name.
    after = object.__new__(Match)
    vars(after).update(vars(match), number=match.number + 1, at_us=event.at_us, **changes)
    return after


def replay(events: Iterable[Event], find_game: Callable[[str], Game]) -> Match:
    """The match that these events tell, the first of which opened it. Raises ValueError if it does not."""
    first, *rest = events
    if not isinstance(first, Opened):
        raise ValueError("the first event of a match opens it")
    match = opened(first, find_game(first.setup.game))
    for event in rest:
        match = evolve(match, event)
    return match


def put(things: tuple[T, ...], seat: Seat, thing: T) -> tuple[T, ...]:
    """The same tuple with another thing for one seat."""
    return (*things[:seat], thing, *things[seat + 1 :])


Changes = dict[str, Any]


def _seat_taken(match: Match, event: SeatTaken, _: Position | None) -> Changes:
    return {"players": put(match.players, event.seat, event.player)}


def _nonce_given(match: Match, event: NonceGiven, _: Position | None) -> Changes:
    return {"nonces": put(match.nonces, event.seat, event.nonce)}


def _play_began(match: Match, event: PlayBegan, position: Position | None) -> Changes:
    setup = match.setup
    chance = fair.match_chance(setup.seed, [nonce or b"" for nonce in match.nonces])
    if position is None and setup.opening:
        position = match.game.read(setup.opening, setup.settings)
    if position is None:
        position = match.game.start(setup.settings, fair.game_seed(chance))
    return {
        "phase": Phase.PLAYING,
        "players": event.seated,
        "chance": chance,
        "position": position,
        "turns": _asked(match.turns, position, 0, event.at_us),
    }


def _move_played(match: Match, event: MovePlayed, position: Position | None) -> Changes:
    seat = event.seat
    if position is None:
        position = match.at_play().play(seat, event.move)
    ply = match.ply + 1
    changes = _charged(match, seat, event.row) if event.row else {}
    changes["position"] = position
    changes["ply"] = ply
    changes["turns"] = _asked(put(match.turns, seat, None), position, ply, event.at_us)
    if event.source is Source.BOT:
        changes["verdicts"] = put(match.verdicts, seat, event)
    changes["moves_made"] = put(match.moves_made, seat, match.moves_made[seat] + 1)
    if match.offers:
        side = match.table.sides[match.side_of(seat)]
        changes["offers"] = match.offers.intersection(side)  # To move is to decline.
    return changes


def _move_refused(match: Match, event: MoveRefused, _: Position | None) -> Changes:
    turn = match.turns[event.seat]
    if turn is None:
        raise ValueError(f"seat {event.seat} owes no move that could be refused")
    again = replace(turn, attempt=turn.attempt + 1)
    return {"turns": put(match.turns, event.seat, again), "verdicts": put(match.verdicts, event.seat, event)}


def _flag_fell(match: Match, event: FlagFell, _: Position | None) -> Changes:
    return {**_charged(match, event.seat, event.row), "verdicts": put(match.verdicts, event.seat, event)}


def _draw_offered(match: Match, event: DrawOffered, _: Position | None) -> Changes:
    return {
        "offers": match.offers | {event.seat},
        "offered_ply": put(match.offered_ply, event.seat, match.ply),
    }


def _draw_declined(_match: Match, _event: DrawDeclined, _: Position | None) -> Changes:
    return {"offers": frozenset()}


def _seat_resigned(match: Match, event: SeatResigned, _: Position | None) -> Changes:
    return {"resigned": (*match.resigned, event.seat), "offers": match.offers - {event.seat}}


def _seat_forfeited(match: Match, event: SeatForfeited, _: Position | None) -> Changes:
    forfeit = Forfeit(event.seat, event.fault, match.ply)
    return {"forfeits": (*match.forfeits, forfeit), "offers": match.offers - {event.seat}}


def _seat_gone(match: Match, event: SeatGone, _: Position | None) -> Changes:
    return {"gone_us": put(match.gone_us, event.seat, event.at_us)}


def _seat_back(match: Match, event: SeatBack, _: Position | None) -> Changes:
    return {"gone_us": put(match.gone_us, event.seat, None)}


def _referee_back(_match: Match, _event: RefereeBack, _: Position | None) -> Changes:
    return {}


def _play_ended(match: Match, event: PlayEnded, _: Position | None) -> Changes:
    return {
        "phase": Phase.OVER,
        "result": event.result,
        "ratings": event.ratings,
        "turns": (None,) * len(match.turns),
        "offers": frozenset(),
    }


CHANGES: dict[type, Callable[[Match, Any, Position | None], Changes]] = {
    SeatTaken: _seat_taken,
    NonceGiven: _nonce_given,
    PlayBegan: _play_began,
    MovePlayed: _move_played,
    MoveRefused: _move_refused,
    FlagFell: _flag_fell,
    DrawOffered: _draw_offered,
    DrawDeclined: _draw_declined,
    SeatResigned: _seat_resigned,
    SeatForfeited: _seat_forfeited,
    SeatGone: _seat_gone,
    SeatBack: _seat_back,
    RefereeBack: _referee_back,
    PlayEnded: _play_ended,
}


def _asked(turns: tuple[Turn | None, ...], position: Position, ply: int, at_us: Micros) -> tuple[Turn | None, ...]:
    """What is owed in a position. A turn that was owed before goes on, with its token and its time."""
    owing = position.owing
    return tuple([(turn or Turn(seat, ply, at_us)) if seat in owing else None for seat, turn in enumerate(turns)])


def _charged(match: Match, seat: Seat, row: ClockRow) -> Changes:
    """What a row does to the clocks."""
    clocks = put(match.clocks, seat, row.after)
    if type(match.setup.controls[seat]) is Hourglass:
        clocks = _sand_shared(match, seat, clocks, row)
    return {
        "clocks": clocks,
        "credit_us": put(match.credit_us, seat, match.credit_us[seat] - row.network_credit_us),
    }


def _sand_shared(match: Match, seat: Seat, clocks: tuple[Clock, ...], row: ClockRow) -> tuple[Clock, ...]:
    mine = match.table.sides[match.side_of(seat)]
    others = [other for other in range(len(clocks)) if other not in mine]
    gained = shared(row.before.left_us - row.after.left_us, len(others))
    return tuple(Clock(clock.left_us + gained) if other in others else clock for other, clock in enumerate(clocks))
