"""Writes the records of matches of the lab: files like those of a server, one for each match, not synchronised."""

import time
from importlib.metadata import version
from pathlib import Path

from referee.lab.lab_match import LabMatch
from referee.lab.match_player import PlayedMatch
from referee.live.ports import Entry
from referee.local.results_folder import ENDING, VOID_ENDING
from referee.match.result import EndKind
from referee.records.record_format import format_record
from referee.records.signing_key import load_or_create

KEY = "lab.key"
"""File of the key that signs the records, in the folder beside that of the records."""


class LabRecords:
    def __init__(self, folder: Path) -> None:
        """Use the key of this folder, which is created if there is none. Raises KeyUnusable."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._key = load_or_create(folder.parent / KEY)
        self._referee = version("referee")

    def write(self, match: LabMatch, played: PlayedMatch) -> None:
        """Write the record of a match, which has just ended."""
        match_id = match.setup.match_id
        began_ms = (time.time_ns() - played.match.at_us * 1000) // 1_000_000
        entries = [
            Entry(match_id, number, began_ms + event.at_us // 1000, event)
            for number, event in enumerate(played.events, 1)
        ]
        assert played.match.result
        ending = VOID_ENDING if played.match.result.kind is EndKind.VOID else ENDING
        file = self._folder / f"{match.name}{ending}"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"".join(format_record(entries, self._key, self._referee)))
