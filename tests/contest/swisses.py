"""Swiss tournaments: as they are told, and with results by lot."""

from collections.abc import Iterator

from engines.chance import Chance
from referee.contest.encounters import MISSED, Encounter, Table, one_match
from referee.contest.pairing import Course, Pairing, Score
from referee.contest.swiss import Unpairable, swiss_round


def game(result: str) -> tuple[Encounter, Encounter]:
    """'1-2 1': who had the first move, against whom, and how it came out for the first."""
    pair, points = result.split()
    first, second = pair.split("-")
    mine = float(points)
    return one_match(mine, second, 0), one_match(1 - mine, first, 1)


def table(names: str, *rounds: list[str]) -> Table:
    """Who is in no game of a round missed it."""
    rows: dict[str, list[Encounter]] = {name: [] for name in names}
    for games in rounds:
        met = dict.fromkeys(names, MISSED)
        for result in games:
            first, second = result.split()[0].split("-")
            met[first], met[second] = game(result)
        for name in names:
            rows[name].append(met[name])
    return rows


def rounds_by_lot(many: int, rounds: int, seed: bytes, planned: int = 0) -> Iterator[tuple[Table, list[Pairing]]]:
    """Each round that can be paired: the table before it, and who meets. `planned`: rounds, if more are than played."""
    rows: dict[str, list[Encounter]] = {f"P{number}": [] for number in range(1, many + 1)}
    chance = Chance(seed)
    for _ in range(rounds):
        try:
            pairings = swiss_round(rows, list(rows), planned or rounds)
        except Unpairable:
            return
        yield {name: [*encounters] for name, encounters in rows.items()}, pairings
        for pairing in pairings:
            lot, chance = chance.below(3)
            course = Course(pairing)
            if not pairing.bye:
                course = course.scored(1, Score(((1, 2), (1, 1), (2, 1))[lot]))
            for name in pairing.entrants:
                rows[name].append(course.encounter(name))
