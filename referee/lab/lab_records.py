"""Records of matches of the lab: in one packed file, or as files like those of a server, which are not synchronised.

Each worker makes the records of its matches, and packs them. The process that hands out the matches writes them, so a
packed file has one writer.
"""

import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from referee.lab.lab_match import LabMatch
from referee.lab.match_player import PlayedMatch
from referee.live.ports import Entry
from referee.local.results_folder import ENDING
from referee.match.result import EndKind
from referee.records.packed_format import MAX_RECORD_BYTES, StoredRecord, zstandard
from referee.records.packed_records import EncodedGroup, encode_groups
from referee.records.record_format import RecordHeader, format_record
from referee.records.short_record import max_full_bytes, write_short
from referee.records.signing_key import load_or_create

KEY = "lab.key"
"""File of the key that signs the records, in the folder beside that of the records, or beside their packed file."""
VOID_ENDING = ".void.jsonl"
"""End of the name of a file with the record of a void match."""
PACKED_ENDING = ".pack"
LEVEL = 3
"""Level of compression: a tenth of the time of that of `referee records pack`, and a fifth more bytes."""


def is_packed_name(records: str | Path) -> bool:
    """Return whether a path is that of a packed file, and not of a folder."""
    return str(records).endswith(PACKED_ENDING)


class LabRecords:
    def __init__(self, path: Path) -> None:
        """Use the key beside the folder or packed file, which is created if there is none.

        Raises KeyUnusable or PackageMissing.
        """
        self._path = path
        self._packed = is_packed_name(path)
        if self._packed:
            zstandard()
        (path.parent if self._packed else path).mkdir(parents=True, exist_ok=True)
        self._key = load_or_create(path.parent / KEY)
        self._referee = version("referee")
        self._stored: list[StoredRecord] = []

    def add(self, match: LabMatch, played: PlayedMatch) -> None:
        """Make the record of a match, which has just ended."""
        began_ms = (time.time_ns() - played.match.at_us * 1000) // 1_000_000
        if self._packed:
            setup = match.setup
            header = RecordHeader(self._referee, setup.match_id, setup.terms.game, setup.game_version).body()
            short = write_short(header, played.items, began_ms)
            if short and (full_bytes := max_full_bytes(short)) <= MAX_RECORD_BYTES:
                self._stored.append(StoredRecord(setup.match_id, short, False, full_bytes))
                return
        entries = [
            Entry(match.setup.match_id, number, began_ms + event.at_us // 1000, event)
            for number, event in enumerate(played.events, 1)
        ]
        self._write_file(match, played, b"".join(format_record(entries, self._key, self._referee)))

    def take_groups(self) -> Sequence[EncodedGroup]:
        """Return the records since the last call as groups of a packed file; none if they are files of their own."""
        stored, self._stored = self._stored, []
        return list(encode_groups(stored, LEVEL, self._key))

    def _write_file(self, match: LabMatch, played: PlayedMatch, record: bytes) -> None:
        assert played.match.result
        ending = VOID_ENDING if played.match.result.kind is EndKind.VOID else ENDING
        folder = self._path.with_suffix("") if self._packed else self._path
        file = folder / f"{match.name}{ending}"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(record)
