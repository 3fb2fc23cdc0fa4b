"""The state of one match as a frozen value, and how an event changes it.

`evolve` applies an event without checks, because an event is a fact. `decide` says which events may follow. Folding the
events of a match over `create_match` reproduces its state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar

from msgspec import Struct

from engines.api import Game, Position, Seat, Table
from engines.chance import Chance
from referee.match.adjudication import NO_RUNS, ScoreRuns
from referee.match.clock import Clock, Hourglass, Micros
from referee.match.clock_charge import ClockCharge, hourglass_share
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MatchCreated,
    MatchResumed,
    MovePlayed,
    MoveRefused,
    MoveSource,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatTaken,
    SeatVacated,
)
from referee.match.match_terms import MatchTerms
from referee.match.result import Forfeit, RatingChange, Result
from referee.match.setup import Player, Setup, game_seed, match_chance

T = TypeVar("T")

NEVER = -1
NO_SEATS: frozenset[Seat] = frozenset()


class MatchPhase(Enum):
    __hash__ = object.__hash__  # That of Enum is a Python function, and each move needs it.

    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"


class Turn(Struct, frozen=True, gc=False):
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
    """The state of a match. Tuples have one item per seat. No slots, so that `evolve` can copy all fields at once."""

    setup: Setup
    game: Game
    table: Table
    players: tuple[Player, ...]
    nonces: tuple[bytes | None, ...]
    clocks: tuple[Clock, ...]
    credit_us: tuple[Micros, ...]
    """Network credit left."""
    turns: tuple[Turn | None, ...]
    """Pending turns."""
    verdicts: tuple[Verdict | None, ...]
    """The last verdict of each seat."""
    moves_made: tuple[int, ...]
    gone_us: tuple[Micros | None, ...]
    """When the bot of the seat lost its session; None while it has one."""
    offered_ply: tuple[int, ...]
    """Ply at which the seat last offered a draw."""
    phase: MatchPhase = MatchPhase.WAITING
    number: int = 1
    """Number of the last event."""
    at_us: Micros = 0
    """Match time of the last event."""
    ply: int = 0
    position: Position | None = None
    chance: Chance | None = None
    offers: frozenset[Seat] = frozenset()
    """Seats with a pending draw offer."""
    resigned: tuple[Seat, ...] = ()
    forfeits: tuple[Forfeit, ...] = ()
    result: Result | None = None
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes by the result, in order of seats."""
    score_runs: tuple[ScoreRuns, ...] = ()
    """One for each seat, if the scores of the bots can end the match."""

    @cached_property
    def terms(self) -> MatchTerms:
        return self.setup.terms

    @property
    def dropped_seats(self) -> frozenset[Seat]:
        """The seats that dropped out."""
        if not self.resigned and not self.forfeits:
            return NO_SEATS
        return frozenset((*self.resigned, *(forfeit.seat for forfeit in self.forfeits)))

    @property
    def owing(self) -> tuple[Turn, ...]:
        return tuple(filter(None, self.turns))

    def is_due(self, seat: Seat, token: str) -> bool:
        """Return whether the seat owes an answer to the turn with that token."""
        turn = self.turns[seat] if 0 <= seat < len(self.turns) else None
        return turn is not None and turn.token == token

    def side_of(self, seat: Seat) -> int:
        return next(side for side, seats in enumerate(self.table.sides) if seat in seats)

    def require_position(self) -> Position:
        """Return the position. Raises ValueError before the start of play, as may happen with a damaged log."""
        if self.position is None:
            raise ValueError("play has not begun")
        return self.position

    def require_chance(self) -> Chance:
        """Return the random generator of the match. Raises ValueError before the start of play."""
        if self.chance is None:
            raise ValueError("play has not begun")
        return self.chance


