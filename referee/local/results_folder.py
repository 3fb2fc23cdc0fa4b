"""Results folder of a local contest: its records, the logs of the referee and the bots, and what resuming it takes.

A contest resumes from the database of its server, so the folder also has the plan, which must not change, and the
administrator's token. Each game of an arena has a folder of its own inside, with its plan, records and report.
"""

from pathlib import Path

from engines.game_errors import DetailedError
from referee.server.stores import StartupError

ENDING = ".jsonl"
FAILED = (b"match ", b" and resigns")
"""What the clients log in one line when the code of a bot fails."""


class TermsChanged(DetailedError):
    """The results folder contains a contest with other terms."""

    def __init__(self, file: str, differing: str) -> None:
        super().__init__(
            f"{file} was played with other {differing}; choose another folder with --out",
            file=file,
            differing=differing,
        )


class ResultsFolder:
    """Files of one contest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = path / "records"
        self.log = path / "referee.log"
        """Log of the referee."""
        self.bots = path / "bots"
        """Folder of the bots' log files."""
        self.data = path / "referee"
        """Data directory of the server."""
        self._plan = path / "plan.json"
        self._token = self.data / "token"

    def create(self) -> None:
        """Create the folder with that of the bots' logs. Raises StartupError."""
        try:
            self.bots.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartupError(f"cannot write to {self.path}: {error.strerror}") from None

    def bot_log(self, bot: str) -> Path:
        return self.bots / f"{bot}.log"

    def count_failures(self, bot: str) -> int:
        """Count the matches that a bot resigned because its code failed, by the latest part of its log."""
        log = self.bot_log(bot)
        lines = log.read_bytes().splitlines() if log.exists() else []
        return sum(all(part in line for part in FAILED) for line in lines)

    def record_of(self, pairing: str, number: int) -> Path:
        """Return the file of a match of a tournament's pairing, counted from 1."""
        return self.records / f"{pairing}.{number}{ENDING}"

    def check_plan(self, plan: str) -> None:
        """Raise TermsChanged if the folder was claimed for another plan."""
        if self._plan.exists() and self._plan.read_text(encoding="utf-8") != plan:
            raise TermsChanged(str(self._plan), "terms or entrants")

    def claim(self, plan: str) -> None:
        """Write the plan, so that the folder can only be used for it."""
        _write_atomically(self._plan, plan)

    def admin_token(self, given: str) -> str:
        """Save the administrator's token that the server has given at its first start, or return the saved one.

        Raises StartupError if there is none.
        """
        if given:
            _write_atomically(self._token, given)
        if not self._token.exists():
            raise StartupError(f"{self.data} belongs to another program; choose another folder with --out")
        return self._token.read_text(encoding="utf-8")


def _write_atomically(file: Path, text: str) -> None:
    """Write a file atomically, readable only by its owner."""
    part = file.with_name(f"{file.name}.part")
    part.touch(0o600)
    part.write_text(text, encoding="utf-8")
    part.replace(file)
