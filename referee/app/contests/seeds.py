"""By which rating an entrant of a tournament is seeded: that of its ladder."""

from collections.abc import Iterable, Sequence

from referee.contest.ladder import Ladder
from referee.core.setup import Player


def rating_on(ladder: Ladder, bots: Sequence[Player]) -> float | None:
    """Of the version that is asked for, or else of the newest that is rated; of partners, as they stand together there.

    None: it has no rating on this ladder.
    """
    ratings = ladder.standing.ratings
    player = _version(ratings, bots[0]) if len(bots) == 1 else _partners(ladder, bots)
    return ratings[player].rating.value if player in ratings else None


def _version(ratings: Iterable[Player], asked: Player) -> Player:
    rated = [player for player in ratings if player.bot == asked.bot and asked.version in ("", player.version)]
    return rated[-1] if rated else asked


def _partners(ladder: Ladder, bots: Sequence[Player]) -> Player:
    names = [player.bot for player in bots]
    together = (one for one in ladder.entrants.values() if [player.bot for player in one.bots] == names)
    return next((entrant.player() for entrant in together), Player())
