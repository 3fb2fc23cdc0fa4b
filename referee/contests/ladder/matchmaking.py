"""Chooses the opponents of the next matches on a ladder, and selects the matches that can start.

A match is most informative between players of similar strength, of whom one is well known. If everybody met only their
equals, however, errors would accumulate along the chain that connects the weakest to the strongest. So the opponent is
drawn by lot among all whose match would be informative enough.

Entrants that have waited longest choose first, so that all get matches. Nobody has a rematch before meeting other
opponents, as far as there are any. A match that waits for free slots of one entrant reserves a slot of each other
entrant. All lots follow from the ladder's seed and the number of the pairing, so that a log can be recomputed.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from itertools import groupby, islice, permutations
from math import exp
from typing import TypeVar

from msgspec import Struct

from engines.chance import Chance
from referee.contests.ladder.commands import AvailableEntrant, PairEntrants
from referee.contests.ladder.events import PairingPlanned
from referee.contests.ladder.state import Ladder, LadderPhase, LadderPlayTerms
from referee.contests.pairing import DueMatch, Pairing, PairingHistory, partner_pairs
from referee.contests.strength.elo import ELO_SCALE

T = TypeVar("T")

MIN_INFORMATION_SHARE = 0.25
"""An opponent is informative enough from this share of the best opponent's information."""

LONG_WAIT_FACTOR = 2
"""An entrant has waited long after this number of pairings per candidate. It then precedes provisional entrants."""


class PairingCandidate(Struct, frozen=True, gc=False):
    """An entrant that is available."""

    name: str
    rating: float
    deviation: float
    free_slots: int
    """Number of further matches that it can play now. 0: it is playing, and will be free later."""
    pairings_since_last: int = 0
    """Number of pairings planned since its last one."""
    provisional: bool = False
    owners: tuple[str, ...] = ()
    """Entrants of one owner do not meet."""


def select_matches_to_start(
    ladder: Ladder, available: Iterable[AvailableEntrant], deferred: Container[str] = ()
) -> list[DueMatch]:
    """Return the due matches that can be created now, because all entrants are available with a free slot.

    Challenges come first. A match that has to wait reserves a slot of each of its entrants.
    """
    free_slots = {entrant.name: entrant.free_slots for entrant in available}
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


def pair_entrants(ladder: Ladder, command: PairEntrants) -> list[PairingPlanned]:
    """Return new pairings of the available entrants, at most one for each."""
    if ladder.phase is not LadderPhase.OPEN or ladder.paused:
        return []
    available = {
        entrant.name: entrant for entrant in command.available if entrant.name in ladder.entrants
    }  # An entrant may just have left.
    waiting = _waiting_for_slots(ladder, available, command.deferred)
    reserved = Counter(name for due in waiting for name in due.pairing.entrants)
    candidates = [_candidate(ladder, each, each.free_slots - reserved[each.name]) for each in available.values()]
    wait_for_fresh = bool(ladder.matches_in_play) and not command.allow_early_rematch
    requested = len(candidates) if command.max_pairings is None else command.max_pairings
    startable = _startable_count(ladder, len(waiting) + requested) - len(waiting)
    most, lots = max(0, startable), pairing_lots(ladder)
    tables = choose_matches(candidates, ladder.pairing_history, ladder.terms, most, lots, wait_for_fresh=wait_for_fresh)
    return [
        PairingPlanned(create_pairing(ladder, number, table))
        for number, table in enumerate(tables, ladder.planned_count + 1)
    ]


def _candidate(ladder: Ladder, available: AvailableEntrant, free_slots: int) -> PairingCandidate:
    record = ladder.rating(ladder.entrants[available.name].rated_player(available.bots))
    return PairingCandidate(
        available.name,
        record.rating.value,
        record.rating.deviation,
        free_slots,
        ladder.pairings_since_last(available.name),
        ladder.terms.is_provisional(record),
        ladder.entrants[available.name].owners,
    )


def pairing_lots(ladder: Ladder) -> "Lots":
    """Return the lots of the decision that plans the ladder's next pairing, and others at the same time."""
    return Lots(ladder.terms.chance.fork(f"pairing {ladder.planned_count + 1}"))


def create_pairing(ladder: Ladder, number: int, names: tuple[str, ...]) -> Pairing:
    """Return a pairing with the ladder's number of matches."""
    terms = ladder.terms
    matches = terms.duplicate.arrangements if terms.duplicate else 1
    return Pairing(str(number), 0, 0, names, matches, sides=terms.sides, arrangements=matches)


def choose_matches(
    candidates: Iterable[PairingCandidate],
    history: PairingHistory,
    terms: LadderPlayTerms,
    limit: int,
    lots: "Lots",
    *,
    wait_for_fresh: bool = False,
) -> list[tuple[str, ...]]:
    """Return up to `limit` matches, each as entrants in the order of seats. Entrants with a free slot get at most one.

    With `wait_for_fresh`, an entrant is left unpaired rather than paired for an early rematch.
    """
    in_order = sorted(candidates, key=lambda entrant: entrant.name)
    distance = _rematch_distance(len(in_order), terms) if wait_for_fresh else 0
    return list(islice(_matches(in_order, history, terms, distance, lots), limit))


