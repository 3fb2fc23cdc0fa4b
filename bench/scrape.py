"""Cost of a scrape of the metrics on the event loop, by number of matches: CPU time."""

import time
from collections.abc import Iterator
from statistics import median

from referee_values import ClockRule, SuddenDeath, TimeControl

from engines.api import Game
from engines.registry import find, own_games
from referee.live.ports import Entry
from referee.match.events import MatchCreated
from referee.match.match_terms import MatchTerms
from referee.match.setup import SEED_BYTES, Player, Setup
from referee.match.state import Match, create_match
from referee.observability.metrics import GaugeSources, Metrics

MATCHES = (4, 100, 1000)


def matches_of(game: Game, count: int) -> Iterator[tuple[MatchCreated, Match]]:
    settings = game.settings()
    seats = len(game.table(settings).seats)
    terms = MatchTerms(game.name, settings, TimeControl(rule=ClockRule(sudden_death=SuddenDeath(main_ms=600_000))))
    for number in range(count):
        players = tuple(Player(f"bot-{number}-{seat}", "1") for seat in range(seats))
        setup = Setup(f"m{number}", game.version, terms, players, bytes(SEED_BYTES))
        yield MatchCreated(0, setup), create_match(MatchCreated(0, setup), game)


def measured_scrape(rounds: int) -> dict[int, float]:
    """Return milliseconds by number of matches, with matches of all games, where every bot has a session."""
    return {count: _ms(count, rounds) for count in MATCHES}


def _ms(count: int, rounds: int) -> float:
    metrics, live = Metrics("1.2.3"), list[Match]()
    for game in map(find, own_games()):
        for event, match in matches_of(game, count // len(own_games())):
            metrics.matches.on_entries(None, [Entry(match.setup.match_id, 1, 0, event)], match)
            live.append(match)
    here = [player.bot for match in live for player in match.players]
    metrics.register_gauges(GaugeSources(lambda: live, lambda: here, lambda: 0, lambda: [0] * 7, lambda: True))
    return median(_once_ms(metrics) for _ in range(rounds))


def _once_ms(metrics: Metrics) -> float:
    began = time.process_time()
    metrics.text()
    return (time.process_time() - began) * 1e3
