"""Plans the next pairings of a tournament.

Pairings depend on the tournament alone, so planning is deterministic.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace
from referee_values import Elimination, Gauntlet, RoundRobin, Swiss

from referee.contests.pairing import Pairing
from referee.contests.systems.dutch import Unpairable
from referee.contests.systems.knockout import BracketStage, separate_owners, single_elimination
from referee.contests.systems.pool_designs import PoolDesign, find_designs
from referee.contests.systems.schedule import (
    count_meetings,
    gauntlet_pairings,
    pair_designed_round,
    pair_pool_round,
    round_robin_pairings,
)
from referee.contests.systems.swiss import NO_ACCELERATION, Acceleration, pair_swiss_round
from referee.contests.tables.round_result import TEAM_WIN, RoundResults
from referee.contests.tournament import sprt_trial
from referee.contests.tournament.events import by_rating
from referee.contests.tournament.play_off import leaders_of, play_off_pairings
from referee.contests.tournament.staff_acts import unused_id
from referee.contests.tournament.state import Tournament
from referee.contests.tournament.tournament_terms import Pools, ScheduledFormat, SprtTrial, cycle_length

PairedFormat = RoundRobin | Swiss | Elimination | Gauntlet | Pools
"""Formats in which it is to be decided who meets whom."""

MIN_OPEN_PAIRINGS = 500
"""Number of open pairings of a schedule below which further rounds are planned."""


def order_seeds(tournament: Tournament) -> tuple[str, ...]:
    """Return the names of all entrants, the best seed first."""
    if isinstance(tournament.terms.format, Elimination):
        owners = {name: entrant.owners for name, entrant in tournament.entrants.items()}
        return separate_owners(_seeds(tournament), owners)
    return _seeds(tournament)


def _seeds(tournament: Tournament) -> tuple[str, ...]:
    names = tuple(tournament.entrants)
    if tournament.terms.value.seeding == "random":
        return tournament.terms.chance.fork("seeding").shuffled(names)[0]
    if tournament.terms.value.seeding == "rating":
        return tuple(by_rating(tournament.entrants))
    return names


def plan_pairings(tournament: Tournament) -> list[Pairing]:
    """Return new pairings whose entrants are known now. Empty if the next ones depend on results that are missing."""
    form, terms = tournament.terms.format, tournament.terms
    if isinstance(form, SprtTrial):
        return _trial_sets(tournament, form)
    return [
        replace(pairing, matches=terms.matches_per_pairing, extra=terms.max_extra_matches, arrangements=terms.set_size)
        for pairing in _paired_round(tournament, form) or _play_off(tournament)
    ]


def _play_off(tournament: Tournament) -> list[Pairing]:
    """Return the pairings of the play-off, once everything else is over."""
    most = tournament.terms.value.play_off_entrants
    if not most or tournament.open_pairings or tournament.pairings.play_off:
        return []
    leaders = leaders_of(tournament.standings(), tournament.withdrawn, most)
    pairings = play_off_pairings(leaders, tournament.round + 1)
    return [replace(pairing, id=unused_id(pairing.id, tournament.dropped)) for pairing in pairings]


def _trial_sets(tournament: Tournament, form: SprtTrial) -> list[Pairing]:
    """Return the next sets, as long as both entrants are active."""
    if len(tournament.active_entrants) < 2:
        return []
    terms, names = tournament.terms, tuple(tournament.entrants)
    ready_target = terms.value.max_concurrent_matches or sprt_trial.DEFAULT_READY_MATCHES
    return sprt_trial.plan_sets(
        form, tournament.trial_progress, tournament.pairings, names, terms.set_size, ready_target
    )


def _paired_round(tournament: Tournament, form: PairedFormat) -> list[Pairing]:
    """Return the next pairings by the format's pairing system."""
    if tournament.pairings.play_off:
        return []
    if isinstance(form, Swiss):
        return _swiss(tournament, form)
    if isinstance(form, Pools):
        return _pools(tournament, form)
    if isinstance(form, Elimination):
        return tournament.knockout().ready()
    return _scheduled(tournament, form)


