"""Creates the runners of matches: of new ones, and of those that resume."""

from collections.abc import Callable

from engines.api import Game
from referee.live.match_history import match_steps, steps_of_entries
from referee.live.ports import Conflict
from referee.live.runner import MatchRunner
from referee.live.runner_dependencies import RunnerDependencies
from referee.match.commands import ResumeMatch
from referee.match.decision import Decision
from referee.match.events import MatchCreated
from referee.match.setup import Setup
from referee.match.state import Match, create_match


def wait_for_start(_: Match) -> Decision | None:
    """Return None: a new match waits for its start."""
    return None


def attach_nowhere(_: MatchRunner) -> None:
    """Do nothing."""


async def open_match(
    setup: Setup,
    game: Game,
    dependencies: RunnerDependencies,
    begin: Callable[[Match], Decision | None] = wait_for_start,
    attach: Callable[[MatchRunner], None] = attach_nowhere,
) -> MatchRunner:
    """Create a match by a checked setup. Raises Conflict if its id is taken, or LogUnavailable.

    `begin` returns the decision by which play begins at once, which is written together with the creation; None: it
    does not. `attach` is called when the creation has been announced, and before the start is. If the caller is
    cancelled, the match may be in the log nevertheless, and can be resumed.
    """
    created = MatchCreated(0, setup)
    match = create_match(created, game)
    begun = begin(match)
    events = (created, *begun.events) if begun else (created,)
    entries = await dependencies.log.append(setup.match_id, 0, events)
    runner = MatchRunner(begun.match if begun else match, dependencies)
    runner.notify(dependencies.observer.on_stored, match_steps(None, entries[:1], [match]))
    attach(runner)
    if begun:
        runner.notify(dependencies.observer.on_stored, match_steps(match, entries[1:], begun.states))
    return runner


async def resume_match(match: Match, at_ms: int, dependencies: RunnerDependencies) -> MatchRunner:
    """Resume a match that no runner runs; `at_ms` is when its last entry was written.

    Match time has stood still since then and runs from now on, so bots should be back first. What another process has
    written meanwhile is applied first. Raises LogUnavailable.
    """
    while True:
        down_ms = max(0, dependencies.time.wall_ms() - at_ms)  # The wall clock may have been set back.
        back = dependencies.decide(match, ResumeMatch(down_ms), match.at_us)
        if not back.events:  # The match is over. It still returns verdicts for repeated answers.
            return MatchRunner(match, dependencies)
        try:
            entries = await dependencies.log.append(match.setup.match_id, match.number, back.events)
        except Conflict:
            match, at_ms = await _read_on(match, dependencies)
        else:
            runner = MatchRunner(back.match, dependencies)
            runner.notify(dependencies.observer.on_stored, match_steps(match, entries, back.states))
            return runner


async def _read_on(match: Match, dependencies: RunnerDependencies) -> tuple[Match, int]:
    """Return the match after what another process has written, and when it was written (Unix milliseconds)."""
    entries = await dependencies.log.read(match.setup.match_id, match.number)
    steps = steps_of_entries(match, entries)
    dependencies.observer.on_received(steps)
    return steps[-1].state, entries[-1].at_ms
