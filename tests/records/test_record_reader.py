"""Any well-signed file gets a verdict, and never causes a crash."""

import contextlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.records.record_reader import RecordInvalid, RecordStatus, VerificationResult, read_record_history
from referee.records.verify import verify
from tests.records.forgery import lines_of, record_of, resigned
from tests.records.matches import all_games, find_game, random_match

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


def _check_verdicts(game: str, path: Path, times: int, rng: random.Random) -> None:
    for _ in range(times):
        verdict = _verdict(rng, game, path)
        assert verdict.status in (
            RecordStatus.FINE,
            RecordStatus.NO_RECORD,
            RecordStatus.UNKNOWN_VERSION,
            RecordStatus.RULES_DIFFER,
        ), verdict
        with contextlib.suppress(RecordInvalid):
            read_record_history(path, find_game)


@pytest.mark.parametrize("game", list(all_games()))
def test_any_changed_value_gets_a_verdict(game: str, tmp_path: Path, rng: random.Random) -> None:
    _check_verdicts(game, tmp_path / "record", 20, rng)


@pytest.mark.soak
@pytest.mark.parametrize("game", list(all_games()))
def test_many_more_changed_values_get_a_verdict(game: str, tmp_path: Path, rng: random.Random) -> None:
    _check_verdicts(game, tmp_path / "record", 200, rng)
