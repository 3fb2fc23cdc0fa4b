"""What a look at the page of metrics costs the event loop, by how many matches there are. Processor time."""

import time
from collections.abc import Iterator
from statistics import median

from engines.api import Game
from engines.registry import games
from referee.app.ports import Entry
from referee.core.clock import SECOND, SuddenDeath
from referee.core.events import Opened
from referee.core.match import Match, opened
from referee.core.setup import SEED_BYTES, Player, Setup
from referee.telemetry.metrics import Metrics
from referee.telemetry.readings import Readings

MATCHES = (4, 100, 1000)


def matches_of(game: Game, count: int) -> Iterator[tuple[Opened, Match]]:
    settings = game.settings()
    seats = len(game.table(settings).seats)
    control = SuddenDeath(600 * SECOND)
    for number in range(count):
        players = tuple(Player(f"bot-{number}-{seat}", "1") for seat in range(seats))
        setup = Setup(
            f"m{number}", game.name, game.version, settings, players, (control,) * seats, seed=bytes(SEED_BYTES)
        )
        yield Opened(0, setup), opened(Opened(0, setup), game)


def measured_scrape(rounds: int) -> dict[int, float]:
    """Milliseconds, by how many matches there are, of all games; every bot has a session."""
    return {count: _ms(count, rounds) for count in MATCHES}


def _ms(count: int, rounds: int) -> float:
    metrics, live = Metrics("1.2.3"), list[Match]()
    for game in games().values():
        for event, match in matches_of(game, count // len(games())):
            metrics.matches.announce(None, [Entry(match.setup.match_id, 1, 0, event)], match)
            live.append(match)
    here = [player.bot for match in live for player in match.players]
    metrics.read(Readings(lambda: live, lambda: here, lambda: 0, lambda: [0] * 7, lambda: True))
    return median(_once_ms(metrics) for _ in range(rounds))


def _once_ms(metrics: Metrics) -> float:
    began = time.process_time()
    metrics.text()
    return (time.process_time() - began) * 1e3
