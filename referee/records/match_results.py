"""Compares the results in the record of a contest with the records of its matches, in a folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from engines.api import Game
from referee.contests.ladder.events import MatchRated
from referee.contests.pairing import ContestMatchScored, ContestMatchVoided, DueMatch
from referee.contests.pairing_progress import PairingProgress
from referee.hosting.contest_terms import tournament_seating
from referee.hosting.ladder_ratings import result_on_ladder
from referee.hosting.ladder_state import LadderState
from referee.hosting.match_factory import ContestState, match_request_for
from referee.live.match_request import LADDER, LiveLimits
from referee.match.moves_digest import digest_of_events
from referee.match.result import EndKind
from referee.match.setup import Player, Setup
from referee.match.state import Match
from referee.records.contest_record import RecordedEvent
from referee.records.record_format import MATCH_ID
from referee.records.record_reader import RecordInvalid, RecordStatus
from referee.records.verify import FindGame, verified_match


class MatchResults:
    def __init__(self, folder: Path, key: str, find_game: FindGame) -> None:
        """`key` must have signed the records, which have the names `MATCH.jsonl`."""
        self._folder = folder
        self._key = key
        self._find_game = find_game
        self._last: Match | None = None
        """The match of the last record, since a match is rated in the entry after its score."""
        self._digest = ""
        """Digest of its moves."""
        self.compared = 0
        """Number of matches whose result was compared."""

    def check(self, state: ContestState, event: RecordedEvent, number: int) -> None:
        """Compare what an event says of a match, if it says anything, with the record of that match.

        `state` is the contest before the event, and `number` that of its entry. Raises RecordInvalid.
        """
        try:
            if isinstance(event, ContestMatchScored | ContestMatchVoided):
                self._check_due(state, event)
            elif isinstance(event, MatchRated) and isinstance(state, LadderState):
                self._check_rated(state, event)
        except RecordInvalid as trouble:
            raise RecordInvalid(trouble.verdict.status, f"entry {number}: {trouble}") from None

    def _check_due(self, state: ContestState, event: ContestMatchScored | ContestMatchVoided) -> None:
        """Compare the setup and the result of a match that the contest has created."""
        progress = _progress_of(state, event.pairing)
        due = DueMatch(progress.pairing, event.number, progress.current_attempt(event.number))
        match = self._match(progress.match_ids.get((due.number, due.attempt), ""))
        games = {terms.game: self._find_game(terms.game) for terms in state.terms.match_terms}
        _check_setup(state, due, match, games)
        if isinstance(event, ContestMatchVoided):
            if _counts(state, match, games):
                _differ(f"match {match.setup.match_id} is void by the contest, and has a result by its own record")
            return
        if match.result is None or match.result.kind is EndKind.VOID:
            _differ(f"match {match.setup.match_id} has a score, and is void by its own record")
        if isinstance(state, LadderState):  # The rating of the match, which follows, contains the same result.
            return
        moves = self._digest if event.score.moves else ""  # Earlier releases recorded no digest of the moves.
        score = tournament_seating(state.terms, games).score(due, match.result, moves)
        if score != event.score:
            _differ(f"the score of {match.setup.match_id} is {event.score}, and by its own record {score}")

    def _check_rated(self, state: LadderState, event: MatchRated) -> None:
        """Compare players, versions and ranks of a rated match, including those that the ladder has not created."""
        match = self._match(event.match_id)
        if dict(match.setup.labels).get(LADDER) != state.name:
            _differ(f"match {event.match_id} was not played for this ladder")
        games = {game: self._find_game(game) for game in {match.terms.game}}
        result = result_on_ladder(state, match, games)
        if result is None:
            _differ(f"match {event.match_id} is rated, and is void by its own record")
        if (result.finish, result.forfeited) != (event.finish, event.forfeited):
            _differ(f"match {event.match_id} ended otherwise by its own record: {match.result}")

    def _match(self, match_id: str) -> Match:
        """Return the match of a valid record."""
        if not MATCH_ID.fullmatch(match_id):
            _differ("a match has a result, and was never started")
        if self._last and self._last.setup.match_id == match_id:
            return self._last
        try:
            with (self._folder / f"{match_id}.jsonl").open("rb") as file:
                record, match = verified_match(file, self._key, self._find_game)
        except OSError as error:
            sentence = f"the record of match {match_id} cannot be read: {error.strerror}"
            raise RecordInvalid(RecordStatus.RECORD_MISSING, sentence) from None
        except RecordInvalid as trouble:
            raise RecordInvalid(trouble.verdict.status, f"the record of match {match_id}: {trouble}") from None
        if match.setup.match_id != match_id:
            _differ(f"the record named {match_id} is that of match {match.setup.match_id}")
        self._last, self._digest = match, digest_of_events([entry.event for entry in record.entries])
        self.compared += 1
        return match


def _progress_of(state: ContestState, pairing: str) -> PairingProgress:
    pairings: Mapping[str, PairingProgress] = (
        state.ladder.pairings if isinstance(state, LadderState) else state.tournament.pairings
    )
    return pairings[pairing]


def _counts(state: ContestState, match: Match, games: Mapping[str, Game]) -> bool:
    """Return whether the match has a result for its contest."""
    if isinstance(state, LadderState):
        return result_on_ladder(state, match, games) is not None
    return match.result is not None and match.result.kind is not EndKind.VOID


def _check_setup(state: ContestState, due: DueMatch, match: Match, games: Mapping[str, Game]) -> None:
    """Check that a match has the players, start, terms and labels that follow from its contest."""
    seating = state.seating if isinstance(state, LadderState) else tournament_seating(state.terms, games)
    setup = match.setup
    wanted = seating.players(due, {name: state.players_of(due, name) for name in due.seats})
    if isinstance(state, LadderState):  # An entrant may have left during the match, and come back with another version.
        wanted = tuple(Player(player.bot) for player in wanted)
    if len(wanted) != len(match.players) or not all(map(_is_played_by, wanted, match.players)):
        _differ(f"match {setup.match_id} of {due.id} was played by {', '.join(player.bot for player in match.players)}")
    request = replace(match_request_for(state, due, wanted), players=setup.players)
    limits = LiveLimits(start_timeout_us=setup.terms.start_timeout_us)
    expected = request.setup(setup.match_id, request.seed or setup.seed, games, limits)
    for name in Setup.__struct_fields__:
        if getattr(setup, name) != getattr(expected, name):
            _differ(f"match {setup.match_id} of {due.id} has another {name.replace('_', ' ')} by its own record")


def _is_played_by(wanted: Player, player: Player) -> bool:
    return wanted.bot == player.bot and wanted.version in ("", player.version)


def _differ(how: str) -> NoReturn:
    raise RecordInvalid(RecordStatus.RULES_DIFFER, how)