def create_match(event: MatchCreated, game: Game) -> Match:
    """Return the state after the first event."""
    setup = event.setup.completed(game)
    table = game.table(setup.terms.settings)
    seats = len(table.seats)
    adjudication = setup.terms.adjudication
    return Match(
        setup,
        game,
        table,
        players=setup.players,
        nonces=(None,) * seats,
        clocks=tuple(control.initial_clock() for control in setup.terms.controls),
        credit_us=(setup.terms.credit.per_match_us,) * seats,
        turns=(None,) * seats,
        verdicts=(None,) * seats,
        moves_made=(0,) * seats,
        gone_us=(None,) * seats,
        offered_ply=(NEVER,) * seats,
        at_us=event.at_us,
        score_runs=(NO_RUNS,) * seats if adjudication and adjudication.uses_scores else (),
    )


def evolve(match: Match, event: Event, position: Position | None = None) -> Match:
    """Return the state after `event`. Pass `position`, the position after it, if it was already computed."""
    changes = CHANGES[type(event)](match, event, position)
    changes["number"] = match.number + 1
    changes["at_us"] = event.at_us
    # Equivalent to `replace`, but ten times faster.
    after = object.__new__(Match)
    vars(after).update(vars(match), **changes)
    return after


def replace_at(things: tuple[T, ...], seat: Seat, thing: T) -> tuple[T, ...]:
    """Return the tuple with the item of one seat replaced."""
    return (*things[:seat], thing, *things[seat + 1 :])


Changes = dict[str, Any]


def _seat_taken(match: Match, event: SeatTaken, _: Position | None) -> Changes:
    return {"players": replace_at(match.players, event.seat, event.player)}


def _seat_vacated(match: Match, event: SeatVacated, _: Position | None) -> Changes:
    return {
        "players": replace_at(match.players, event.seat, Player()),
        "nonces": replace_at(match.nonces, event.seat, None),
    }


def _nonce_given(match: Match, event: NonceAdded, _: Position | None) -> Changes:
    return {"nonces": replace_at(match.nonces, event.seat, event.nonce)}


def _play_began(match: Match, event: PlayStarted, position: Position | None) -> Changes:
    setup = match.setup
    chance = match_chance(setup.seed, [nonce or b"" for nonce in match.nonces])
    if position is None and setup.opening:
        position = match.game.read(setup.opening, setup.terms.settings)
    if position is None:
        position = match.game.start(setup.terms.settings, game_seed(chance))
    return {
        "phase": MatchPhase.PLAYING,
        "players": event.seated,
        "chance": chance,
        "position": position,
        "turns": _asked(match.turns, position, 0, event.at_us),
    }


def _move_played(match: Match, event: MovePlayed, position: Position | None) -> Changes:
    seat = event.seat
    if position is None:
        position = match.require_position().play(seat, event.move)
    ply = match.ply + 1
    changes = _charged(match, seat, event.row) if event.row else {}
    changes["position"] = position
    changes["ply"] = ply
    changes["turns"] = _asked(match.turns, position, ply, event.at_us, answered=seat)
    if event.source is MoveSource.BOT:
        changes["verdicts"] = replace_at(match.verdicts, seat, event)
    changes["moves_made"] = replace_at(match.moves_made, seat, match.moves_made[seat] + 1)
    if match.score_runs and (adjudication := match.terms.adjudication):
        runs = match.score_runs[seat].after(event.score, adjudication)
        changes["score_runs"] = replace_at(match.score_runs, seat, runs)
    if match.offers:
        side = match.table.sides[match.side_of(seat)]
        changes["offers"] = match.offers.intersection(side)  # A move declines pending offers of the other sides.
    return changes


def _move_refused(match: Match, event: MoveRefused, _: Position | None) -> Changes:
    turn = match.turns[event.seat]
    if turn is None:
        raise ValueError(f"seat {event.seat} owes no move that could be refused")
    again = Turn(turn.seat, turn.ply, turn.asked_us, turn.attempt + 1)
    return {
        "turns": replace_at(match.turns, event.seat, again),
        "verdicts": replace_at(match.verdicts, event.seat, event),
    }


