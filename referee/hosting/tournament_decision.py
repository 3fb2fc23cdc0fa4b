"""Decides commands of tournaments; rounds of large fields are paired in a worker process.

A round of a Swiss tournament with hundreds of entrants takes seconds to pair, which would block the event loop, and
so would pickling thousands of pairings at once. Therefore parts of the pairings cache their pickled form: each part is
pickled separately, and again only after it has changed.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from engines.refusals import Refusal
from referee.accounts.account_errors import NameTaken
from referee.contests import contest_errors as pure
from referee.contests.tournament.commands import EnterTournament, TournamentCommand
from referee.contests.tournament.decide import decide, will_pair_round
from referee.contests.tournament.events import TournamentEntrant, TournamentEvent
from referee.contests.tournament.state import Tournament, evolve
from referee.hosting.contest_log import ContestEvent, TournamentCreated
from referee.hosting.entrant_resolver import check_not_entered
from referee.hosting.hosting_errors import NotAnEntrant, TournamentOver, TournamentStarted, WrongEntrantCount
from referee.hosting.tournament_state import TournamentState
from referee.live.worker_pool import RunFunction

MAX_ENTRANTS_HERE = 16
"""Limit of entrants for pairing on the event loop: some ten milliseconds, less than a call to a worker process."""

MAX_CPU_S = 1800.0
"""CPU limit for one round; a round of 1000 entrants takes about two minutes."""


async def decide_and_pair(
    tournament: Tournament, command: TournamentCommand, run: RunFunction
) -> list[TournamentEvent]:
    """Return the events that follow from a command, as `decide` does; `run` computes what may take long."""
    if len(tournament.entrants) > MAX_ENTRANTS_HERE and will_pair_round(tournament, command):
        await pickle_parts(tournament)
        return await run(decide, tournament, command, max_cpu_s=MAX_CPU_S)
    return decide(tournament, command)


async def pickle_parts(tournament: Tournament) -> None:
    """Pickle pairings part by part, so that sending them to a worker process does not block the event loop."""
    for part in tournament.pairings.chunks:
        part.pickle()
        await asyncio.sleep(0)


async def decide_command(state: TournamentState, command: TournamentCommand, run: RunFunction) -> list[TournamentEvent]:
    """Return the events that follow from a caller's command. Raises errors of the contract."""
    with _contract_errors(state):
        return await decide_and_pair(state.tournament, command, run)


def decide_entry(state: TournamentState, entrant: TournamentEntrant) -> list[TournamentEvent]:
    """Return the event that enters an entrant. Raises AlreadyIn, or another error of the contract."""
    if not state.over:
        for other in state.tournament.entrants.values():
            check_not_entered(entrant, other)
    with _contract_errors(state):
        return decide(state.tournament, EnterTournament(entrant))


def decide_creation(created: TournamentCreated, entrants: Sequence[TournamentEntrant]) -> list[ContestEvent]:
    """Return the first events of a tournament with these entrants. Raises what `decide_entry` raises."""
    state = TournamentState(created, 0, Tournament(created.terms.tournament))
    events: list[ContestEvent] = [created]
    for entrant in entrants:
        for event in decide_entry(state, entrant):
            state = replace(state, tournament=evolve(state.tournament, event))
            events.append(event)
    return events


@contextmanager
def _contract_errors(state: TournamentState) -> Iterator[None]:
    """Replace errors of the pure tournament by those that the contract promises."""
    try:
        yield
    except pure.ContestError as error:
        convert = CONTRACT_ERRORS.get(type(error))
        raise (convert(state, error.details) if convert else error) from None


CONTRACT_ERRORS: dict[type[pure.ContestError], Callable[[TournamentState, Mapping[str, str]], Refusal]] = {
    pure.CommandNotAllowed: lambda state, _: TournamentOver(state.name, state.tournament.phase.value),
    pure.EntryClosed: lambda state, _: TournamentStarted(state.name),
    pure.EntrantNameTaken: lambda _, said: NameTaken(said["name"]),
    pure.UnknownEntrant: lambda state, said: NotAnEntrant(state.name, said["name"]),
    pure.EntrantCountOutOfRange: lambda state, said: WrongEntrantCount(state.name, said["entrants"], said["wanted"]),
}
"""Converts errors of the pure tournament to errors of the contract. Other errors are in the contract already."""
