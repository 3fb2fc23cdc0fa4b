"""Errors of hosted contests, besides those of the pure contests (`referee/contests/contest_errors.py`).

The `details` of each are the metadata that the contract promises for its reason.
"""

from datetime import UTC, datetime

from engines.game_errors import DetailedError, quoted, shortened
from referee.live.ports import fault_id


class ContestDamaged(DetailedError):
    """The log of a contest cannot be decoded or folded. Nothing of the contest is changed."""

    def __init__(self, contest: str) -> None:
        fault = fault_id(contest)
        super().__init__(f"the log of {contest} is damaged; the fault is {fault} in the referee's log", fault_id=fault)


class ContestNotOver(DetailedError):
    """The record of a contest contains its seed, so it is written only after the end."""

    def __init__(self, contest: str) -> None:
        super().__init__(f"{contest} is not over: its record is written when it is", contest=contest)


class NoSuchLadder(DetailedError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no ladder {quoted(name)}", ladder=shortened(name))


class NoSuchTournament(DetailedError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no tournament {quoted(name)}", tournament=shortened(name))


class AlreadyIn(DetailedError):
    def __init__(self, bot: str, entrant: str) -> None:
        super().__init__(f"{bot} already plays here, as {entrant}", bot=bot, entrant=entrant)


class EntriesClosed(DetailedError):
    def __init__(self, tournament: str, closed_at_ms: int) -> None:
        closed_at = datetime.fromtimestamp(closed_at_ms // 1_000, UTC).isoformat()
        super().__init__(f"{tournament} closed its entries at {closed_at}", tournament=tournament, closed_at=closed_at)
