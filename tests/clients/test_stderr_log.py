"""Storage of the standard error of a program behind the bridge."""

import asyncio
from pathlib import Path

import pytest
from referee_client import Misconfigured
from referee_client.bridge.stderr_log import StderrLog, create_stderr_log


def test_standard_error_is_read_to_its_end_even_if_it_cannot_be_stored(tmp_path: Path) -> None:
    async def read_last_lines() -> list[str]:
        stderr = asyncio.StreamReader()
        stderr.feed_data(b"thinking\n" * 100_000 + b"the last line\n")
        stderr.feed_eof()
        log = StderrLog(tmp_path / "not-there")
        await log.read(stderr)
        return log.last_lines()

    assert asyncio.run(read_last_lines())[-1] == "the last line"


def test_a_folder_that_cannot_be_created_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Misconfigured, match=f"in the folder {tmp_path / 'file'}: File exists"):
        create_stderr_log(tmp_path / "file")
