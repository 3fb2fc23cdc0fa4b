"""Checks that no bot was charged, and no flag fell, for time that the bot did not take by its own clock."""

from collections.abc import Iterator

from tests.cluster.bot_turns import BotTurn, TurnKey
from tests.cluster.final_logs import FinalMatch, FinalState, LoggedEntry
from tests.cluster.move_checks import BotTurns
from tests.cluster.violations import Broken, Violation

TOLERANCE_US = 1_000_000
"""Time by which a charge may exceed the bot's own record: the way to the bot and back on a busy machine. A fault must
last longer than this to be noticed in a charge."""


def check_times(bots: BotTurns, final: FinalState, tolerance_us: int = TOLERANCE_US) -> Iterator[Violation]:
    for match in final.matches.values():
        for entry in match.entries:
            if entry.charge and match.players[entry.seat or 0] in bots:
                player = match.players[entry.seat or 0]
                turn = bots[player].get(TurnKey(match.match_id, entry.token), BotTurn())
                yield from _check_charge(match, entry, player, turn, tolerance_us)


def _check_charge(
    match: FinalMatch, entry: LoggedEntry, player: str, turn: BotTurn, tolerance_us: int
) -> Iterator[Violation]:
    assert entry.charge
    evidence = (
        f"entry {entry.number} charges {player} {entry.charge.charged_us} us, "
        f"after {entry.charge.stall_us} us of referee delay and {entry.charge.credit_us} us of network credit",
        f"{player} {entry.token}: {turn}",
    )
    if entry.charge.charged_us > turn.thought_us + turn.lag_us + tolerance_us:
        yield Violation(Broken.TIME_OVERCHARGED, match.match_id, evidence)
    if entry.kind == "flag_fell" and turn.was_answered_within(tolerance_us):
        yield Violation(Broken.FALSE_FLAG, match.match_id, evidence)
