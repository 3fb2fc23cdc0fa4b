"""Storage of the standard error of a program behind the bridge."""

import asyncio
from pathlib import Path

import pytest
from referee_client import Misconfigured
from referee_client.bridge.errors_kept import ErrorsKept
from referee_client.bridge.programs import reads_from


def test_standard_error_is_read_to_its_end_even_if_it_cannot_be_stored(tmp_path: Path) -> None:
    async def drained() -> list[str]:
        errors = asyncio.StreamReader()
        errors.feed_data(b"thinking\n" * 100_000 + b"the last line\n")
        errors.feed_eof()
        kept = ErrorsKept(tmp_path / "not-there")
        await kept.drain(errors)
        return kept.last_lines()

    assert asyncio.run(drained())[-1] == "the last line"


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=f"in a folder {tmp_path / 'file'}: File exists"):
        reads_from(tmp_path / "file")
