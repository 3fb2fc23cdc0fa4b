"""What a run of the lab has shown: standings, losses, and results by length, for the terminal and for its page."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from referee_api.conversion import to_value
from referee_values import SprtState

from referee.accounts.names import natural_key
from referee.contests.tournament.sprt_trial import TrialState
from referee.lab.lab_match import LabResult, repeated_games
from referee.local.local_standings import points, standings
from referee.show.elo_chart import EloPoint
from referee.show.lab_page import LabSummary, LengthGroup, LossGroup
from referee.transport.wire.contests import sprt_state_of

LOSSES_SHOWN = 3
"""Lost matches of each group that are named."""
LENGTH_GROUPS = 8


def summarise(
    title: str,
    bots: Sequence[str],
    results: Sequence[LabResult],
    trial: TrialState | None,
    course: Sequence[TrialState],
) -> LabSummary:
    """`bots` are in the order of the plan, and `course` are the states of the test in the order of counting."""
    repeated = repeated_games(results)
    rows = standings(bots, (result.finish(repeated=result.name in repeated) for result in results))
    return LabSummary(
        title,
        _facts(results),
        rows,
        loss_groups(results),
        length_groups(results, rows[0].name) if len(rows) == 2 else (),
        to_value(sprt_state_of(trial), SprtState) if trial else None,
        (bots[0], bots[-1]),
        [EloPoint(state.matches, state.estimate) for state in course],
    )


def loss_groups(results: Sequence[LabResult]) -> list[LossGroup]:
    """Return how often each bot lost in which seat and why, the most frequent of each bot first."""
    groups: defaultdict[tuple[str, int, str], list[str]] = defaultdict(list)
    for result in results:
        for key in _losses(result):
            groups[key].append(result.name)
    ordered = sorted(groups.items(), key=lambda item: (natural_key(item[0][0]), -len(item[1]), item[0]))
    return [LossGroup(*key, len(names), tuple(names[:LOSSES_SHOWN])) for key, names in ordered]


def length_groups(results: Sequence[LabResult], bot: str) -> list[LengthGroup]:
    """Return the results of a bot in groups of about the same number of matches, the shortest matches first."""
    counted = sorted((result for result in results if not result.void), key=lambda result: result.moves)
    size = -(-len(counted) // LENGTH_GROUPS)
    groups: list[list[LabResult]] = []
    for _, same in groupby(counted, key=lambda result: result.moves):
        if not groups or len(groups[-1]) >= size:
            groups.append([])
        groups[-1] += same
    return [_length_group(group, bot) for group in groups]


def _length_group(group: Sequence[LabResult], bot: str) -> LengthGroup:
    got = Counter(points(result.finish())[bot] for result in group)
    won, lost = got[1.0], got[0.0]
    return LengthGroup(group[0].moves, group[-1].moves, won, len(group) - won - lost, lost)


def _losses(result: LabResult) -> Iterator[tuple[str, int, str]]:
    """Yield the bot, the seat and the reason of each seat that did not come first in a match with a winner."""
    if result.void or result.result.side_ranks.count(1) == len(result.result.side_ranks):
        return
    why = result.result.reason or result.result.cause.value
    for seat, (bot, rank) in enumerate(zip(result.bots, result.result.ranks, strict=True)):
        if rank > 1:
            yield bot, seat, why


def _facts(results: Sequence[LabResult]) -> tuple[tuple[str, str], ...]:
    played = [result for result in results if not result.void]
    facts = {
        "Games": ", ".join(dict.fromkeys(result.label for result in results)),
        "Matches": str(len(results)),
        "Moves": str(sum(result.moves for result in results)),
    }
    if void := len(results) - len(played):
        facts["Void"] = str(void)
    if repeated := len(repeated_games(results)):
        facts["Repeated games"] = str(repeated)
    return tuple(facts.items())
