"""Decides from the histories of bots and watchers, and from the final logs, whether a cluster has kept its promises.

It is an independent judge: it uses nothing of the code that decides, stores or announces moves.
"""

from collections.abc import Sequence

from tests.cluster.bot_turns import turns_of
from tests.cluster.final_logs import FinalState
from tests.cluster.history import History
from tests.cluster.move_checks import check_moves, check_turns
from tests.cluster.result_checks import check_ends, check_forfeits, check_rated, check_results_told
from tests.cluster.time_checks import TOLERANCE_US, check_times
from tests.cluster.violations import Violation
from tests.cluster.watch_checks import check_watchers


def check(
    bots: Sequence[History], watchers: Sequence[History], final: FinalState, tolerance_us: int = TOLERANCE_US
) -> list[Violation]:
    """Return every broken promise."""
    turns = {bot.name: turns_of(bot) for bot in bots}
    return [
        *check_moves(turns, final),
        *check_turns(bots),
        *check_times(turns, final, tolerance_us),
        *check_watchers(watchers, final),
        *check_ends(final),
        *check_results_told(bots, final),
        *check_forfeits(turns, final, tolerance_us),
        *check_rated(final),
    ]
