"""A synthetic season, generated from a seed, as input of reports."""

from collections.abc import Iterator

from engines.chance import Chance
from referee.contests.strength.elo import expected_score
from referee.reporting.report import End, Game, Meeting, Rating, Report, Row, Times
from referee.reporting.report_builder import histories

MARCH_MS = 1_772_323_200_000
MINUTE_MS = 60_000
NASTY = '<b onclick="x">&\'</b>'


def report(many: int, cycles: int = 2, kind: str = "tournament") -> Report:
    """Of so many entrants, one of whom has a name that would like to be markup."""
    names = [NASTY, *(f"bot-{number:02}" for number in range(2, many + 1))]
    games = tuple(_games(names, cycles))
    lines = histories(games)
    rows = sorted((_row(name, games, kind) for name in names), key=lambda row: -(row.points or 0))
    return Report(
        kind,
        "spring",
        f"The {NASTY} cup",
        (("Game", "alquerque"), ("State", "finished")),
        tuple(rows),
        games,
        ("wins",) if kind == "tournament" else (),
        lines,
        {name: Times(10, 2_000_000, 100_000, 500_000, 900_000, 1) for name in names},
        len(games),
        meetings=tuple(_meetings(games)) if kind == "tournament" else (),
    )


def _meetings(games: tuple[Game, ...]) -> Iterator[Meeting]:
    """Each game is a pairing, three make a round; of the last round a bye and a pairing are still there."""
    for number, game in enumerate(games):
        names = tuple(name for side in game.sides for name in side)
        yield Meeting(number // 3 + 1, number % 3 + 1, names, tuple(2.0 - rank for rank in game.ranks), "done")
    last = len(games) // 3 + 2
    yield Meeting(last, 1, (NASTY, "bot-02"), (), "playing")
    yield Meeting(last, 2, ("bot-02",), (1.0,), "done")


def _games(names: list[str], cycles: int) -> list[Game]:
    """Who comes earlier is stronger."""
    games: list[Game] = []
    chance = Chance(bytes(32))
    pairs = [(one, other) for _ in range(cycles) for one in range(len(names)) for other in range(one + 1, len(names))]
    for number, (one, other) in enumerate(pairs):
        draw, chance = chance.below(1_000)
        won = draw < 1_000 * expected_score(20.0 * (other - one))
        ranks = (1, 2) if won else (2, 1)
        end = End("played", "no_men") if draw % 10 else End("forfeited", "time")
        guilty = () if draw % 10 else (names[other if won else one],)
        sides = ((names[one],), (names[other],))
        games.append(Game(f"m-{number}", MARCH_MS + number * MINUTE_MS, sides, ranks, end, guilty))
    return games


def _row(name: str, games: tuple[Game, ...], kind: str) -> Row:
    ranks = [rank for game in games for side, rank in zip(game.sides, game.ranks, strict=True) if name in side]
    wins = ranks.count(1)
    guilty = sum(name in game.at_fault for game in games)
    rating = Rating(1500.0 + wins, 60.0, provisional=True) if kind == "ladder" else None
    points = None if kind == "ladder" else float(wins)
    return Row(1, name, wins, 0, len(ranks) - wins, guilty, points, rating, (float(wins),) if rating is None else ())
