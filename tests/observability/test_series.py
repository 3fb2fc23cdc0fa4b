"""A thousand bots and ten thousand matches create no more series than two bots and one match of each game."""

from dataclasses import replace
from typing import Any

import pytest

from engines.api import Game
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.live.ports import Entry
from referee.match.commands import Resign
from referee.match.events import MatchCreated
from referee.match.setup import Player
from referee.match.state import Match
from referee.observability.metrics import GaugeSources, Metrics
from tests.live.runner_harness import Scene, in_loop, played, terms
from tests.strangers_games.strangers_games import FINGERS, NIM

MATCHES = 10_000
BOTS = 1_000

Announced = list[tuple[Match | None, list[Entry], Match]]


async def whole_match(game: Game) -> Announced:
    scene = Scene()
    runner = await scene.begun(terms(game))
    await played(runner, 0, "1")
    await runner.submit(Resign(1))
    await runner.close()
    return [(before, list(entries), match) for before, entries, match in scene.keeper.announced]


def of_others(announced: Announced, number: int) -> Announced:
    """Return the announcements of a match with another id and other bots."""
    seats = len(announced[0][2].players)
    players = tuple(Player(f"bot-{(number + seat) % BOTS}", str(number)) for seat in range(seats))

    def renamed(match: Any) -> Any:
        if match is None:
            return None
        return replace(match, setup=replace(match.setup, match_id=f"m{number}", players=players), players=players)

    def told(entry: Entry) -> Entry:
        event = entry.event
        if isinstance(event, MatchCreated):
            event = replace(event, setup=replace(event.setup, match_id=f"m{number}", players=players))
        return replace(entry, match_id=f"m{number}", event=event)

    return [(renamed(before), [*map(told, entries)], renamed(match)) for before, entries, match in announced]


@pytest.mark.slow
@in_loop
async def test_series_grow_with_games_and_with_nothing_else() -> None:
    metrics, live, here = Metrics("1.2.3"), dict[str, Match](), list[str]()
    waiting: list[QueuedMatch] = []
    metrics.register_gauges(
        GaugeSources(
            live.values,
            lambda: here,
            lambda: 0,
            lambda: [0] * 7,
            lambda: True,
            queues=lambda: {"ladder": MatchQueue(1, tuple(waiting))},
        )
    )
    ways = [await whole_match(game) for game in (NIM, FINGERS)]

    def happens(number: int) -> None:
        for before, entries, match in of_others(ways[number % len(ways)], number):
            metrics.matches.on_entries(before, entries, match)
            if match.result is None:
                live[f"m{number % 100}"] = match
        here.append(f"bot-{number % BOTS}")
        waiting.append(QueuedMatch(list(WaitReason)[number % len(WaitReason)], number))

    for number in range(2):
        happens(number)
    few = metrics.text().count(b"\n")
    for number in range(2, MATCHES):
        happens(number)
    assert metrics.text().count(b"\n") == few
    assert b"bot-" not in metrics.text()
