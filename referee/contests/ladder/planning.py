"""What a planning depends on besides the ladder, as the log records it.

A planning is decided from its input in the log, so the decision can be repeated from the log alone.
"""

from referee.contests.ladder.commands import AvailableEntrant, PairEntrants
from referee.contests.ladder.events import EntrantAvailability, PlanningInput
from referee.contests.ladder.state import Ladder, availability_after
from referee.match.setup import Player


def input_of_command(ladder: Ladder, command: PairEntrants) -> PlanningInput:
    """Return what the log records of a command, relative to the planning before it."""
    found = {
        each.name: EntrantAvailability(each.name, tuple(player.version for player in each.bots), each.free_slots)
        for each in command.available
    }
    available = {name: found[name] for name in ladder.entrants if name in found}  # An entrant may just have left.
    due = {due.id for due in ladder.due_matches}
    return PlanningInput(
        tuple(entrant for name, entrant in available.items() if ladder.availability.get(name) != entrant),
        tuple(name for name in ladder.availability if name not in available),
        command.allow_early_rematch,
        tuple(sorted(due.intersection(command.deferred))),
        command.max_pairings,
    )


def command_from_input(ladder: Ladder, planning: PlanningInput) -> PairEntrants:
    """Return the command that a planning in the log followed, with the entrants in the order of joining."""
    available = tuple(
        AvailableEntrant(entrant.name, _players(ladder, entrant), entrant.free_slots)
        for entrant in availability_after(ladder, planning).values()
    )
    return PairEntrants(available, planning.allow_early_rematch, frozenset(planning.deferred), planning.max_pairings)


def _players(ladder: Ladder, entrant: EntrantAvailability) -> tuple[Player, ...]:
    bots = ladder.entrants[entrant.name].bots
    return tuple(Player(player.bot, version) for player, version in zip(bots, entrant.versions, strict=True))
