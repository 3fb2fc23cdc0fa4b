"""Assignment of profiler samples to the parts of a move's path."""

import ast
from pathlib import Path

import pytest

from bench.parts import OF_PLACE, REST, part_of

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("place", OF_PLACE)
def test_every_named_place_exists(place: str) -> None:
    file, _, function = place.partition(" ")
    assert (ROOT / file).is_dir() if file.endswith("/") else (ROOT / file).is_file()
    assert not function or function in functions(ROOT / file)


def functions(file: Path) -> set[str]:
    """Return the methods of all classes in `file`, as `Class.method`."""
    return {
        f"{owner.name}.{member.name}"
        for owner in ast.walk(ast.parse(file.read_text()))
        if isinstance(owner, ast.ClassDef)
        for member in owner.body
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_library_code_is_attributed_to_its_caller() -> None:
    stack = [
        "Runner.run (asyncio/runners.py:1)",
        "encode (referee/storage/codec.py:7)",
        "iterencode (json/encoder.py:2)",
    ]
    assert part_of(stack) == "encode: event as a line of the log"


def test_a_function_has_precedence_over_its_file_and_a_file_over_its_folder() -> None:
    assert part_of(["PulledStream._write (referee/transport/play/pulled_stream.py:1)"]) == "write: outgoing messages"
    assert part_of(["turn_of (referee/transport/play/writer.py:1)"]) == "encode turn: turns and verdicts as messages"
    assert part_of(["new (referee/transport/new_here.py:1)"]) == "read: incoming messages and items"


def test_a_stack_outside_of_the_project_counts_as_the_rest() -> None:
    assert part_of(["Thread.run (threading.py:1)"]) == REST
