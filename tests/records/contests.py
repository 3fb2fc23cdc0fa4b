"""Records of contests that were played by a whole host, with the records of their matches."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.contests.tournament.commands import RequestBye
from referee.contests.tournament.tournament_terms import TournamentFormat
from referee.hosting.contest_log import ContestEntry
from referee.hosting.contest_terms import HostedLadderTerms
from referee.hosting.ladder_state import LadderFold
from referee.hosting.match_factory import ContestState
from referee.hosting.tournament_state import fold_tournament
from referee.live.log_history import replay
from referee.match.state import MatchPhase
from referee.records.contest_record import ContestRecordWriter
from referee.records.record_format import format_record
from referee.records.record_reader import RecordStatus, VerificationResult
from referee.records.verify_contest import verify_any
from tests.hosting.harness import HostingHarness, Store, cup_terms, tournament_request
from tests.hosting.ladder_harness import open_with_ladder, rated, until
from tests.live.referee_harness import GAMES
from tests.records.forgery import KEY
from tests.records.matches import find_game


@dataclass(frozen=True)
class PlayedContest:
    """The log of a contest that is over, and the records of its matches by id."""

    entries: tuple[ContestEntry, ...]
    records: dict[str, bytes]

    def write(self, folder: Path, entries: Sequence[ContestEntry] | None = None) -> Path:
        """Write the records into `folder/records`, and the record of the contest, whose path is returned."""
        (folder / "records").mkdir(exist_ok=True)
        for match_id, record in self.records.items():
            (folder / "records" / f"{match_id}.jsonl").write_bytes(record)
        file = folder / "contest.jsonl"
        file.write_bytes(contest_record(self.entries if entries is None else entries))
        return file

    def verdict(self, folder: Path, entries: Sequence[ContestEntry] | None = None) -> VerificationResult:
        """Return the result of verifying the contest with the records of its matches."""
        return verify_any(self.write(folder, entries), None, find_game, folder / "records")

    def first_difference(self, folder: Path, entries: Sequence[ContestEntry]) -> str:
        """Return the first difference that is found in a log with these entries, signed by the referee itself."""
        verdict = self.verdict(folder, entries)
        assert verdict.status is RecordStatus.RULES_DIFFER, verdict
        return verdict.sentence


def contest_record(entries: Sequence[ContestEntry]) -> bytes:
    """Return the record of a contest with these entries, and with the standings that follow from them."""
    writer = ContestRecordWriter(entries[0].contest, KEY, "0.1.0")
    fold: Any = LadderFold(GAMES) if entries[0].contest.startswith("ladder/") else fold_tournament
    *_, last = replay(fold, entries)
    state: ContestState = last.state
    return b"".join([writer.header, *writer.entries(entries), *writer.end(state)])


async def played_contest(harness: HostingHarness, contest: str) -> PlayedContest:
    """Return a contest that is over, after closing its host."""
    for match_id in await harness.store.match_ids():
        while (await harness.referee.status(match_id)).match.phase is not MatchPhase.OVER:
            await asyncio.sleep(0)
    await harness.close()
    matches = harness.store.matches
    records = {match_id: await matches.read(match_id) for match_id in await harness.store.match_ids()}
    return PlayedContest(
        tuple(await matches.contests.read(contest)),
        {match_id: b"".join(format_record(entries, KEY, "0.1.0")) for match_id, entries in records.items()},
    )


async def played_ladder(terms: HostedLadderTerms, matches: int = 30, bots: str = "abcdef") -> PlayedContest:
    """Return a ladder after that many matches."""
    harness = await open_with_ladder(terms, *bots)
    harness.connect(*bots)
    await until(harness, rated(matches // 2))
    await harness.ladders.start_season("main", "org/season")
    await harness.ladders.challenge("main", "org/challenge", (bots[0], bots[1]))
    await harness.ladders.leave("main", bots[-1], "done")
    await until(harness, rated(matches // 2))
    await harness.ladders.close("main")
    await until(harness, lambda state: state.over)
    return await played_contest(harness, "ladder/main")


async def played_cup(form: TournamentFormat, *bots: str, byes: Sequence[RequestBye] = (), **more: Any) -> PlayedContest:
    store = Store()
    await store.register(*bots)
    harness = HostingHarness(store)
    await harness.open()
    await harness.tournaments.create(tournament_request(cup_terms(form, **more), *bots))
    for bye in byes:
        await harness.tournaments.request_bye("cup", bye)
    await harness.tournaments.start("cup")
    harness.connect(*bots)
    await harness.until_over("cup")
    return await played_contest(harness, "tournament/cup")


def run(work: Coroutine[Any, Any, PlayedContest]) -> PlayedContest:
    return asyncio.run(work)
