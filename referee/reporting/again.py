"""Ratings as the results make them, match by match: for tournaments, which keep none of their own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from referee.contest.rated import Rated, changes
from referee.reporting.report import Game, Point


def histories(games: Iterable[Game]) -> Mapping[str, tuple[Point, ...]]:
    """Of everybody who played in these matches, which come in the order in which they ended."""
    ratings: dict[str, Rated] = {}
    lines: defaultdict[str, list[Point]] = defaultdict(list)
    for game in games:
        if finish := game.finish:
            for change in changes(ratings, finish):
                ratings[change.player] = change.after
                rating = change.after.rating
                lines[change.player].append(Point(game.at_ms, rating.value, rating.deviation))
    return {name: tuple(line) for name, line in lines.items()}
