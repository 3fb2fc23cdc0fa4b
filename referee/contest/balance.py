"""Won, drawn and lost: what the rows of a ladder's table count."""

from dataclasses import dataclass

from referee.contest.finish import Finish, Player


@dataclass(frozen=True, slots=True)
class Balance:
    wins: int = 0
    """Matches that its side won alone."""
    draws: int = 0
    """In which its side shared the first rank."""
    losses: int = 0
    forfeits: int = 0
    """Of the losses, those by a fault of its own."""

    def after(self, finish: Finish[Player], player: Player, forfeited: bool) -> "Balance":
        """With one more match."""
        mine = next(rank for side, rank in zip(finish.sides, finish.ranks, strict=True) if player in side)
        first, alone = mine == 1, finish.ranks.count(1) == 1
        return Balance(
            self.wins + (first and alone),
            self.draws + (first and not alone),
            self.losses + (not first),
            self.forfeits + forfeited,
        )


NOTHING = Balance()
