"""What must never change by accident: the lines of events."""

from pathlib import Path
from typing import get_args

import pytest

from referee.core.events import Event
from referee.storage.codec import CONTROLS, EVENTS, VERSION, decode, encode
from tests.storage.examples import EVERY_CONTROL, EXAMPLES

GOLDEN = Path(__file__).parent / "golden"


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="ascii").splitlines()


def test_the_examples_show_every_kind() -> None:
    assert {type(event) for event in EXAMPLES} == set(EVENTS.values()) == set(get_args(Event))
    assert {type(control) for control in EVERY_CONTROL} == set(CONTROLS.values())


def test_events_are_written_as_ever(renewing: bool) -> None:
    path = GOLDEN / f"version_{VERSION}.jsonl"
    lines = [encode(event) for event in EXAMPLES]
    if renewing:
        path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    else:
        assert lines == lines_of(path)


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_lines_of_every_version_are_read(path: Path) -> None:
    lines = lines_of(path)
    assert [decode(line) for line in lines] == list(EXAMPLES[: len(lines)]), "each version has its new examples last"
