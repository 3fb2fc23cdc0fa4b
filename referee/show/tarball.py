"""Compressed archives whose bytes follow from their contents alone: sorted entries, fixed times, owners and modes."""

import gzip
import tarfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

MODE = 0o644


def write_tarball(file: Path, root: str, contents: Mapping[str, bytes], at_s: int) -> None:
    """Write the contents, by path below the folder `root`, atomically. All entries have the time `at_s`."""
    part = file.with_name(f"{file.name}.part")
    try:
        with (
            part.open("wb") as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for path, data in sorted(contents.items()):
                archive.addfile(_entry(f"{root}/{path}", len(data), at_s), BytesIO(data))
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)


def _entry(path: str, size: int, at_s: int) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(path)
    entry.size, entry.mtime, entry.mode = size, at_s, MODE
    return entry
