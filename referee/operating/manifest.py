"""What a backup holds, as it says of itself: which files, of which bytes, and how much is in them.

One file of JSON, with the SHA-256 of every other file, and of itself. It is written last: a backup
without one is not whole.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.operating.not_done import NotDone

MANIFEST = "manifest.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class FileNote:
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    referee: str
    """The release that made the backup."""
    at_ms: int
    """When, by the wall clock."""
    schema: int
    """The version of the database."""
    matches: int
    unfinished: int
    entries: int
    files: Mapping[str, FileNote]


def noted(file: Path) -> FileNote:
    with file.open("rb") as content:
        return FileNote(file.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest())


def write(manifest: Manifest, folder: Path) -> None:
    body = {"backup": VERSION, **asdict(manifest)}
    text = json.dumps({**body, "sha256": _checksum(body)}, indent=2)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def read(folder: Path) -> Manifest:
    """Raises NotDone."""
    file = folder / MANIFEST
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotDone(f"there is no {MANIFEST} in {folder}: it is no backup, or half of one") from None
    except (OSError, ValueError) as why:
        raise NotDone(f"cannot read {file}: {why}") from None
    if not isinstance(told, dict) or told.get("backup") != VERSION:
        raise NotDone(f"{file} is not the manifest of a backup that this release can read")
    checksum = told.pop("sha256", None)
    if checksum != _checksum(told):
        raise NotDone(f"{file} is not as it was written")
    return _manifest(told)


def check(manifest: Manifest, folder: Path) -> None:
    """Are the files there, byte by byte as they were backed up? Raises NotDone."""
    for name, note in manifest.files.items():
        try:
            found = noted(folder / name)
        except OSError as why:
            raise NotDone(f"the backup is not whole: cannot read {name}: {why.strerror}") from None
        if found.size_bytes != note.size_bytes:
            sentence = f"{name} has {found.size_bytes} bytes, and had {note.size_bytes} when it was backed up"
            raise NotDone(f"the backup is damaged: {sentence}")
        if found.sha256 != note.sha256:
            raise NotDone(f"the backup is damaged: {name} has other bytes than when it was backed up")


def _manifest(told: Mapping[str, Any]) -> Manifest:
    facts = {name: value for name, value in told.items() if name not in ("backup", "files")}
    return Manifest(**facts, files={name: FileNote(**note) for name, note in told["files"].items()})


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
