"""The written form of events must never change by accident."""

from pathlib import Path
from typing import get_args

import pytest

from referee.match.clock import TimeControl
from referee.match.events import Event
from referee.storage.codec import MATCH_CODEC, MATCH_VERSION
from tests.storage.examples import EVERY_CONTROL, EXAMPLES

GOLDEN = Path(__file__).parent / "golden"


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines()


def test_the_examples_contain_every_kind() -> None:
    assert {type(event) for event in EXAMPLES} == set(get_args(Event))
    assert {type(control) for control in EVERY_CONTROL} == set(get_args(TimeControl))


def test_the_written_form_of_events_does_not_change(renewing: bool) -> None:
    path = GOLDEN / f"version_{MATCH_VERSION}.jsonl"
    lines = [MATCH_CODEC.encode(event) for event in EXAMPLES]
    if renewing:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    else:
        assert lines == lines_of(path)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_lines_of_every_version_can_be_read(path: Path) -> None:
    lines = lines_of(path)
    events = [MATCH_CODEC.decode(line) for line in lines]
    assert events == list(EXAMPLES[: len(lines)]), "each version has its new examples last"
