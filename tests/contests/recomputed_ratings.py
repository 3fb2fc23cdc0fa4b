"""Ratings recomputed from results alone, to compare with those that were updated match by match."""

from collections.abc import Iterable, Mapping

from referee.contests.contest_entrant import ContestEntrant, EntrantJoined
from referee.contests.ladder.events import LadderEvent, MatchRated, SeasonStarted
from referee.contests.ladder.rating_rules import RatingHistory, holders_of
from referee.contests.strength.rating import FinishOrder, Player, RatingRecord, compute_rating_updates, widen_ratings
from referee.match import setup


def rate_matches(
    finishes: Iterable[FinishOrder[Player]], since: Mapping[Player, RatingRecord] | None = None
) -> dict[Player, RatingRecord]:
    """Return the ratings after these matches in order, starting from `since` or from nothing."""
    ratings = dict(since or {})
    for finish in finishes:
        ratings |= {change.player: change.after for change in compute_rating_updates(ratings, finish)}
    return ratings


def recompute_ratings(events: Iterable[LadderEvent]) -> dict[setup.Player, RatingRecord]:
    """Return the ratings of the current season, recomputed from entrants, results and times alone."""
    ratings: dict[setup.Player, RatingRecord] = {}
    entrants: dict[str, ContestEntrant] = {}
    history = RatingHistory()
    for event in events:
        if isinstance(event, EntrantJoined):
            entrants[event.entrant.name] = event.entrant
        elif isinstance(event, MatchRated):
            holders = holders_of(entrants, event.finish)
            weight = history.weight(event.finish, holders, event.at_ms)
            changes = history.updates(ratings, event.finish, weight, event.at_ms)
            ratings |= {change.player: change.after for change in changes}
            history = history.with_match(event.finish, holders, event.at_ms)
        elif isinstance(event, SeasonStarted):
            ratings = widen_ratings(ratings)
    return ratings
