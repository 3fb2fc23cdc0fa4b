"""Size of packed records, and the time to pack, find and read them, with random matches of Alquerque."""

import random
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from referee_values import ClockRule, Fischer, TimeControl

from bench.calibration import cpu_seconds
from bench.figures import Findings, Goal
from bench.measurement import Measurement, Scope
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import Command, StartPlay, SubmitMove
from referee.match.decide import decide
from referee.match.events import Event, MatchCreated
from referee.match.match_terms import MatchTerms
from referee.match.setup import Player, Setup
from referee.match.state import MatchPhase, create_match
from referee.records.packed_reader import PackedFile
from referee.records.packed_records import PackedRecords
from referee.records.record_format import format_record
from tests.records.matches import entries_of, find_game

MATCHES = 2000
WHOLE = 100_000
"""Number of matches that the size is stated for."""
SIZE = f"size of {WHOLE:,} matches, MB"
MEAN_THINKING_US = 500


def measure(scope: Scope) -> Findings:
    records = [random_record(number) for number in range(scope.pick(300, MATCHES))]
    found, path, share = Findings(), scope.folder / "matches.pack", WHOLE / len(records) / 1e6
    seconds = cpu_seconds(lambda: _pack(scope, records))
    found.add("files", SIZE, sum(map(len, records)) * share)
    found.add("packed", SIZE, path.stat().st_size * share)
    found.add("packed", "CPU time to pack a match, us", seconds / len(records) * 1e6)
    with path.open("rb") as file:
        packed = PackedFile(file)
        found.add(
            "packed", "CPU time to read a match, us", cpu_seconds(lambda: list(packed.records())) * 1e6 / len(records)
        )
        found.add(
            "packed",
            "CPU time of all indexes, us a match",
            cpu_seconds(lambda: list(packed.groups())) * 1e6 / len(records),
        )
    found.notes.append(f"From {len(records)} matches of bots that think for {MEAN_THINKING_US} us on average.")
    return found


def _pack(scope: Scope, records: Sequence[bytes]) -> None:
    with PackedRecords(scope.folder / "matches.pack") as packed:
        for record in records:
            packed.append(record)


def random_record(number: int) -> bytes:
    """Return the record of a random match between two bots that make no faults."""
    rng, game, at_us = random.Random(number), find_game("alquerque"), 10
    terms = MatchTerms(
        game.name, game.settings({}), TimeControl(rule=ClockRule(fischer=Fischer(main_ms=10_000, increment_ms=1_000)))
    )
    setup = Setup(f"m-{number}", game.version, terms, (Player("ada", "1"), Player("bob", "2")), rng.randbytes(32))
    events: list[Event] = [MatchCreated(0, setup)]
    match = create_match(MatchCreated(0, setup), game)
    command: Command = StartPlay()
    while match.phase is not MatchPhase.OVER:
        decided = decide(match, command, at_us)
        events, match = [*events, *decided.events], decided.match
        if match.owing:
            turn = match.owing[0]
            at_us += 1 + round(rng.expovariate(1 / MEAN_THINKING_US))
            move = rng.choice(match.require_position().moves(turn.seat))
            command = SubmitMove(turn.seat, turn.token, move, TurnMeasurement(at_us))
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    return b"".join(format_record(entries_of(events), key, "0.1.0"))


MEASUREMENT = Measurement(
    "records",
    "How large are packed records?",
    measure,
    (
        Goal(
            "packed records",
            "100 000 random matches of Alquerque take less than 100 MB.",
            100,
            lambda found: found.of("packed", SIZE).median,
            at_least=False,
        ),
    ),
)
