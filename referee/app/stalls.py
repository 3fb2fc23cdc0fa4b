"""How long each seat's turn was held up by the referee itself. It is given back.

A turn is asked, on paper, at the moment of the decision that asks it; its seat hears of it once that is
written, and sent. After a refused attempt the same holds from the arrival of that attempt. Nothing is
counted while a seat's bot is away: then it is not the referee who is late.
"""

from engines.api import Seat
from referee.core.clock import Micros
from referee.core.match import Match


class Stalls:
    """What has been held up, by seat, of the turns that one match asks now."""

    def __init__(self, match: Match) -> None:
        self._held_us: dict[Seat, Micros] = {}
        self._until_us: dict[Seat, Micros] = {}
        """Up to when that is counted, so that no moment counts twice."""
        self._unsent_us: dict[Seat, Micros] = {turn.seat: match.at_us for turn in match.owing}
        """Since when a seat could have been sent its turn, and was not."""
        self._forget_who_is_away(match)

    def of(self, seat: Seat) -> Micros:
        return self._held_us.get(seat, 0)

    def told(self, before: Match, match: Match, arrived_us: Micros, now_us: Micros) -> None:
        """What arrived at `arrived_us` has changed the match, and it can be told now."""
        for was, turn in zip(before.turns, match.turns, strict=True):
            if turn is None or turn == was:
                continue
            again = was is not None and was.ply == turn.ply
            if not again:
                self._held_us[turn.seat] = 0
            self.held(turn.seat, arrived_us if again else turn.asked_us, now_us)
            self._unsent_us[turn.seat] = now_us
        self._forget_who_is_away(match)

    def sent(self, seat: Seat, now_us: Micros) -> None:
        """The turn goes out to its bot now. Only the first time counts."""
        self.held(seat, self._unsent_us.pop(seat, now_us), now_us)

    def held(self, seat: Seat, since_us: Micros, now_us: Micros) -> None:
        """The seat has waited for the referee since then."""
        counted_us = max(since_us, self._until_us.get(seat, since_us))
        self._held_us[seat] = self.of(seat) + now_us - counted_us
        self._until_us[seat] = now_us

    def _forget_who_is_away(self, match: Match) -> None:
        for seat in tuple(self._unsent_us):
            if match.gone_us[seat] is not None:
                del self._unsent_us[seat]