def _flag_fell(match: Match, event: FlagFell, _: Position | None) -> Changes:
    return {**_charged(match, event.seat, event.row), "verdicts": replace_at(match.verdicts, event.seat, event)}


def _draw_offered(match: Match, event: DrawOffered, _: Position | None) -> Changes:
    return {
        "offers": match.offers | {event.seat},
        "offered_ply": replace_at(match.offered_ply, event.seat, match.ply),
    }


def _draw_declined(_match: Match, _event: DrawDeclined, _: Position | None) -> Changes:
    return {"offers": frozenset()}


def _seat_resigned(match: Match, event: SeatResigned, _: Position | None) -> Changes:
    return {"resigned": (*match.resigned, event.seat), "offers": match.offers - {event.seat}}


def _seat_forfeited(match: Match, event: SeatForfeited, _: Position | None) -> Changes:
    forfeit = Forfeit(event.seat, event.fault, match.ply)
    return {"forfeits": (*match.forfeits, forfeit), "offers": match.offers - {event.seat}}


def _seat_gone(match: Match, event: SeatDisconnected, _: Position | None) -> Changes:
    return {"gone_us": replace_at(match.gone_us, event.seat, event.at_us)}


def _seat_back(match: Match, event: SeatReconnected, _: Position | None) -> Changes:
    return {"gone_us": replace_at(match.gone_us, event.seat, None)}


def _referee_back(_match: Match, _event: MatchResumed, _: Position | None) -> Changes:
    return {}


def _play_ended(match: Match, event: PlayEnded, _: Position | None) -> Changes:
    return {
        "phase": MatchPhase.OVER,
        "result": event.result,
        "ratings": event.ratings,
        "turns": (None,) * len(match.turns),
        "offers": frozenset(),
    }


CHANGES: dict[type, Callable[[Match, Any, Position | None], Changes]] = {
    SeatTaken: _seat_taken,
    SeatVacated: _seat_vacated,
    NonceAdded: _nonce_given,
    PlayStarted: _play_began,
    MovePlayed: _move_played,
    MoveRefused: _move_refused,
    FlagFell: _flag_fell,
    DrawOffered: _draw_offered,
    DrawDeclined: _draw_declined,
    SeatResigned: _seat_resigned,
    SeatForfeited: _seat_forfeited,
    SeatDisconnected: _seat_gone,
    SeatReconnected: _seat_back,
    MatchResumed: _referee_back,
    PlayEnded: _play_ended,
}


def _asked(
    turns: tuple[Turn | None, ...], position: Position, ply: int, at_us: Micros, answered: Seat | None = None
) -> tuple[Turn | None, ...]:
    """Return the pending turns in a position. A turn that was pending before keeps its token and time."""
    asked: list[Turn | None] = [None] * len(turns)
    for seat in position.owing:
        before = None if seat == answered else turns[seat]
        asked[seat] = before or Turn(seat, ply, at_us)
    return tuple(asked)


def _charged(match: Match, seat: Seat, row: ClockCharge) -> Changes:
    """Return the changes to clocks and network credit by a charge."""
    clocks = replace_at(match.clocks, seat, row.after)
    if type(match.terms.controls[seat]) is Hourglass:
        clocks = _sand_shared(match, seat, clocks, row)
    if not row.network_credit_us:
        return {"clocks": clocks}
    left_us = match.credit_us[seat] - row.network_credit_us
    return {"clocks": clocks, "credit_us": replace_at(match.credit_us, seat, left_us)}


def _sand_shared(match: Match, seat: Seat, clocks: tuple[Clock, ...], row: ClockCharge) -> tuple[Clock, ...]:
    mine = match.table.sides[match.side_of(seat)]
    others = [other for other in range(len(clocks)) if other not in mine]
    gained = hourglass_share(row.before.left_us - row.after.left_us, len(others))
    return tuple(Clock(clock.left_us + gained) if other in others else clock for other, clock in enumerate(clocks))