def round_is_due(tournament: Tournament) -> bool:
    """Return whether the next round of a Swiss or of pools is to be paired now, which is expensive for many entrants.

    A Swiss round needs all results of the round before. Pools do not depend on results, so half of them are enough.
    """
    form = tournament.terms.format
    if not isinstance(form, Swiss | Pools) or tournament.round >= form.rounds or tournament.pairings.play_off:
        return False
    if isinstance(form, Swiss):
        return len(tournament.active_entrants) > 1 and not tournament.open_pairings
    last = [progress for progress in tournament.pairings.values() if progress.pairing.round == tournament.round]
    waiting = sum(not progress.is_done for progress in last)
    return len(tournament.active_entrants) >= form.at_a_table and 2 * waiting <= len(last)


def _scheduled(tournament: Tournament, form: ScheduledFormat) -> list[Pairing]:
    """Return the next rounds if too few pairings are open. A schedule of 400 entrants has 80 000 pairings in all."""
    target = max(MIN_OPEN_PAIRINGS, tournament.terms.value.max_concurrent_matches or 0)
    open_count = tournament.pairings.open_count
    if tournament.terms.value.round_break_ms:  # The next round starts after this one.
        target, requested = 1, 1
    else:
        requested = target + MIN_OPEN_PAIRINGS - open_count
    if open_count >= target:
        return []
    names = tuple(tournament.entrants)
    pairings: list[Pairing] = []
    for number in range(tournament.round + 1, count_rounds(form, len(names)) + 1):
        if len(pairings) >= requested:
            break
        pairings += schedule_round(form, names, number)
    return pairings


