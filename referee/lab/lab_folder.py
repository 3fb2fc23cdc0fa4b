"""Results folder of a lab run: the plan that it belongs to, one line for each result, records, and the bots' logs."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from referee.lab.lab_match import RESULT_DECODER, RESULT_ENCODER, LabResult
from referee.lab.lab_records import PACKED_ENDING
from referee.local.results_folder import ENDING, ResultsFolder
from referee.records.packed_format import PackageMissing
from referee.records.packed_reader import SEPARATOR, PackedFile
from referee.records.packed_records import PackedRecords
from referee.records.record_reader import RecordInvalid
from referee.server.stores import StartupError
from referee.storage.sqlite.database import DataDirLock, DataDirLocked

RESULTS = "results.jsonl"
PAGE = "report.html"
LOCK = "lab.lock"
"""Held by a run: two at once would write each match twice."""
PACKED = f"records{PACKED_ENDING}"


class LabFolder(ResultsFolder):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.results = path / RESULTS
        self.page = path / PAGE
        self.packed = path / PACKED
        """The packed file of records."""
        self._lock: DataDirLock | None = None

    def names_of_records(self, results: Iterable[LabResult]) -> dict[str, str]:
        """Return how the record of each match is named, by the names of the matches; those without one are left out."""
        packed, names = self._packed_ids(), dict[str, str]()
        for result in results:
            file = self.records / f"{result.name}{ENDING}"
            if result.match_id in packed:
                names[result.name] = f"{self.packed}{SEPARATOR}{result.match_id}"
            elif file.exists():
                names[result.name] = str(file)
        return names

    def drop_unfinished(self, results: Iterable[LabResult]) -> None:
        """Remove the records of matches that have no result, because the run was interrupted: they are played again.

        Raises StartupError.
        """
        if not self.packed.exists():
            return
        try:
            with PackedRecords(self.packed) as packed:
                packed.keep_only({result.match_id for result in results})
        except (RecordInvalid, PackageMissing, OSError) as error:
            raise StartupError(f"cannot use {self.packed}: {error}") from None

    def _packed_ids(self) -> set[str]:
        if not self.packed.exists():
            return set()
        with self.packed.open("rb") as file:
            return {match_id for group in PackedFile(file).groups() for match_id, _, _ in group.index.records}

    def open(self, plan: str) -> dict[str, LabResult]:
        """Claim the folder for a plan, and return the results of earlier runs by the names of their matches.

        It is locked until `close`. Raises TermsChanged if the folder belongs to another plan, or StartupError.
        """
        self.create()
        try:
            self._lock = DataDirLock(self.path, LOCK)
        except DataDirLocked as error:
            raise StartupError(f"cannot use {self.path}: {error}") from None
        except OSError as error:
            raise StartupError(f"cannot write to {self.path}: {error.strerror}") from None
        self.check_plan(plan)
        self.claim(plan)
        try:
            return self._read()
        except OSError as error:
            raise StartupError(f"cannot use {self.results}: {error.strerror}") from None

    def close(self) -> None:
        """Release the folder. Idempotent."""
        if self._lock:
            self._lock.release()

    def append(self, results: Sequence[LabResult]) -> None:
        """Append results. They are not synchronised: after a power cut the last matches are played again."""
        with self.results.open("ab") as file:
            file.write(RESULT_ENCODER.encode_lines(results))

    def _read(self) -> dict[str, LabResult]:
        """Read all results, and cut off what an interrupted run has written only in part."""
        if not self.results.exists():
            return {}
        content = self.results.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        try:
            found = RESULT_DECODER.decode_lines(whole)
        except msgspec.MsgspecError as error:
            raise StartupError(
                f"{self.results} has a line that is no result ({error}); choose another folder"
            ) from None
        if len(whole) < len(content):
            self.results.write_bytes(whole)
        return {result.name: result for result in found}
