"""The ends that bots are still to hear of, beside a log in memory."""

from collections.abc import Sequence

from referee.app.outbox import Ended
from referee.storage.memory import MemoryEventLog


class MemoryUnheardEnds:
    """UnheardEnds of the matches in that log."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log

    async def of(self, bot: str, at_most: int) -> list[Ended]:
        ends = [
            Ended(match_id, seat)
            for match_id, seats in self._log.unheard.items()
            for seat in sorted(seats)
            if seats[seat] == bot and self._log.is_over(match_id)
        ]
        return ends[-at_most:]

    async def heard(self, ends: Sequence[Ended]) -> None:
        for ended in ends:
            seats = self._log.unheard.get(ended.match_id, {})
            seats.pop(ended.seat, None)
            if not seats:
                self._log.unheard.pop(ended.match_id, None)
