"""Any well-signed file gets a verdict and never causes a crash, and false statements are found in their entries."""

import contextlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct, structs
from msgspec.structs import replace

from engines.game_errors import SHOWN_CHARS
from referee.match.events import Event, FlagFell, MovePlayed, MoveRejected, PlayEnded
from referee.match.result import EndKind
from referee.records.record_reader import RecordInvalid, RecordStatus, VerificationResult, read_record_history
from referee.records.verify import ReplayMismatch, replay_finished_match, verify
from tests.records.forgery import lines_of, record_of, resigned
from tests.records.matches import all_games, find_game, random_match

DERIVED: dict[type, tuple[str, ...]] = {
    MovePlayed: ("token",),
    MoveRejected: ("token", "reason", "rule", "sentence", "attempts_left"),
    FlagFell: ("token",),
    PlayEnded: ("seed", "result"),
}
"""Fields whose values follow from the rules."""
DERIVED_CLOCK_CHARGE_FIELDS = ("asked_us", "network_credit_us", "charged_us", "before", "after", "late")


def _other_value(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type."""
    match value:
        case bool():
            return not value
        case int():
            return value + rng.choice([-1, 1, 1_000])
        case str():
            return value + "!"
        case bytes():
            return value[:-1] + bytes([value[-1] ^ 1])
    name = rng.choice([name for name in value.__struct_fields__ if isinstance(getattr(value, name), int | str)])
    change = structs.replace if isinstance(value, Struct) else replace
    return change(value, **{name: _other_value(getattr(value, name), rng)})


def _falsified(event: Any, rng: random.Random) -> Event | None:
    if isinstance(event, PlayEnded) and event.result.kind is EndKind.VOID:
        return None  # Nothing proves why people abort a match.
    if isinstance(event, MoveRejected) and len(event.move) > SHOWN_CHARS:
        return None  # The record has only the beginning of the move.
    names = list(DERIVED.get(type(event), ()))
    row = event.row if isinstance(event, MovePlayed | FlagFell) else None
    if row:
        name = rng.choice(DERIVED_CLOCK_CHARGE_FIELDS)
        names.append("row")
        row = structs.replace(row, **{name: _other_value(getattr(row, name), rng)})
    if not names:
        return None
    name = rng.choice(names)
    changed: Event = structs.replace(event, **{name: row if name == "row" else _other_value(getattr(event, name), rng)})
    return changed


@pytest.mark.parametrize("game", list(all_games()))
def test_every_false_statement_about_consequences_is_found_in_its_entry(game: str) -> None:
    rng = random.Random(game)
    for seed in range(10):
        events = random_match(find_game(game), seed)
        for number in rng.sample(range(2, len(events) + 1), min(8, len(events) - 1)):
            falsified = _falsified(events[number - 1], rng)
            if falsified is None:
                continue
            with pytest.raises(ReplayMismatch) as found:
                replay_finished_match([*events[: number - 1], falsified, *events[number:]], find_game(game))
            assert found.value.number == number, (falsified, str(found.value))


STRANGE: tuple[Any, ...] = (
    *(-1, 0, 1, 7, 10**30, 0.5, True, None, [], {}, [[]]),
    *("", "x", "\x1b\n\ud800", "0.0.1", "00" * 32),
)


def _containers(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container in this data with each of its keys."""
    for key in data if isinstance(data, dict) else range(len(data)):
        yield data, key
        if isinstance(data[key], dict | list):
            yield from _containers(data[key])


def _with_strange_value(line: bytes, rng: random.Random) -> bytes:
    """Return an entry's line with one value of its event removed or replaced by an unexpected one."""
    found = re.search(rb'"event":(\{.*\}),"after"', line)
    if not found:
        return line
    event = json.loads(found[1])
    holder, key = rng.choice(list(_containers(event)))
    if rng.random() < 0.1:
        del holder[key]
    else:
        holder[key] = rng.choice(STRANGE)
    return line[: found.start(1)] + json.dumps(event, separators=(",", ":")).encode() + line[found.end(1) :]


def _verdict(rng: random.Random, events_of: str, path: Path) -> VerificationResult:
    """Return the result for a signed record in which one line is changed."""
    lines = lines_of(record_of(random_match(find_game(events_of), rng.randrange(50))))
    at = rng.randrange(1, len(lines) - 1)
    lines[at] = _with_strange_value(lines[at], rng)
    path.write_bytes(resigned(lines))
    return verify(path, None, find_game)


@pytest.mark.parametrize("times", [20, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize("game", list(all_games()))
def test_any_changed_value_gets_a_verdict(game: str, times: int, tmp_path: Path, rng: random.Random) -> None:
    expected = {RecordStatus.FINE, RecordStatus.NO_RECORD, RecordStatus.UNKNOWN_VERSION, RecordStatus.RULES_DIFFER}
    for _ in range(times):
        verdict = _verdict(rng, game, tmp_path / "record")
        assert verdict.status in expected, verdict
        with contextlib.suppress(RecordInvalid):
            read_record_history(tmp_path / "record", find_game)
