"""A thousand bots and ten thousand matches create no more series than two bots and one match of each game."""

from typing import Any

import pytest
from msgspec import structs

from engines.api import Game
from referee.hosting.match_factory import MatchQueue, QueuedMatch, WaitReason
from referee.live.ports import Entry
from referee.match.commands import Resign
from referee.match.events import MatchCreated
from referee.match.setup import Player
from referee.match.state import Match
from referee.observability.metrics import GaugeSources, Metrics
from tests.live.runner_harness import RunnerHarness, in_loop, match_setup, submit_move
from tests.third_party_games.third_party_games import FINGERS, NIM

MATCHES = 10_000
BOTS = 1_000

Announced = list[tuple[Match | None, list[Entry], Match]]


async def whole_match(game: Game) -> Announced:
    harness = RunnerHarness()
    runner = await harness.start_match(match_setup(game))
    await submit_move(runner, 0, "1")
    await runner.submit(Resign(1))
    await runner.close()
    return [(before, list(entries), match) for before, entries, match in harness.observer.announced]


def with_other_bots(announced: Announced, number: int) -> Announced:
    """Return the announcements of a match with another id and other bots."""
    seats = len(announced[0][2].players)
    players = tuple(Player(f"bot-{(number + seat) % BOTS}", str(number)) for seat in range(seats))

    def rename_match(match: Any) -> Any:
        if match is None:
            return None
        setup = structs.replace(match.setup, match_id=f"m{number}", players=players)
        return structs.replace(match, setup=setup, players=players)

    def rename_entry(entry: Entry) -> Entry:
        event = entry.event
        if isinstance(event, MatchCreated):
            setup = structs.replace(event.setup, match_id=f"m{number}", players=players)
            event = structs.replace(event, setup=setup)
        return structs.replace(entry, match_id=f"m{number}", event=event)

    return [
        (rename_match(before), [*map(rename_entry, entries)], rename_match(match))
        for before, entries, match in announced
    ]


@pytest.mark.slow
@in_loop
async def test_the_number_of_series_depends_on_games_only() -> None:
    metrics, live, online_bots = Metrics("1.2.3"), dict[str, Match](), list[str]()
    waiting: list[QueuedMatch] = []
    metrics.register_gauges(
        GaugeSources(
            live.values,
            lambda: online_bots,
            lambda: 0,
            lambda: [0] * 7,
            lambda: True,
            queues=lambda: {"ladder": MatchQueue(1, tuple(waiting))},
        )
    )
    example_matches = [await whole_match(game) for game in (NIM, FINGERS)]

    def record_match(number: int) -> None:
        for before, entries, match in with_other_bots(example_matches[number % len(example_matches)], number):
            metrics.matches.on_entries(before, entries, match)
            if match.result is None:
                live[f"m{number % 100}"] = match
        online_bots.append(f"bot-{number % BOTS}")
        waiting.append(QueuedMatch(list(WaitReason)[number % len(WaitReason)], number))

    for number in range(2):
        record_match(number)
    line_count = metrics.text().count(b"\n")
    for number in range(2, MATCHES):
        record_match(number)
    assert metrics.text().count(b"\n") == line_count
    assert b"bot-" not in metrics.text()
