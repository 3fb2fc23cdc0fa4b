"""Plays batches of matches in one process: the bots that it runs, and what it writes."""

import gc
import time
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from engines.api import Game
from engines.registry import games
from referee.lab.lab_bots import LabBot, LabBotRefused, RunningBot, seed_bots, start_bot
from referee.lab.lab_match import LabMatch, LabResult, lab_result
from referee.lab.lab_records import LabRecords
from referee.lab.lab_turn import LabTurn
from referee.lab.match_player import BotFailure, Interruptions, SeatedBot, failure_text, play_match
from referee.match.setup import Setup, match_chance
from referee.match.state import Match
from referee.records.packed_records import EncodedGroup

GC_THRESHOLD = 50_000
"""Objects between two searches for garbage: a match has few cycles, and each search visits all that it has made."""
BOTS_SEED = "bots"
"""Fork of a match's random numbers that seeds those of its bots."""


@cache
def installed_games() -> Mapping[str, Game]:
    """Return all games by name, which are looked for once: that takes as long as hundreds of moves."""
    return games()


class LabJob(Struct, frozen=True):
    """What every worker of a run has in common."""

    bots: Mapping[str, LabBot]
    logs: str = ""
    """Folder of the bots' logs. Empty: there are none."""
    records: str = ""
    """Folder of the records, or their packed file. Empty: none are written."""


class PlayedBatch(Struct, frozen=True):
    """What comes out of a batch."""

    results: Sequence[LabResult]
    seconds: float
    groups: Sequence[EncodedGroup]
    """Records that are to be added to the packed file."""


class LabWorker:
    def __init__(self, job: LabJob, interruptions: Interruptions = ()) -> None:
        """Raises LabBotRefused, KeyUnusable or PackageMissing."""
        self._games = installed_games()
        self._interruptions = interruptions
        self._logs = Path(job.logs) if job.logs else None
        self._records = LabRecords(Path(job.records)) if job.records else None
        self._bots: dict[str, RunningBot] = {}
        for name, bot in job.bots.items():
            self._bots[name] = start_bot(bot, self._log(name))
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD)

    def check(self) -> None:
        """Raise LabBotRefused if a bot cannot play."""
        for name, bot in self._bots.items():
            try:
                bot.check()
            except BotFailure as why:
                raise LabBotRefused(name, str(why)) from None

    def play(self, batch: Sequence[LabMatch]) -> PlayedBatch:
        begun = time.monotonic()
        results = [self._play(match) for match in batch]
        groups = self._records.take_groups() if self._records else ()
        return PlayedBatch(results, time.monotonic() - begun, groups)

    def close(self) -> None:
        for bot in self._bots.values():
            bot.close()

    def _play(self, match: LabMatch) -> LabResult:
        setup = match.setup
        seed_bots(match_chance(setup.seed, ()).fork(BOTS_SEED).seed)
        seats = [self._seat(name, setup, seat) for seat, name in enumerate(match.bots)]
        game = self._games[setup.terms.game]
        finished = play_match(setup, game, seats, interruptions=self._interruptions)
        for seat, why in finished.failures:
            self._report(match, seat, f"the bot failed, and resigned:\n{why}")
        for seat in range(len(match.bots)):
            self._end(match, finished.match, seat)
        if self._records:
            self._records.add(match, finished)
        return lab_result(match, finished)

    def _seat(self, name: str, setup: Setup, seat: int) -> SeatedBot:
        """Begin a match for a bot. If it fails, it resigns in its first turn."""
        try:
            return self._bots[name].seat(setup, seat)
        except self._interruptions:
            raise
        except BaseException as failure:
            return partial(_fail, failure)

    def _end(self, match: LabMatch, ended: Match, seat: int) -> None:
        """Tell a bot that a match is over. If it fails, only its log shows it."""
        try:
            self._bots[match.bots[seat]].end(ended, seat)
        except self._interruptions:
            raise
        except BaseException as failure:
            self._report(match, seat, f"the bot failed after the end:\n{failure_text(failure)}")

    def _report(self, match: LabMatch, seat: int, why: str) -> None:
        """Append the failure of a bot to its log."""
        if log := self._log(match.bots[seat]):
            with log.open("a", encoding="utf-8", errors="replace") as file:
                file.write(f"{match.name}, seat {seat}: {why.rstrip()}\n")

    def _log(self, bot: str) -> Path | None:
        return self._logs / f"{bot}.log" if self._logs else None


def _fail(failure: BaseException, _: LabTurn) -> NoReturn:
    raise failure
