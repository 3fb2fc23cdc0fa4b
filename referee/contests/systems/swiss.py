"""Pairs a round of a Swiss tournament by FIDE's Dutch system (C.04.3, in force since 1 February 2026).

`dutch` finds the pairs. This module converts a table for it and checks what it returns, because the library assigns
impossible byes if no round is left to pair. Colours are allocated here too (article E, seat 0 is white): the library
lets the lower number decide (E.4) where the rules let the player with more points do so.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import IntEnum
from typing import Any

from msgspec import Struct

from referee.contests.pairing import Pairing
from referee.contests.systems.acceleration import NO_ACCELERATION, Acceleration
from referee.contests.systems.dutch import DutchEngine
from referee.contests.tables.round_result import ResultKind, RoundResult, RoundResults, total_points

FIRST, SECOND = 0, 1


class PreferenceStrength(IntEnum):
    """Strength of a colour preference."""

    MILD = 1
    """Seats are balanced; the preference is for the other seat than last time."""
    STRONG = 2
    """One seat was taken once more often than the other."""
    ABSOLUTE = 3
    """One seat was taken at least twice more often, or twice in succession."""


class ColourCandidate(Struct, frozen=True, gc=False):
    """One of two players that meet."""

    points: float
    number: int
    """Its seed, from 1."""
    seat_history: Sequence[int]
    """Former seats, the latest last."""

    @property
    def surplus(self) -> int:
        """How many times more often it was first than second."""
        return len(self.seat_history) - 2 * sum(self.seat_history)

    @property
    def preference_strength(self) -> PreferenceStrength:
        if abs(self.surplus) > 1 or (len(self.seat_history) > 1 and self.seat_history[-1] == self.seat_history[-2]):
            return PreferenceStrength.ABSOLUTE
        return PreferenceStrength.STRONG if self.surplus else PreferenceStrength.MILD

    @property
    def preference(self) -> int:
        """The preferred seat. Undefined for a player without former seats."""
        twice = len(self.seat_history) > 1 and self.seat_history[-1] == self.seat_history[-2]
        if twice or not self.surplus:
            return 1 - self.seat_history[-1]
        return SECOND if self.surplus > 0 else FIRST


def has_first_move(one: ColourCandidate, other: ColourCandidate, odd_seat: int) -> bool:
    """Return whether `one` has the first move. `odd_seat` is the seat drawn for seeds of odd number."""
    higher, lower = sorted((one, other), key=lambda it: (-it.points, it.number))
    seat = _seat_of_higher(higher, lower, odd_seat)
    return (seat == FIRST) == (one is higher)


def _seat_of_higher(higher: ColourCandidate, lower: ColourCandidate, odd_seat: int) -> int:
    if not higher.seat_history and not lower.seat_history:
        return odd_seat if higher.number % 2 else 1 - odd_seat
    if not lower.seat_history or not higher.seat_history:
        return higher.preference if higher.seat_history else 1 - lower.preference
    if higher.preference != lower.preference:
        return higher.preference
    claims = [(it.preference_strength, abs(it.surplus)) for it in (higher, lower)]
    if claims[0] != claims[1]:
        return higher.preference if claims[0] > claims[1] else 1 - lower.preference
    differing = next(
        (
            (mine, theirs)
            for mine, theirs in zip(higher.seat_history[::-1], lower.seat_history[::-1], strict=False)
            if mine != theirs
        ),
        None,
    )
    return higher.preference if differing is None else 1 - differing[0]


SIDES = ("white", "black")


class Unpairable(Exception):
    """No round without a rematch or a second bye is left."""


def pair_swiss_round(
    table: RoundResults,
    active: Collection[str],
    rounds: int,
    *,
    first_has_first_move: bool = True,
    acceleration: Acceleration = NO_ACCELERATION,
    forbidden: Collection[frozenset[str]] = (),
) -> list[Pairing]:
    """Return the pairings of the next round, the top board first and a bye last. Raises Unpairable.

    The table contains all entrants that ever entered, in the order of seeds. `active` are those to be paired.
    `forbidden` pairs are not paired, as if they had met.
    """
    scores = PairingScores(table, acceleration)
    numbers = {name: number for number, name in enumerate(table, start=1)}
    number = 1 + len(next(iter(table.values())))
    previous = {
        (min(pair), max(pair))
        for name in table
        for result in table[name]
        if result.kind is ResultKind.PLAYED
        for pair in [(numbers[name], numbers[result.opponents[0]])]
    }
    engine = DutchEngine(
        players=[_player(scores, name, numbers[name]) for name in table if name in active],
        previous_pairings=previous,
        round_number=number,
        total_rounds=rounds,
        initial_color=SIDES[not first_has_first_move],
    )
    engine.forbidden = {tuple(sorted(numbers[name] for name in names)) for names in forbidden if names <= {*numbers}}
    # The first round needs brackets then. Set it after the construction, which would add points by simpler rules.
    engine.accelerated = bool(acceleration.upper or engine.forbidden)
    if engine.forbidden:
        engine.round_number = max(2, number)  # In the first one, the library chooses the bye before it looks for pairs.
    pairs = [(pair["white_id"], pair["black_id"]) for pair in engine.generate_pairings()]
    names = list(table)
    odd_seat = 0 if first_has_first_move else 1
    boards = [_seat_pair([names[it - 1] for it in pair if it], scores, numbers, odd_seat) for pair in pairs]
    if not _is_allowed(boards, table, forbidden):
        raise Unpairable
    boards.sort(key=lambda seats: _board_order(seats, scores, numbers))
    return [Pairing(f"{number}.{board}", number, board, seats) for board, seats in enumerate(boards, start=1)]


class PairingScores(Struct, frozen=True, gc=False):
    """Scores by which players are paired: their points, and virtual points in accelerated rounds."""

    table: RoundResults
    acceleration: Acceleration

    def before(self, name: str, played: int | None = None) -> float:
        """Return the score with which a player was paired after that many rounds. None: is to be paired now."""
        results = self.table[name] if played is None else self.table[name][:played]
        return total_points(results) + self.acceleration.virtual_points(name, len(results) + 1)


def _seat_pair(
    pair: Sequence[str], scores: PairingScores, numbers: Mapping[str, int], odd_seat: int
) -> tuple[str, ...]:
    players = [
        ColourCandidate(
            scores.before(name), numbers[name], [it.seat for it in scores.table[name] if it.seat is not None]
        )
        for name in pair
    ]
    exchanged = len(pair) == 2 and not has_first_move(players[0], players[1], odd_seat)
    return tuple(reversed(pair)) if exchanged else tuple(pair)


def _is_allowed(boards: Sequence[tuple[str, ...]], table: RoundResults, forbidden: Collection[frozenset[str]]) -> bool:
    """Return whether all pairs may meet, and there is at most one bye, of an entrant without unearned points."""
    byes = [seats[0] for seats in boards if len(seats) == 1]
    has_rematch = any(
        it.kind is ResultKind.PLAYED and it.opponents[0] == seats[1]
        for seats in boards
        if len(seats) == 2
        for it in table[seats[0]]
    )
    if any(frozenset(seats) in forbidden for seats in boards):
        return False
    return not has_rematch and len(byes) < 2 and not any(_is_unearned(it) for name in byes for it in table[name])


def _is_unearned(result: RoundResult) -> bool:
    return result.kind in {ResultKind.BYE, ResultKind.UNOPPOSED}


def _board_order(
    seats: Sequence[str], scores: PairingScores, numbers: Mapping[str, int]
) -> tuple[bool, float, float, int]:
    """Sort key of boards (C.04.3, D.9): higher score, sum of scores, number of the higher player. A bye is last."""
    points = sorted((-scores.before(name), numbers[name]) for name in seats)
    return len(seats) == 1, points[0][0], sum(it for it, _ in points), points[0][1]


def _player(scores: PairingScores, name: str, number: int) -> dict[str, Any]:
    """Convert an entrant to the library's form."""
    results = scores.table[name]
    return {
        "id": number,
        "name": name,
        "score": scores.before(name),
        "starting_number": number,
        "pairing_number": number,
        "color_hist": [SIDES[it.seat] for it in results if it.seat is not None],
        "float_history": [_floated(scores, name, played) for played in range(len(results))],
        "bye_count": sum(it.kind is ResultKind.BYE for it in results),
        "forfeit_win_count": sum(it.kind is ResultKind.UNOPPOSED for it in results),
    }


def _floated(scores: PairingScores, name: str, played: int) -> str:
    """Return whether the entrant met one with fewer points ("down") or more; unearned points count as down (A.4)."""
    result = scores.table[name][played]
    if result.kind is not ResultKind.PLAYED:
        return "down" if result.points > 0 else "none"
    own, opposing = scores.before(name, played), scores.before(result.opponents[0], played)
    return "down" if own > opposing else "up" if own < opposing else "none"
