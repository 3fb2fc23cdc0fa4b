"""Wins, draws, losses and forfeits of one player in a season of a ladder."""

from msgspec import Struct

from referee.contests.strength.rating import FinishOrder
from referee.match.setup import Player


class WinLossRecord(Struct, frozen=True, gc=False):
    """Results of one player."""

    wins: int = 0
    """Matches that its side won alone."""
    draws: int = 0
    """Matches in which its side shared the first rank."""
    losses: int = 0
    forfeits: int = 0
    """Losses by a fault of its own."""

    def after(self, finish: FinishOrder[Player], player: Player, forfeited: bool) -> "WinLossRecord":
        """Return the record with one more match."""
        rank = next(rank for side, rank in zip(finish.sides, finish.ranks, strict=True) if player in side)
        first, alone = rank == 1, finish.ranks.count(1) == 1
        return WinLossRecord(
            self.wins + (first and alone),
            self.draws + (first and not alone),
            self.losses + (not first),
            self.forfeits + forfeited,
        )


NO_MATCHES = WinLossRecord()
