"""Everybody's ratings, as what their results make of them: the same results in the same order, the same ratings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic

from referee.contest.finish import Finish, Player
from referee.contest.rating import UNRATED, Rating, rate


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating, and how many matches went into it."""

    rating: Rating = UNRATED
    matches: int = 0


NEW = Rated()
"""Who has not been rated yet."""


@dataclass(frozen=True, slots=True)
class Change(Generic[Player]):
    """What one match did to one rating."""

    player: Player
    before: Rated
    after: Rated


def changes(ratings: Mapping[Player, Rated], finish: Finish[Player]) -> tuple[Change[Player], ...]:
    """What the match does to the ratings of those who played it, in the order of sides."""
    before = [[ratings.get(player, NEW) for player in side] for side in finish.sides]
    after = rate([[each.rating for each in side] for side in before], finish.ranks)
    return tuple(
        Change(player, old, Rated(new, old.matches + 1))
        for players, olds, news in zip(finish.sides, before, after, strict=True)
        for player, old, new in zip(players, olds, news, strict=True)
    )


def rated(finishes: Iterable[Finish[Player]], since: Mapping[Player, Rated] | None = None) -> dict[Player, Rated]:
    """The ratings after these matches, one after the other: from nothing, or since there were others."""
    ratings = dict(since or {})
    for finish in finishes:
        ratings |= {change.player: change.after for change in changes(ratings, finish)}
    return ratings


def new_season(ratings: Mapping[Player, Rated]) -> dict[Player, Rated]:
    """What everybody takes into a new season: the rating, less trusted, and no matches."""
    return {player: Rated(each.rating.in_a_new_season()) for player, each in ratings.items()}
