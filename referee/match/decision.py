"""The events of one decision, and the state after them.

`DecisionBuilder` adds what follows by itself: the end by the rules, moves by policy, the result after a dropout.
"""

from msgspec import Struct, structs

from engines.api import Outcome
from engines.game_errors import shortened
from referee.match.adjudication import STOPPED, standing_by_scores, uses_scores
from referee.match.clock import Micros
from referee.match.clock_charge import ClockCharge, TurnMeasurement, charge
from referee.match.commands import SubmitMove
from referee.match.events import Event, FlagFell, MovePlayed, MoveSource, PlayEnded, SeatForfeited, SeatResigned
from referee.match.result import (
    EndCause,
    EndKind,
    RatingChange,
    Result,
    rank_sides,
    result_by_rank,
    result_by_rules,
)
from referee.match.setup import draw_move
from referee.match.state import Match, Turn, evolve


class Decision(Struct, frozen=True):
    """The events that follow from a command, and the state after each of them."""

    events: tuple[Event, ...]
    states: tuple[Match, ...]
    match: Match
    """The state after all of them."""
    fault: Exception | None = None
    """The exception of the engine that made the match void."""

    def rated(self, ratings: tuple[RatingChange, ...]) -> "Decision":
        """Return the same decision with rating changes in its last event, which must be PlayEnded."""
        *before, end = self.events
        assert isinstance(end, PlayEnded)
        events, match = (*before, structs.replace(end, ratings=ratings)), structs.replace(self.match, ratings=ratings)
        return Decision(events, (*self.states[:-1], match), match, self.fault)


class DecisionBuilder(Struct, eq=False):
    """Collects the events of one decision and applies each to the state."""

    match: Match
    now_us: Micros
    events: tuple[Event, ...] = ()
    states: tuple[Match, ...] = ()

    def add(self, event: Event) -> None:
        self.match = match = evolve(self.match, event)
        self.events += (event,)
        self.states += (match,)

    def end(self, result: Result) -> None:
        self.add(PlayEnded(self.now_us, result, self.match.setup.seed))

    def settle(self) -> None:
        """End the match if the rules or its terms say so; else play for seats that dropped out.

        These moves end when another seat has to move.
        """
        while True:
            assert self.match.position
            outcome = self.match.position.outcome
            if outcome:
                self.end(resolve_outcome(self.match, outcome))
                return
            if self.match.terms.adjudication and (result := result_by_terms(self.match)):
                self.end(result)
                return
            out = self.match.dropped_seats
            turn = next((turn for turn in self.match.owing if turn.seat in out), None) if out else None
            if turn is None:
                return
            random = self.match.terms.policies.forfeit_effect == "random_moves"
            self.play_policy_move(turn, MoveSource.RANDOM if random else MoveSource.DEFAULT)

    def play_policy_move(self, turn: Turn, source: MoveSource, row: ClockCharge | None = None) -> None:
        """Play a random or default move for a seat, as its policy says."""
        match, position = self.match, self.match.require_position()
        if source is MoveSource.RANDOM:
            move = draw_move(match.require_chance(), position, turn.seat, match.ply)
        else:
            move = position.default(turn.seat)
        self.add(MovePlayed(self.now_us, turn.seat, turn.token, move, source, row))

    def drop_seat(self, event: SeatResigned | SeatForfeited) -> None:
        """Drop a seat out of the match, which then ends or continues without it."""
        self.add(event)
        result = result_after_dropout(self.match)
        if result:
            self.end(result)
        else:
            self.settle()

    def apply_late_policy(self, turn: Turn, row: ClockCharge, answer: SubmitMove | None = None) -> None:
        """Record that the flag of a seat fell, and apply the policy for late moves."""
        move, request_id = (shortened(answer.move), answer.request_id) if answer else ("", "")
        self.add(FlagFell(self.now_us, turn.seat, turn.token, row, move, request_id))
        action = self.match.terms.policies.timeout
        if action == "forfeit":
            self.drop_seat(SeatForfeited(self.now_us, turn.seat, "time"))
        else:
            self.play_policy_move(turn, MoveSource.RANDOM if action == "random_move" else MoveSource.DEFAULT)
            self.settle()


def charge_turn(match: Match, turn: Turn, measured: TurnMeasurement) -> ClockCharge:
    """Return the charge of an answer to a turn, or of a check of its flag."""
    seat = turn.seat
    credit = min(match.credit_a_move_us, match.credit_us[seat]) if measured.network_us else 0
    return charge(match.controls[seat], match.clocks[seat], turn.asked_us, measured, credit)


def resolve_outcome(match: Match, outcome: Outcome) -> Result:
    """Return the result of a game that ended by its rules. Sides that dropped out are last, whatever their score.

    Raises InvalidOutcome.
    """
    result = result_by_rules(outcome, match.table)
    if not match.dropped_seats:
        return result
    side_ranks = rank_sides(outcome.side_scores, dropped_sides(match))
    kind, cause = (EndKind.FORFEITED, EndCause.FAULT) if match.forfeits else (result.kind, result.cause)
    ranks = tuple(side_ranks[match.side_of(seat)] for seat in range(len(match.table.seats)))
    return structs.replace(result, kind=kind, cause=cause, ranks=ranks, side_ranks=side_ranks, forfeits=match.forfeits)


def result_after_dropout(match: Match) -> Result | None:
    """Return the result if the match ends because a seat dropped out; None if it continues."""
    out = dropped_sides(match)
    still_in = len(match.table.sides) - len(out)
    if still_in > 1 and match.terms.policies.forfeit_effect != "ends_match":
        # All other sides may have agreed to a draw already.
        return draw_result(match, EndCause.DRAW_AGREED) if is_draw_agreed(match) else None
    return _closed(match, EndCause.RESIGNATION, match.require_position().standing)


def result_by_terms(match: Match) -> Result | None:
    """Return the result if the terms of the match end it in this position; None if it continues."""
    terms = match.terms.adjudication
    assert terms
    if agreed := standing_by_scores(terms, match.score_runs, match.table, match.ply) if uses_scores(terms) else None:
        return _closed(match, EndCause.ADJUDICATION, *agreed)
    if not terms.max_plies or match.ply < terms.max_plies:
        return None
    if match.game.drawn_when_stopped:
        return draw_result(match, EndCause.ADJUDICATION, STOPPED)
    return _closed(match, EndCause.ADJUDICATION, match.require_position().standing, STOPPED)


def draw_result(match: Match, cause: EndCause, reason: str = "") -> Result:
    """Return a draw of all sides that have not dropped out; the others are last."""
    return _closed(match, cause, (0.0,) * len(match.table.sides), reason)


def _closed(match: Match, cause: EndCause, standing: tuple[float, ...], reason: str = "") -> Result:
    """Return a result that the rules did not decide. If a seat has forfeited, the cause is that fault."""
    kind, cause = (EndKind.FORFEITED, EndCause.FAULT) if match.forfeits else (EndKind.PLAYED, cause)
    return result_by_rank(match.table, kind, cause, rank_sides(standing, dropped_sides(match)), reason, match.forfeits)


def is_draw_agreed(match: Match) -> bool:
    """Return whether every side that has not dropped out offers a draw."""
    offering = {match.side_of(seat) for seat in match.offers}
    return offering | dropped_sides(match) == set(range(len(match.table.sides)))


def dropped_sides(match: Match) -> frozenset[int]:
    return frozenset(match.side_of(seat) for seat in match.dropped_seats)
