"""A synthetic season, generated from a seed, as input of reports."""

from collections.abc import Iterator

from referee_values import Pairing

from engines.chance import Chance
from referee.contests.strength.elo import expected_score
from referee.show.report import End, Game, Rating, Report, Row, Times
from referee.show.report_builder import histories

MARCH_MS = 1_772_323_200_000
MINUTE_MS = 60_000
MARKUP_NAME = '<b onclick="x">&\'</b>'


def report(count: int, cycles: int = 2, kind: str = "tournament") -> Report:
    """Return a report with this number of entrants, one of which has HTML markup as its name."""
    names = [MARKUP_NAME, *(f"bot-{number:02}" for number in range(2, count + 1))]
    games = tuple(_games(names, cycles))
    lines = histories(games)
    rows = sorted((_row(name, games, kind) for name in names), key=lambda row: -(row.points or 0))
    return Report(
        kind,
        "spring",
        f"The {MARKUP_NAME} cup",
        (("Game", "alquerque"), ("State", "finished")),
        tuple(rows),
        games,
        ("wins",) if kind == "tournament" else (),
        lines,
        {name: Times(10, 2_000_000, 100_000, 500_000, 900_000, 1) for name in names},
        len(games),
        pairings=tuple(_pairings(games)) if kind == "tournament" else (),
    )


def _pairings(games: tuple[Game, ...]) -> Iterator[Pairing]:
    """Yield a pairing for each game, three in each round, and a last round with a bye and a pairing in play."""
    for number, game in enumerate(games):
        names = tuple(name for side in game.sides for name in side)
        points = tuple(2.0 - rank for rank in game.ranks)
        yield Pairing(round=number // 3 + 1, board=number % 3 + 1, entrants=names, points=points, phase="done")
    last = len(games) // 3 + 2
    yield Pairing(round=last, board=1, entrants=(MARKUP_NAME, "bot-02"), phase="playing")
    yield Pairing(round=last, board=2, entrants=("bot-02",), points=(1.0,), phase="done")


def _games(names: list[str], cycles: int) -> list[Game]:
    """Return games in which earlier entrants are stronger."""
    games: list[Game] = []
    rng = Chance(bytes(32))
    pairs = [
        (first, second) for _ in range(cycles) for first in range(len(names)) for second in range(first + 1, len(names))
    ]
    for number, (first, second) in enumerate(pairs):
        draw, rng = rng.below(1_000)
        won = draw < 1_000 * expected_score(20.0 * (second - first))
        ranks = (1, 2) if won else (2, 1)
        end = End("played", "no_men") if draw % 10 else End("forfeited", "time")
        faults = () if draw % 10 else (names[second if won else first],)
        sides = ((names[first],), (names[second],))
        games.append(Game(f"m-{number}", MARCH_MS + number * MINUTE_MS, sides, ranks, end, faults))
    return games


def _row(name: str, games: tuple[Game, ...], kind: str) -> Row:
    ranks = [rank for game in games for side, rank in zip(game.sides, game.ranks, strict=True) if name in side]
    wins = ranks.count(1)
    faults = sum(name in game.at_fault for game in games)
    rating = Rating(1500.0 + wins, 60.0, provisional=True) if kind == "ladder" else None
    points = None if kind == "ladder" else float(wins)
    return Row(1, name, wins, 0, len(ranks) - wins, faults, points, rating, (float(wins),) if rating is None else ())
