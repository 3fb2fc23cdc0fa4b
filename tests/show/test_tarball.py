"""Archives follow from their contents, and an archive that cannot be written leaves no file behind."""

import tarfile
from pathlib import Path

import pytest

from referee.show.tarball import write_tarball


def test_the_order_of_the_contents_does_not_matter(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write_tarball(first, "cup", {"a": b"1", "b/c": b"2"}, 5)
    write_tarball(second, "cup", {"b/c": b"2", "a": b"1"}, 5)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        assert archive.getnames() == ["cup/a", "cup/b/c"]


def test_a_folder_that_does_not_exist_is_an_error_and_no_part_is_left(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_tarball(tmp_path / "missing" / "cup", "cup", {}, 0)
    assert list(tmp_path.iterdir()) == []
