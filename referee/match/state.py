"""The state of one match as a frozen value, and how an event changes it.

`evolve` applies an event without checks, because an event is a fact. `decide` says which events may follow. Folding the
events of a match over `create_match` reproduces its state.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct, structs

from engines.api import Game, Position, Seat, Table
from engines.chance import Chance
from referee.match.adjudication import NO_RUNS, ScoreRuns, uses_scores
from referee.match.clock import MS, Clock, Hourglass, Micros, TimeControl, controls_of
from referee.match.clock_charge import ClockCharge, apply_charge
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    MoveSource,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    RefereeRecovered,
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
Changes = dict[str, Any]

NEVER = -1
NO_SEATS: frozenset[Seat] = frozenset()
BY_BOT = MoveSource.BOT  # In CPython 3.11, to read a member of an enum takes as long as to create an event.


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
    attempt: int
    token: str


def new_turn(seat: Seat, ply: int, asked_us: Micros, attempt: int = 1) -> Turn:
    return Turn(seat, ply, asked_us, attempt, f"{seat}.{ply}.{attempt}")


Verdict = MovePlayed | MoveRejected | FlagFell


class Match(Struct, frozen=True):
    """The state of a match. Tuples have one item per seat."""

    setup: Setup
    game: Game
    table: Table
    players: tuple[Player, ...]
    nonces: tuple[bytes | None, ...]
    controls: tuple[TimeControl, ...]
    clocks: tuple[Clock, ...]
    credit_a_move_us: Micros
    """Maximum network credit for one move."""
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

    @property
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
    controls = controls_of(setup.terms.time_control, seats)
    credit = setup.terms.network_credit
    adjudication = setup.terms.adjudication
    return Match(
        setup,
        game,
        table,
        players=setup.players,
        nonces=(None,) * seats,
        controls=controls,
        clocks=tuple(control.initial_clock() for control in controls),
        credit_a_move_us=credit.per_move_ms * MS,
        credit_us=(credit.per_match_ms * MS,) * seats,
        turns=(None,) * seats,
        verdicts=(None,) * seats,
        moves_made=(0,) * seats,
        gone_us=(None,) * seats,
        offered_ply=(NEVER,) * seats,
        at_us=event.at_us,
        score_runs=(NO_RUNS,) * seats if adjudication and uses_scores(adjudication) else (),
    )


def evolve(match: Match, event: Event) -> Match:
    """Return the state after `event`."""
    if type(event) is MovePlayed:
        return move_played(match, event, match.require_position().play(event.seat, event.move))
    changes = CHANGES[type(event)](match, event)
    return structs.replace(match, number=match.number + 1, at_us=event.at_us, **changes)


def replace_at(things: tuple[T, ...], seat: Seat, thing: T) -> tuple[T, ...]:
    """Return the tuple with the item of one seat replaced."""
    if len(things) == 2:
        return (things[0], thing) if seat else (thing, things[1])
    return (*things[:seat], thing, *things[seat + 1 :])


def _seat_taken(match: Match, event: SeatTaken) -> Changes:
    return {"players": replace_at(match.players, event.seat, event.player)}


def _seat_vacated(match: Match, event: SeatVacated) -> Changes:
    players = replace_at(match.players, event.seat, Player())
    return {"players": players, "nonces": replace_at(match.nonces, event.seat, None)}


def _nonce_given(match: Match, event: NonceAdded) -> Changes:
    return {"nonces": replace_at(match.nonces, event.seat, event.nonce)}


def _play_began(match: Match, event: PlayStarted) -> Changes:
    setup = match.setup
    chance = match_chance(setup.seed, [nonce or b"" for nonce in match.nonces])
    if setup.opening:
        position = match.game.read(setup.opening, setup.terms.settings)
    else:
        position = match.game.start(setup.terms.settings, game_seed(chance))
    return {
        "phase": MatchPhase.PLAYING,
        "players": event.seated,
        "chance": chance,
        "position": position,
        "turns": _asked(match.turns, position, 0, event.at_us),
    }


def move_played(match: Match, event: MovePlayed, position: Position) -> Match:
    """Return the state after a move."""
    seat, row, ply = event.seat, event.row, match.ply + 1
    clocks, credit_us, verdicts, offers = match.clocks, match.credit_us, match.verdicts, match.offers
    if row and (row.network_credit_us or type(match.controls[seat]) is Hourglass):
        clocks, credit_us = _charged(match, seat, row)
    elif row:
        clocks = replace_at(clocks, seat, row.after)
    if event.source is BY_BOT:
        verdicts = replace_at(verdicts, seat, event)
    if offers:
        offers = offers.intersection(match.table.sides[match.side_of(seat)])  # It declines those of the other sides.
    score_runs = match.score_runs
    if score_runs and (adjudication := match.terms.adjudication):
        score_runs = replace_at(score_runs, seat, score_runs[seat].after(event.score, adjudication))
    return structs.replace(
        match,
        clocks=clocks,
        credit_us=credit_us,
        turns=_asked(match.turns, position, ply, event.at_us, seat),
        verdicts=verdicts,
        moves_made=replace_at(match.moves_made, seat, match.moves_made[seat] + 1),
        number=match.number + 1,
        at_us=event.at_us,
        ply=ply,
        position=position,
        offers=offers,
        score_runs=score_runs,
    )


def _move_rejected(match: Match, event: MoveRejected) -> Changes:
    turn = match.turns[event.seat]
    if turn is None:
        raise ValueError(f"seat {event.seat} owes no move that could be refused")
    again = new_turn(turn.seat, turn.ply, turn.asked_us, turn.attempt + 1)
    return {
        "turns": replace_at(match.turns, event.seat, again),
        "verdicts": replace_at(match.verdicts, event.seat, event),
    }


def _flag_fell(match: Match, event: FlagFell) -> Changes:
    clocks, credit_us = _charged(match, event.seat, event.row)
    return {"clocks": clocks, "credit_us": credit_us, "verdicts": replace_at(match.verdicts, event.seat, event)}


def _draw_offered(match: Match, event: DrawOffered) -> Changes:
    return {
        "offers": match.offers | {event.seat},
        "offered_ply": replace_at(match.offered_ply, event.seat, match.ply),
    }


def _seat_resigned(match: Match, event: SeatResigned) -> Changes:
    return {"resigned": (*match.resigned, event.seat), "offers": match.offers - {event.seat}}


def _seat_forfeited(match: Match, event: SeatForfeited) -> Changes:
    forfeit = Forfeit(event.seat, event.cause, match.ply)
    return {"forfeits": (*match.forfeits, forfeit), "offers": match.offers - {event.seat}}


def _seat_disconnected(match: Match, event: SeatDisconnected) -> Changes:
    return {"gone_us": replace_at(match.gone_us, event.seat, event.at_us)}


def _seat_reconnected(match: Match, event: SeatReconnected) -> Changes:
    return {"gone_us": replace_at(match.gone_us, event.seat, None)}


def _play_ended(match: Match, event: PlayEnded) -> Changes:
    return {
        "phase": MatchPhase.OVER,
        "result": event.result,
        "ratings": event.ratings,
        "turns": (None,) * len(match.turns),
        "offers": frozenset(),
    }


CHANGES: dict[type, Callable[[Match, Any], Changes]] = {  # Of all events but `MovePlayed`.
    SeatTaken: _seat_taken,
    SeatVacated: _seat_vacated,
    NonceAdded: _nonce_given,
    PlayStarted: _play_began,
    MoveRejected: _move_rejected,
    FlagFell: _flag_fell,
    DrawOffered: _draw_offered,
    DrawDeclined: lambda *_: {"offers": NO_SEATS},
    SeatResigned: _seat_resigned,
    SeatForfeited: _seat_forfeited,
    SeatDisconnected: _seat_disconnected,
    SeatReconnected: _seat_reconnected,
    RefereeRecovered: lambda *_: {},
    PlayEnded: _play_ended,
}


def _asked(
    turns: tuple[Turn | None, ...], position: Position, ply: int, at_us: Micros, answered: Seat | None = None
) -> tuple[Turn | None, ...]:
    """Return the pending turns in a position. A turn that was pending before keeps its token and time."""
    owing = position.owing
    if len(owing) == 1 and len(turns) == 2:  # Most positions: do without a list.
        seat = owing[0]
        turn = (None if seat == answered else turns[seat]) or Turn(seat, ply, at_us, 1, f"{seat}.{ply}.1")
        return (None, turn) if seat else (turn, None)
    asked: list[Turn | None] = [None] * len(turns)
    for seat in owing:
        asked[seat] = (None if seat == answered else turns[seat]) or new_turn(seat, ply, at_us)
    return tuple(asked)


def _charged(match: Match, seat: Seat, row: ClockCharge) -> tuple[tuple[Clock, ...], tuple[Micros, ...]]:
    """Return the clocks and the network credit of all seats after a charge."""
    shared = type(match.controls[seat]) is Hourglass
    others = [each for each in range(len(match.clocks)) if match.side_of(each) != match.side_of(seat)] if shared else ()
    return apply_charge(row, seat, match.clocks, match.credit_us, others)
