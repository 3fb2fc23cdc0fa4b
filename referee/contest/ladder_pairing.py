"""Whom a ladder pairs, and which of its matches begin, with those who are there now.

A match that must wait until all have room keeps a place for itself with those who have.
"""

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import replace

from referee.contest.ladder import Ladder, Phase
from referee.contest.ladder_commands import Here, Pair
from referee.contest.ladder_events import Event, Paired
from referee.contest.matchmaking import Climber, Wishes, next_matches
from referee.contest.pairing import Due, Pairing


def to_begin(ladder: Ladder, here: Iterable[Here], resting: Container[str] = ()) -> list[Due]:
    """Matches to make now: all who play are there and have room. Those first that somebody asked for.

    A match that must wait until all have room keeps a place for itself with those who have.
    """
    room = {it.name: it.room for it in here}
    begun: list[Due] = []
    waiting = _waiting(ladder, room, resting)
    places = _places(ladder, len(waiting))
    for due in waiting:
        names = due.pairing.entrants
        if len(begun) < places and all(room[name] > 0 for name in names):
            begun.append(due)
        for name in names:
            room[name] -= 1
    return begun


def _waiting(ladder: Ladder, here: Container[str], resting: Container[str]) -> list[Due]:
    """Matches that only wait for room."""
    return [due for due in ladder.due if due.id not in resting and all(name in here for name in due.pairing.entrants)]


def _places(ladder: Ladder, wanted: int) -> int:
    """How many of so many more matches may be in play."""
    if ladder.paused:
        return 0
    limit = ladder.terms.matches_at_once
    return wanted if limit is None else min(wanted, max(0, limit - len(ladder.playing)))


def next_pairings(ladder: Ladder, command: Pair) -> list[Event]:
    if ladder.phase is not Phase.OPEN or ladder.paused:
        return []
    here = {it.name: it for it in command.here if it.name in ladder.entrants}  # Somebody may just have left.
    waiting = _waiting(ladder, here, command.resting)
    kept = Counter(name for due in waiting for name in due.pairing.entrants)
    climbers = [_climber(ladder, it, it.room - kept[it.name]) for it in here.values()]
    wishes = replace(wishes_of(ladder), patient=bool(ladder.playing) and not command.hurry)
    wanted = len(climbers) if command.most is None else command.most
    places = _places(ladder, len(waiting) + wanted) - len(waiting)
    tables = next_matches(climbers, ladder.habits, wishes, max(0, places))
    return [Paired(pairing_of(ladder, number, table)) for number, table in enumerate(tables, ladder.planned + 1)]


def _climber(ladder: Ladder, here: Here, room: int) -> Climber:
    known = ladder.standing.rating(ladder.entrants[here.name].player(here.bots))
    return Climber(
        here.name,
        known.rating.value,
        known.rating.deviation,
        room,
        ladder.waited(here.name),
        ladder.terms.provisional(known),
    )


def wishes_of(ladder: Ladder) -> Wishes:
    return Wishes(ladder.terms.at_a_table, ladder.terms.sides, ladder.terms.rematch_after)


def pairing_of(ladder: Ladder, number: int, names: tuple[str, ...]) -> Pairing:
    terms = ladder.terms
    matches = terms.duplicate.arrangements if terms.duplicate else 1
    return Pairing(str(number), 0, 0, names, matches, sides=terms.sides, arrangements=matches)
