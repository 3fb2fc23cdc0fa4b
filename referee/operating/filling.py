"""Filling an empty folder: what is put there is whole, or it is not there."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from referee.operating.not_done import NotDone
from referee.wiring.books import PART


@contextmanager
def filled(folder: Path, names: Sequence[str]) -> Iterator[Path]:
    """Fill `folder`, which is made, or empty. Within, files are put where it says; at the end they are moved up.

    They are moved in the order of `names`: whoever finds the last finds all. If anything is raised, the folder is as
    it was. Raises NotDone if there is something in it.
    """
    made = _made(folder)
    part = folder / PART
    try:
        part.mkdir(0o700)
        yield part
        for name in names:
            synced(part / name)
            (part / name).rename(folder / name)
        synced(folder)
    except BaseException:
        for name in names:
            (folder / name).unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if made and not any(folder.iterdir()):
            folder.rmdir()


def synced(path: Path) -> None:
    """Come back when the file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _made(folder: Path) -> bool:
    """Was it made just now?"""
    try:
        folder.mkdir(0o700, parents=True)
    except FileExistsError:
        if not folder.is_dir():
            raise NotDone(f"{folder} is no folder") from None
        if any(folder.iterdir()):
            raise NotDone(f"{folder} is not empty: give a new folder, so that nothing is overwritten") from None
        return False
    return True