def _matches(
    candidates: Sequence[PairingCandidate], history: PairingHistory, terms: LadderPlayTerms, distance: int, lots: "Lots"
) -> Iterable[tuple[str, ...]]:
    waiting = {candidate.name: candidate for candidate in candidates if candidate.free_slots > 0}
    meetings = RecentMeetings(waiting, history)

    def urgency(candidate: PairingCandidate) -> tuple[bool, bool, int, float]:
        return _urgency(candidate, len(candidates))

    for _, equally_urgent in groupby(sorted(waiting.values(), key=urgency), urgency):
        seekers = [candidate for candidate in equally_urgent if candidate.name in waiting]
        while seekers and len(waiting) >= terms.table_size:
            seeker = lots.draw(seekers)
            table = _choose_table(seeker, waiting.values(), meetings, terms, distance, lots)
            if len(table) == terms.table_size:
                for candidate in table:
                    del waiting[candidate.name]
                yield choose_seating([candidate.name for candidate in table], history, terms, lots)
            seekers = [candidate for candidate in seekers if candidate.name in waiting and candidate is not seeker]


def _choose_table(
    seeker: PairingCandidate,
    waiting: Iterable[PairingCandidate],
    meetings: "RecentMeetings",
    terms: LadderPlayTerms,
    distance: int,
    lots: "Lots",
) -> list[PairingCandidate]:
    """Return the best table for an entrant. It is incomplete if the entrant should wait instead."""
    table = [seeker]
    opponents = list(waiting)
    while len(table) < terms.table_size:
        excluded = {table[-1].name, *meetings.rematch_penalties(table[-1:], distance)}
        owners = set(table[-1].owners)
        opponents = [other for other in opponents if other.name not in excluded and owners.isdisjoint(other.owners)]
        if not opponents:
            break
        table.append(lots.draw(_suitable_opponents(table, opponents, meetings, terms)))
    return table


def _suitable_opponents(
    table: Sequence[PairingCandidate],
    opponents: Sequence[PairingCandidate],
    meetings: "RecentMeetings",
    terms: LadderPlayTerms,
) -> list[PairingCandidate]:
    """Return the opponents that are informative enough, among those met least recently."""
    penalties = meetings.rematch_penalties(table, terms.rematch_after)
    least = min(penalties.get(opponent.name, 0) for opponent in opponents)
    least_recent = [opponent for opponent in opponents if penalties.get(opponent.name, 0) == least]
    information = [sum(expected_information(each, opponent) for each in table) for opponent in least_recent]
    threshold = MIN_INFORMATION_SHARE * max(information)
    return [opponent for opponent, amount in zip(least_recent, information, strict=True) if amount >= threshold]


class RecentMeetings:
    """Recent meetings of the waiting entrants, from both sides."""

    def __init__(self, waiting: Iterable[str], history: PairingHistory) -> None:
        self._since: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        """Other entrants of each entrant, with the number of opponents that one of the two has met since they met."""
        for name in waiting:
            for other, since in history.opponents_since(name).items():
                self._since[name].append((other, since))
                self._since[other].append((name, since))

    def rematch_penalties(self, table: Iterable[PairingCandidate], distance: int) -> Counter[str]:
        """Return the penalty of each early rematch with the table: how many opponents short of `distance`.

        Penalties are summed over the table and over both directions.
        """
        penalties: Counter[str] = Counter()
        for each in table:
            for other, since in self._since[each.name]:
                if since < distance:
                    penalties[other] += distance - since
        return penalties


class Lots:
    """Draws by lot, one after another."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance

    def draw(self, items: Sequence[T]) -> T:
        """Return one of the items. Takes a number also if there is only one item."""
        number, self._chance = self._chance.below(len(items))
        return items[number]


def choose_seating(
    names: Iterable[str], history: PairingHistory, terms: LadderPlayTerms, lots: Lots
) -> tuple[str, ...]:
    """Return an order of seats that repeats former seats and partners least; by lot if there are several."""
    unfairness = {order: _unfairness(order, history, terms) for order in permutations(sorted(names))}
    least = min(unfairness.values())
    return lots.draw([order for order, amount in unfairness.items() if amount == least])


def expected_information(candidate: PairingCandidate, other: PairingCandidate) -> float:
    """Return how informative a match between two is expected to be.

    A rating update reduces the variance of a rating by about this number times its square. It is the variance of the
    outcome between players with these ratings, divided by the variance of what the outcome depends on.
    """
    lead = (candidate.rating - other.rating) / ELO_SCALE
    outcome_variance = 1 / (2 + exp(lead) + exp(-lead))
    return outcome_variance / (candidate.deviation**2 + other.deviation**2 + ELO_SCALE**2)


def _rematch_distance(count: int, terms: LadderPlayTerms) -> int:
    """Return how many other opponents each of `count` candidates can meet before a rematch."""
    others = terms.table_size - 1
    return min(terms.rematch_after, max(0, count - terms.table_size) // others * others)


def _urgency(candidate: PairingCandidate, count: int) -> tuple[bool, bool, int, float]:
    """Sort key: long waits, then provisional entrants, then by wait and by uncertainty."""
    long = candidate.pairings_since_last >= LONG_WAIT_FACTOR * count
    return not long, not candidate.provisional, -candidate.pairings_since_last, -candidate.deviation


def _unfairness(order: Sequence[str], history: PairingHistory, terms: LadderPlayTerms) -> int:
    seats = sum((history.seat_counts.get((name, seat), 0) + 1) ** 2 for seat, name in enumerate(order))
    return seats + sum((history.partner_counts.get(pair, 0) + 1) ** 2 for pair in partner_pairs(order, terms.sides))