def count_rounds(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of rounds in all cycles."""
    return form.cycles * cycle_length(form, entrants)


def count_pairings(form: ScheduledFormat, entrants: int) -> int:
    """Return the number of pairings in all cycles."""
    if isinstance(form, RoundRobin):
        return form.cycles * entrants * (entrants - 1) // 2
    challengers = len(set(form.challengers))
    return form.cycles * challengers * (entrants - challengers)


def schedule_round(form: ScheduledFormat, entrants: Sequence[str], number: int) -> list[Pairing]:
    """Return the pairings of a round, at least one. Rounds count from 1."""
    if isinstance(form, RoundRobin):
        return round_robin_pairings(entrants, number, form.cycles)
    return gauntlet_pairings(entrants, form.challengers, number)


def _swiss(tournament: Tournament, form: Swiss) -> list[Pairing]:
    """Return a round, or no pairings if no round without rematches is possible: then the round before was the last."""
    if not round_is_due(tournament):
        return []
    never = {frozenset((pair.first, pair.second)) for pair in tournament.terms.value.forbidden_pairs}
    apart = entrants_by_owner(tournament) if tournament.round < rounds_between_owners(form) else []
    own = {frozenset(pair) for names in apart for pair in combinations(names, 2)}
    for forbidden in (never | own, never):
        try:
            return _swiss_round(tournament, form, forbidden)
        except Unpairable:
            pass
    return []


def rounds_between_owners(form: Swiss) -> int:
    """Return in how many rounds, from the first one on, entrants of one owner do not meet, if that is possible."""
    return (form.rounds + 1) // 2


def entrants_by_owner(tournament: Tournament) -> list[list[str]]:
    """Return the active entrants of each owner."""
    owned: defaultdict[str, list[str]] = defaultdict(list)
    for name in tournament.active_entrants:
        for owner in tournament.entrants[name].owners:
            owned[owner].append(name)
    return [*owned.values()]


def _swiss_round(tournament: Tournament, form: Swiss, forbidden: Collection[frozenset[str]]) -> list[Pairing]:
    """Return the pairings of the next Swiss round. Raises Unpairable."""
    active, number = tournament.active_entrants, tournament.round + 1
    pairings = pair_swiss_round(
        _pairing_results(tournament),
        [name for name in active if (name, number) not in tournament.requested_byes],
        form.rounds,
        first_has_first_move=first_has_first_move(tournament),
        acceleration=acceleration_of(tournament, form),
        forbidden=forbidden,
    )
    return [replace(pairing, id=unused_id(pairing.id, tournament.dropped)) for pairing in pairings]


def first_has_first_move(tournament: Tournament) -> bool:
    """Return whether lot gives the first seat in the first round to the best seed of a Swiss tournament."""
    lot, _ = tournament.terms.chance.fork("first colour").below(2)
    return lot == 0


def _pairing_results(tournament: Tournament) -> RoundResults:
    """Return the results by which a Swiss round is paired: a win of teams counts as one point, like any other."""
    results = tournament.round_results()
    if not tournament.terms.value.boards:
        return results
    return {name: [replace(result, points=result.points / TEAM_WIN) for result in own] for name, own in results.items()}


def acceleration_of(tournament: Tournament, form: Swiss) -> Acceleration:
    """Late entrants belong to the half in which their seed puts them."""
    if not form.accelerated:
        return NO_ACCELERATION
    names = list(tournament.entrants)
    upper = names[: names.index(tournament.last_accelerated) + 1]
    return Acceleration(frozenset(upper), form.rounds)


def _pools(tournament: Tournament, form: Pools) -> list[Pairing]:
    if not round_is_due(tournament):
        return []
    active, number, chance = tournament.active_entrants, tournament.round + 1, tournament.terms.chance.fork("pools")
    history = count_meetings(planned.pairing for planned in tournament.pairings.values() if not planned.pairing.is_bye)
    if design := _usable_design(tournament, form):
        return pair_designed_round(design, active, form.sides, number, history, chance)
    return pair_pool_round(active, form.at_a_table, form.sides, number, history, chance)


def _usable_design(tournament: Tournament, form: Pools) -> PoolDesign | None:
    """Return the design that pairs the next round. None: no design is known, or it would not be played to its end.

    A part of a design helps only if nobody meets twice in it. All rounds must have the same entrants.
    """
    if tournament.terms.value.last_entry_round or tournament.withdrawn:
        return None
    designs = find_designs(form.at_a_table, len(tournament.entrants))
    if form.sides:
        designs.sort(key=lambda design: not design.partners)
    return next((plan for plan in designs if plan.meetings == 1 or _is_left(plan, tournament.round, form.rounds)), None)


def _is_left(design: PoolDesign, played: int, rounds: int) -> bool:
    """Return whether all rounds of a design are left, counted from the one at which it began or begins again."""
    return rounds - played // design.rounds * design.rounds >= design.rounds


class PlannedSize(Struct, frozen=True, gc=False):
    """The number of rounds and pairings. 0: not known in advance."""

    rounds: int = 0
    pairings: int = 0


def compute_planned_size(tournament: Tournament) -> PlannedSize:
    """Return the final size of a tournament that is over; otherwise what follows from the format and the entrants."""
    form = tournament.terms.format
    begun = tournament.phase != "entry"
    over = tournament.phase in {"finished", "cancelled"}
    if over:
        return PlannedSize(tournament.round, len(tournament.pairings))
    if begun and isinstance(form, ScheduledFormat):
        count, play_off = len(tournament.entrants), len(tournament.pairings.play_off)
        return PlannedSize(count_rounds(form, count) + bool(play_off), count_pairings(form, count) + play_off)
    if isinstance(form, Swiss | Pools):
        return PlannedSize(max(form.rounds, tournament.round))
    if begun and isinstance(form, Elimination) and not form.double_elimination:
        return _knockout_size(form, len(tournament.entrants))
    return PlannedSize()


def _knockout_size(form: Elimination, count: int) -> PlannedSize:
    """All entrants but the winner lose once. The third place takes one more pairing."""
    bracket = single_elimination(count, third_place=form.third_place_match)
    has_third_place = any(pairing.stage is BracketStage.THIRD for pairing in bracket)
    return PlannedSize(max(pairing.round for pairing in bracket), count - 1 + has_third_place)
