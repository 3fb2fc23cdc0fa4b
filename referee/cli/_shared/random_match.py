"""Play a match between random players with the same core as the server."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.chance import Chance
from engines.options import Settings
from referee.live.ports import Entry
from referee.match.clock import Untimed
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import StartPlay, SubmitMove
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated
from referee.match.setup import Player, Setup
from referee.match.state import Match, create_match
from referee.records.record_writer import format_record

EventAndMatch = tuple[Event, Match]
"""An event, and the match after it."""


def random_match(game: Game, settings: Settings, chance: Chance) -> Iterator[EventAndMatch]:
    """Yield all events of a match without clocks. Equal `chance` gives equal events."""
    seats = game.table(settings).seats
    players = tuple(Player(f"random {name}") for name in seats)
    seed = chance.fork("seed").seed
    first = MatchCreated(
        0, Setup("random", game.name, game.version, settings, players, (Untimed(),) * len(seats), seed, seed_given=True)
    )
    match = create_match(first, game)
    yield first, match
    decided = decide(match, StartPlay(), 0)
    draws = chance.fork("moves")
    while True:
        for event in decided.events:
            yield event, decided.match
        match = decided.match
        if match.result:
            return
        turn = match.owing[0]
        moves = match.require_position().moves(turn.seat)
        pick, draws = draws.below(len(moves))
        decided = decide(match, SubmitMove(turn.seat, turn.token, moves[pick], TurnMeasurement(0)), 0)


def write_record(path: Path, events: Sequence[Event], referee: str) -> None:
    """Write a record of the events, signed by a temporary key."""
    now_ms = time.time_ns() // 1_000_000
    entries = [Entry("random", number, now_ms, event) for number, event in enumerate(events, 1)]
    path.write_bytes(b"".join(format_record(entries, Ed25519PrivateKey.generate(), referee)))
