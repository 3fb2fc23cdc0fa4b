"""Swiss tournaments, from a short notation or with random results."""

from collections.abc import Iterator

from engines.chance import Chance
from referee.contests.pairing import MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.systems.dutch import Unpairable
from referee.contests.systems.swiss import pair_swiss_round
from referee.contests.tables.round_result import MISSED, RoundResult, RoundResults
from referee.contests.tournament.trf_reader import played_result


def game(result: str) -> tuple[RoundResult, RoundResult]:
    """Parse '1-2 1': first player, second player, points of the first. Return the results of both."""
    pair, points = result.split()
    first, second = pair.split("-")
    mine = float(points)
    return played_result(mine, second, 0), played_result(1 - mine, first, 1)


def table(names: str, *rounds: list[str]) -> RoundResults:
    """Return a table. Entrants without a game missed the round."""
    rows: dict[str, list[RoundResult]] = {name: [] for name in names}
    for games in rounds:
        met = dict.fromkeys(names, MISSED)
        for result in games:
            first, second = result.split()[0].split("-")
            met[first], met[second] = game(result)
        for name in names:
            rows[name].append(met[name])
    return rows


def random_rounds(many: int, rounds: int, seed: bytes) -> Iterator[tuple[RoundResults, list[Pairing]]]:
    """Yield each round with random results: the table before it, and its pairings."""
    rows: dict[str, list[RoundResult]] = {f"P{number}": [] for number in range(1, many + 1)}
    chance = Chance(seed)
    for _ in range(rounds):
        try:
            pairings = pair_swiss_round(rows, list(rows), rounds)
        except Unpairable:
            return
        yield {name: [*encounters] for name, encounters in rows.items()}, pairings
        for pairing in pairings:
            drawn, chance = chance.below(3)
            progress = PairingProgress(pairing)
            if not pairing.is_bye:
                progress = progress.with_score(1, MatchScore(((1, 2), (1, 1), (2, 1))[drawn]))
            for name in pairing.entrants:
                rows[name].append(progress.round_result(name))
