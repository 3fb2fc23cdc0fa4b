"""Verifies the record of a contest: format, hash chain, signature, and the contest itself by deciding it again.

Pairings, lots, rating changes and standings are computed again and compared, entry by entry. Results of matches are
compared with the records of these matches. The file is read twice, because a long log should neither be held in memory
nor be decided before its signature is known to be valid.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from msgspec.structs import replace

from engines.api import Game
from engines.game_errors import DetailedError, UnknownGame, shortened
from referee.contests.contest_entrant import EntrantJoined
from referee.contests.corrections import check_ranks
from referee.contests.ladder.commands import CorrectMatch
from referee.contests.ladder.decide import decide as decide_ladder
from referee.contests.ladder.events import MatchCorrected, MatchRated, SeasonStarted
from referee.contests.ladder.rating_replay import RatingReplay, corrected_match, rate_again
from referee.contests.ladder.state import Ladder
from referee.contests.pairing import DueMatch
from referee.contests.tournament.decide import decide as decide_tournament
from referee.contests.tournament.events import PairingsPlanned, ScoreCorrected
from referee.hosting.contest_log import LADDER, TOURNAMENT, ContestEntry, LadderCreated, TournamentCreated, contest_id
from referee.hosting.ladder_state import LadderFold, LadderState, with_time
from referee.hosting.match_factory import ContestState
from referee.hosting.tournament_corrections import score_correction
from referee.hosting.tournament_state import TournamentState, fold_tournament
from referee.records.contest_commands import ladder_command, tournament_command
from referee.records.contest_record import (
    ContestResult,
    RecordedEvent,
    contest_results,
    decode_contest_event,
    describe_difference,
    kind_of,
)
from referee.records.match_results import MatchResults
from referee.records.record_format import MAX_CONTEST_LINE_BYTES, ContestHeader, parse_header, split_line
from referee.records.record_reader import LineReader, RecordInvalid, RecordStatus, VerificationResult, read_raw_lines
from referee.records.signing_key import fingerprint
from referee.records.verify import FindGame, check_key, verify_file

MAX_RATED_AGAIN = 1_000_000
"""Limit of matches that are rated again because of corrections: some minutes of work."""

MAX_LADDER_ENTRANTS = 10_000
"""Limit of entrants of a ladder that is verified, since a planning takes time for each pair of them."""


def verify_any(path: Path, expected_key: str | None, find_game: FindGame, records: Path | None) -> VerificationResult:
    """Return the result of verifying the record of a match or of a contest.

    `records` is the folder with the records of the matches of a contest; None: its results are not compared.
    """
    try:
        with path.open("rb") as file:
            first = split_line(file.readline(MAX_CONTEST_LINE_BYTES))
            file.seek(0)
            if first and isinstance(parse_header(first.body), ContestHeader):
                return verify_contest(file, expected_key, find_game, records)
            return verify_file(file, expected_key, find_game)
    except OSError as error:
        return VerificationResult(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}")


def verify_contest(
    file: BinaryIO, expected_key: str | None, find_game: FindGame, records: Path | None
) -> VerificationResult:
    """Verify the record of a contest, as `verify_any` does. Raises OSError."""
    try:
        key = _check_form(file)
        check_key(key, expected_key)
        file.seek(0)
        replay = _ContestReplay(find_game, MatchResults(records, key, find_game) if records else None)
        for entry, following in _with_following(_read_entries(file)):
            replay.take(entry, following)
        replay.finish()
    except RecordInvalid as trouble:
        return trouble.verdict
    compared = "the key expected" if expected_key else "not compared with any key you trust"
    return VerificationResult(RecordStatus.FINE, f"{replay.summary()}; signed by {fingerprint(key)}, {compared}")


def _check_form(file: BinaryIO) -> str:
    """Return the key that signed the file."""
    reader = LineReader(MAX_CONTEST_LINE_BYTES)
    for line in read_raw_lines(file, MAX_CONTEST_LINE_BYTES):
        reader.take(line)
    return reader.finish()


@dataclass(frozen=True, slots=True)
class _RecordedEntry:
    contest: str
    """Id of the contest, as the header states it."""
    number: int
    at_ms: int
    event: RecordedEvent


def _read_entries(file: BinaryIO) -> Iterator[_RecordedEntry]:
    """Yield the entries. Raises RecordInvalid, also if the file was changed since its form was checked."""
    reader = LineReader(MAX_CONTEST_LINE_BYTES)
    for raw in read_raw_lines(file, MAX_CONTEST_LINE_BYTES):
        line = reader.take(raw)
        if line and isinstance(reader.header, ContestHeader):
            event = reader.event_of(line, decode_contest_event)
            yield _RecordedEntry(reader.header.contest, line.number, line.at_ms, event)
    reader.finish()


def _with_following(entries: Iterable[_RecordedEntry]) -> Iterator[tuple[_RecordedEntry, RecordedEvent | None]]:
    """Yield each entry with the event after it."""
    before: _RecordedEntry | None = None
    for entry in entries:
        if before:
            yield before, entry.event
        before = entry
    if before:
        yield before, None


class _ContestReplay:
    """Decides a contest again. Every method raises RecordInvalid at the first entry that differs."""

    def __init__(self, find_game: FindGame, results: MatchResults | None) -> None:
        self._find_game = find_game
        self._results = results
        self._games: Mapping[str, Game] = {}
        self._fold: Callable[[Any, ContestEntry], ContestState] = fold_tournament
        self._state: ContestState | None = None
        self._number = 0
        self._expected: deque[RecordedEvent] = deque()
        """Events that follow from the last command, and are not yet compared."""
        self._rated: list[MatchRated | SeasonStarted] = []
        """What the ratings of a ladder follow from, for corrections, without rating changes."""
        self._rated_again = 0

    def take(self, entry: _RecordedEntry, following: RecordedEvent | None) -> None:
        """Compare the next entry with what follows from those before it."""
        self._number = entry.number
        try:
            if self._state is None:
                self._begin(entry)
            else:
                self._compare(self._state, entry, following)
        except RecordInvalid:
            raise
        except DetailedError as error:
            self._differ(f"the record says {kind_of(entry.event)}, but that is not possible: {error}")
        except Exception as fault:  # The file may contain anything.
            self._differ(f"the record says {kind_of(entry.event)}, and that cannot be decided: {fault!r}")

    def finish(self) -> None:
        if self._state is None or not self._state.over:
            self._differ("it is the last one, and the contest is not over")
        if self._expected:
            self._differ(f"it is the last one, and by the rules {kind_of(self._expected[0])} follows")

    def summary(self) -> str:
        assert self._state
        told = f"{self._state.contest}, {self._number} entries"
        if self._results is None:
            return f"{told}; results not compared with the records of the matches"
        return f"{told}; {self._results.compared} results as in the records of the matches"

    def _begin(self, entry: _RecordedEntry) -> None:
        created = entry.event
        if not isinstance(created, LadderCreated | TournamentCreated):
            self._differ(f"it is the first one, and says {kind_of(created)}, not what the contest is")
        kind = LADDER if isinstance(created, LadderCreated) else TOURNAMENT
        if contest_id(kind, created.name) != entry.contest:
            self._differ("it creates another contest than the first line names")
        try:
            games = {terms.game: self._find_game(terms.game) for terms in created.terms.match_terms}
        except UnknownGame as unknown:
            sentence = f"it is whole and signed, but cannot be decided again: {unknown}"
            raise RecordInvalid(RecordStatus.UNKNOWN_GAME, sentence) from None
        for terms in created.terms.match_terms:
            terms.with_defaults(games[terms.game], 0).check(games[terms.game])
        self._games = games
        if isinstance(created, LadderCreated):
            self._fold = LadderFold(games)
        state = self._fold(None, ContestEntry(entry.contest, entry.number, entry.at_ms, created))
        if isinstance(state, LadderState):
            duplicate = state.ladder.terms.duplicate
            if duplicate and not 2 <= duplicate.arrangements <= state.ladder.terms.table_size:
                self._differ(f"its sets cannot have {duplicate.arrangements} matches")
        self._state = state

    def _compare(self, state: ContestState, entry: _RecordedEntry, following: RecordedEvent | None) -> None:
        if not self._expected:
            self._expected.extend(self._decide(state, entry.event, following))
        if not self._expected:
            self._differ(f"the record says {kind_of(entry.event)}, and nothing before it leads to that")
        again = _as_far_as_known(entry.event, self._expected.popleft())
        if entry.event != again:
            self._differ(describe_difference(entry.event, again))
        if isinstance(again, ContestResult):
            return
        if self._results:
            self._results.check(state, again, self._number)
        self._state = self._fold(state, ContestEntry(entry.contest, entry.number, entry.at_ms, again))
        if isinstance(again, MatchRated | SeasonStarted):
            rated = replace(with_time(again, entry.at_ms), changes=()) if isinstance(again, MatchRated) else again
            self._rated.append(rated)
        if self._state.over and not isinstance(following, MatchCorrected | ScoreCorrected):
            self._expected.extend(contest_results(self._state, self._rated))

    def _decide(
        self, state: ContestState, event: RecordedEvent, following: RecordedEvent | None
    ) -> Iterable[RecordedEvent]:
        """Return the events of the command that caused `event`; empty: there is none."""
        if state.over and not isinstance(event, MatchCorrected | ScoreCorrected):
            return ()
        if isinstance(state, LadderState) and isinstance(event, MatchCorrected):
            return self._correct(state.ladder, event)
        if isinstance(state, TournamentState) and isinstance(event, ScoreCorrected):
            return self._correct_score(state, event)
        if isinstance(state, TournamentState):
            command = tournament_command(state.tournament, event)
            return decide_tournament(state.tournament, command, now_ms=1) if command else ()
        self._check_size(state, event, following)
        rated = ladder_command(state.ladder, event, following)
        return decide_ladder(state.ladder, rated) if rated else ()

    def _correct(self, ladder: Ladder, event: MatchCorrected) -> Iterable[RecordedEvent]:
        """Return the correction of a match, after rating all matches so far again."""
        correction = event.correction
        season = ladder.rated_matches.season_of(correction.match_id)
        rated = (past for past in self._rated if isinstance(past, MatchRated) and past.match_id == correction.match_id)
        if season is None or (played := next(rated, None)) is None:
            self._differ(f"it corrects {shortened(correction.match_id)}, which was not rated")
        self._rated_again += len(self._rated)
        if self._rated_again > MAX_RATED_AGAIN:
            self._differ(f"corrections that rate more than {MAX_RATED_AGAIN} matches again are not verified")
        check_ranks(correction, len(played.finish.sides))
        new = {correction.match_id: corrected_match(correction, played)}
        corrections = {**ladder.rated_matches.corrections, **new}
        replay, _ = rate_again(RatingReplay(season), self._rated, corrections)
        return decide_ladder(ladder, CorrectMatch(correction, played, replay))

    def _correct_score(self, state: TournamentState, event: ScoreCorrected) -> Iterable[RecordedEvent]:
        """Return the correction of a match, with the score that follows from the ranks of its sides."""
        progress = state.tournament.pairings[event.pairing]
        due = DueMatch(progress.pairing, event.number, progress.current_attempt(event.number))
        command = score_correction(state, due, event.correction, self._games)
        return decide_tournament(state.tournament, command, now_ms=1)

    def _check_size(self, state: LadderState, *events: RecordedEvent | None) -> None:
        """Reject events that would take long to decide."""
        for event in events:
            if isinstance(event, EntrantJoined) and len(state.ladder.entrants) >= MAX_LADDER_ENTRANTS:
                self._differ(f"a ladder of more than {MAX_LADDER_ENTRANTS} entrants is not verified")
            if isinstance(event, MatchRated) and len(event.finish.players) > sum(map(len, state.sides)):
                self._differ("a match has more players than its game has seats")

    def _differ(self, how: str) -> NoReturn:
        raise RecordInvalid(RecordStatus.RULES_DIFFER, f"entry {self._number}: {how}")


def _as_far_as_known(recorded: RecordedEvent, again: RecordedEvent) -> RecordedEvent:
    """Return the event that follows, with the recorded time before which nothing starts: nobody else knows the time."""
    if isinstance(recorded, PairingsPlanned) and isinstance(again, PairingsPlanned) and again.not_before_ms:
        return replace(again, not_before_ms=max(1, recorded.not_before_ms))
    return again
