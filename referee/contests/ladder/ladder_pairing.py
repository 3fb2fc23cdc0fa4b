"""Plans the pairings of a ladder, and selects the matches that can start.

A match that waits for free slots of one entrant reserves a slot of each other entrant.
"""

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import replace

from referee.contests.ladder.commands import AvailableEntrant, PairEntrants
from referee.contests.ladder.events import LadderEvent, LadderPaired
from referee.contests.ladder.matchmaking import PairingCandidate, PairingOptions, choose_matches
from referee.contests.ladder.state import Ladder, LadderPhase
from referee.contests.pairing import DueMatch, Pairing


def select_matches_to_start(
    ladder: Ladder, available: Iterable[AvailableEntrant], deferred: Container[str] = ()
) -> list[DueMatch]:
    """Return the due matches that can be created now, because all entrants are available with a free slot.

    Challenges come first. A match that has to wait reserves a slot of each of its entrants.
    """
    free_slots = {it.name: it.free_slots for it in available}
    started: list[DueMatch] = []
    waiting = _waiting_for_slots(ladder, free_slots, deferred)
    startable = _startable_count(ladder, len(waiting))
    for due in waiting:
        names = due.pairing.entrants
        if len(started) < startable and all(free_slots[name] > 0 for name in names):
            started.append(due)
        for name in names:
            free_slots[name] -= 1
    return started


def _waiting_for_slots(ladder: Ladder, available: Container[str], deferred: Container[str]) -> list[DueMatch]:
    """Return the due matches that lack nothing but free slots."""
    return [
        due
        for due in ladder.due_matches
        if due.id not in deferred and all(name in available for name in due.pairing.entrants)
    ]


def _startable_count(ladder: Ladder, requested: int) -> int:
    """Return how many of the requested matches the limit on concurrent matches allows."""
    if ladder.paused:
        return 0
    limit = ladder.terms.max_concurrent_matches
    return requested if limit is None else min(requested, max(0, limit - len(ladder.matches_in_play)))


def pair_entrants(ladder: Ladder, command: PairEntrants) -> list[LadderEvent]:
    """Return new pairings of the available entrants, at most one for each."""
    if ladder.phase is not LadderPhase.OPEN or ladder.paused:
        return []
    available = {
        it.name: it for it in command.available if it.name in ladder.entrants
    }  # An entrant may just have left.
    waiting = _waiting_for_slots(ladder, available, command.deferred)
    reserved = Counter(name for due in waiting for name in due.pairing.entrants)
    candidates = [_candidate(ladder, it, it.free_slots - reserved[it.name]) for it in available.values()]
    options = replace(
        pairing_options(ladder), wait_for_fresh=bool(ladder.matches_in_play) and not command.allow_early_rematch
    )
    requested = len(candidates) if command.max_pairings is None else command.max_pairings
    startable = _startable_count(ladder, len(waiting) + requested) - len(waiting)
    tables = choose_matches(candidates, ladder.pairing_history, options, max(0, startable))
    return [
        LadderPaired(create_pairing(ladder, number, table))
        for number, table in enumerate(tables, ladder.planned_count + 1)
    ]


def _candidate(ladder: Ladder, available: AvailableEntrant, free_slots: int) -> PairingCandidate:
    record = ladder.current_season.rating(ladder.entrants[available.name].rated_player(available.bots))
    return PairingCandidate(
        available.name,
        record.rating.value,
        record.rating.deviation,
        free_slots,
        ladder.pairings_since_last(available.name),
        ladder.terms.is_provisional(record),
    )


def pairing_options(ladder: Ladder) -> PairingOptions:
    return PairingOptions(ladder.terms.table_size, ladder.terms.sides, ladder.terms.rematch_after)


def create_pairing(ladder: Ladder, number: int, names: tuple[str, ...]) -> Pairing:
    """Return a pairing with the ladder's number of matches."""
    terms = ladder.terms
    matches = terms.duplicate.arrangements if terms.duplicate else 1
    return Pairing(str(number), 0, 0, names, matches, sides=terms.sides, arrangements=matches)
