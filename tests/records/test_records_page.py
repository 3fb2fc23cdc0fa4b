"""docs/records.md is true: its example is a record, its verifier works, and its tables are complete."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from referee_values import RoundRobin

from referee.contests.ladder.events import PlanningInput
from referee.match.clock_charge import ClockCharge
from referee.records.contest_record import CONTEST_RECORD_CODEC
from referee.records.record_format import MAX_CONTEST_LINE_BYTES, MAX_LINE_BYTES, RECORD_CODEC, signed_bytes
from referee.records.record_reader import RecordStatus
from referee.records.signing_key import public_hex
from referee.storage.codec import STORED_VERSION
from tests.records.contests import contest_record, played_cup, run
from tests.records.forgery import KEY, OTHER_KEY, lines_of, verdict_on
from tests.records.test_verify import SMALL

PAGE = Path(__file__).parents[2] / "docs" / "records.md"
EXAMPLE = re.compile(r"```json\n(.*?)```", re.DOTALL)


def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def example() -> bytes:
    found = EXAMPLE.search(page())
    assert found
    return found[1].encode("ascii")


def test_the_example_is_the_record_of_the_shortest_match(renewing: bool) -> None:
    if renewing:
        PAGE.write_text(EXAMPLE.sub(lambda _: f"```json\n{SMALL.decode()}```", page()), encoding="utf-8")
    assert example() == SMALL


def test_the_example_is_verified(tmp_path: Path) -> None:
    assert verdict_on(example(), tmp_path, public_hex(KEY)).status is RecordStatus.FINE


def page_verifier() -> Callable[[bytes, str], list[dict[str, Any]]]:
    """Return the verifier that the page shows."""
    found = re.search(r"```python\n(.*?)```", page(), re.DOTALL)
    assert found
    names: dict[str, Any] = {}
    exec(compile(found[1], str(PAGE), "exec"), names)  # The test is that a third party can run it.
    check: Callable[[bytes, str], list[dict[str, Any]]] = names["check"]
    return check


def test_the_verifier_of_the_page_reads_the_example() -> None:
    lines = page_verifier()(example(), public_hex(KEY))
    assert [line.get("entry") for line in lines] == [None, 1, 2, 3, 4, None]


def test_the_verifier_of_the_page_rejects_changed_records() -> None:
    check, lines = page_verifier(), lines_of(example())
    digit = b"1" if lines[-1].endswith(b'0"}\n') else b"0"
    changed = [
        b"".join(lines).replace(b'"move":"1"', b'"move":"2"'),
        b"".join([*lines[:2], *lines[3:]]),
        b"".join(lines[:-1]),
        b"".join(lines)[:-1],
        b"".join(lines)[:-4] + digit + b'"}\n',
    ]
    for data in changed:
        with pytest.raises(Exception):  # noqa: B017, PT011  # Whatever a stranger's program dies of.
            check(data, public_hex(KEY))
    with pytest.raises(AssertionError, match="another key"):
        check(example(), public_hex(OTHER_KEY))


def test_the_tables_of_fields_name_those_of_the_example() -> None:
    first, *entries, last = map(json.loads, lines_of(example()))
    listed = re.findall(r"^\| (?:the first|one for each[^|]*|the last) \| ([^|]+) \|$", page(), re.MULTILINE)
    assert [re.findall(r"`(\w+)`", fields) for fields in listed] == [list(first), list(entries[0]), list(last)]


def test_every_kind_of_event_is_listed_with_its_fields() -> None:
    listed = {}
    for names, text in re.findall(r"^\| (`[a-z_`, ]+`) \| ([^|]+) \|$", page(), re.MULTILINE):
        for kind in re.findall(r"`(\w+)`", names):
            listed[kind] = text
    for kind, event in RECORD_CODEC.classes.items():
        assert kind in listed
        assert all(f"`{name}`" in listed[kind] for name in event.__struct_fields__ if name != "at_us"), kind
    assert all(f"`{name}`" in page() for name in ClockCharge.__struct_fields__)


def test_every_verdict_is_listed_with_its_status() -> None:
    listed = re.findall(r"^\| (\d+) \| ([a-z ]+) \| ", page(), re.MULTILINE)
    assert listed == [(str(int(status)), status.words) for status in RecordStatus]


def test_the_sizes_on_the_page_are_correct() -> None:
    assert f"{MAX_LINE_BYTES} bytes" in page()
    assert f"these {len(signed_bytes('0' * 64))} bytes" in page()


def test_the_table_of_contests_lists_the_kinds_that_the_codec_writes() -> None:
    section = page().partition("## Records of contests")[2].partition("###")[0]
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    assert {kind for row in rows for kind in re.findall(r"`(\w+)`", row)} == set(CONTEST_RECORD_CODEC.classes)
    assert f"`{STORED_VERSION}`" in section
    assert f"No line is longer than {MAX_CONTEST_LINE_BYTES} bytes" in section


def test_the_table_of_plannings_lists_all_values() -> None:
    section = page().partition("### Plannings of a ladder")[2].partition("###")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(PlanningInput.__struct_fields__)


def test_the_verifier_of_the_page_reads_the_record_of_a_contest() -> None:
    data = contest_record(run(played_cup(RoundRobin(), "ann", "bob")).entries)
    kinds = [line["event"]["kind"] for line in page_verifier()(data, public_hex(KEY))[1:-1]]
    assert (kinds[0], kinds[-2:]) == ("tournament_created", ["tournament_ended", "standings"])
