"""A match between random players, refereed as any other: decided by the core, one move after another."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engines.api import Game
from engines.chance import Chance
from engines.options import Settings
from referee.app.ports import Entry
from referee.core.clock import Untimed
from referee.core.commands import Begin, SubmitMove
from referee.core.deciding import decide
from referee.core.events import Event, Opened
from referee.core.match import Match, opened
from referee.core.row import Measured
from referee.core.setup import Player, Setup
from referee.storage.record.writing import written

Told = tuple[Event, Match]
"""What happened, and the match after it."""


def random_match(game: Game, settings: Settings, chance: Chance) -> Iterator[Told]:
    """Everything that happens in one match, the same for the same chance. Nobody keeps a clock."""
    seats = game.table(settings).seats
    players = tuple(Player(f"random {name}") for name in seats)
    seed = chance.fork("seed").seed
    first = Opened(
        0, Setup("random", game.name, game.version, settings, players, (Untimed(),) * len(seats), seed, seed_given=True)
    )
    match = opened(first, game)
    yield first, match
    decided = decide(match, Begin(), 0)
    draws = chance.fork("moves")
    while True:
        for event in decided.events:
            yield event, decided.match
        match = decided.match
        if match.result:
            return
        turn = match.owing[0]
        moves = match.at_play().moves(turn.seat)
        pick, draws = draws.below(len(moves))
        decided = decide(match, SubmitMove(turn.seat, turn.token, moves[pick], Measured(0)), 0)


def write_record(path: Path, events: Sequence[Event], referee: str) -> None:
    """The record of these events, signed by a key that is made for it and forgotten."""
    now_ms = time.time_ns() // 1_000_000
    entries = [Entry("random", number, now_ms, event) for number, event in enumerate(events, 1)]
    path.write_bytes(b"".join(written(entries, Ed25519PrivateKey.generate(), referee)))
