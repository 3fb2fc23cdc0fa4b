"""Verifies a record: format, hash chain, signature, and the match itself by replaying it.

Only answers of bots, measurements and decisions of people are taken from the record: an event that does not follow from
other events contains all data of its command, so anyone who has the record can decide the match again. Everything else
is computed again and compared, entry by entry.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from msgspec import UNSET, structs

from engines.api import Game, Seat
from engines.game_errors import SHOWN_CHARS, DetailedError, UnknownGame
from referee.match.adjudication import ADJUDICATION_REASONS
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import (
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    Command,
    DeclineDraw,
    DisconnectSeat,
    EndGracePeriod,
    FallFlag,
    OfferDraw,
    ReconnectSeat,
    Resign,
    ResumeMatch,
    StartPlay,
    SubmitMove,
    TakeSeat,
    VoidMatch,
    WithdrawBot,
)
from referee.match.decide import decide
from referee.match.decision import Decision
from referee.match.events import (
    DrawDeclined,
    DrawOffered,
    Event,
    FlagFell,
    MatchCreated,
    MovePlayed,
    MoveRejected,
    MoveSource,
    NonceAdded,
    PlayEnded,
    PlayStarted,
    RefereeRecovered,
    SeatDisconnected,
    SeatForfeited,
    SeatReconnected,
    SeatResigned,
    SeatTaken,
    SeatVacated,
)
from referee.match.result import VOID_CAUSES, EndCause
from referee.match.state import Match, MatchPhase, create_match
from referee.records.describe_event import describe, describe_difference, describe_seed
from referee.records.record_reader import MatchRecord, RecordInvalid, RecordStatus, VerificationResult, read_record
from referee.records.signing_key import fingerprint

FindGame = Callable[[str], Game]


def verify(path: Path, expected_key: str | None, find_game: FindGame) -> VerificationResult:
    """Return the result of verifying this file. No server is needed; `find_game` raises UnknownGame.

    `expected_key` is the public key, in hexadecimal, that must have signed the record; None: any key.
    """
    try:
        with path.open("rb") as file:
            return verify_file(file, expected_key, find_game)
    except OSError as error:
        return VerificationResult(RecordStatus.UNREADABLE, f"it cannot be read: {error.strerror}")


def verify_file(file: BinaryIO, expected_key: str | None, find_game: FindGame) -> VerificationResult:
    """Verify an open file, as `verify` does. Raises OSError."""
    try:
        record, match = verified_match(file, expected_key, find_game)
    except RecordInvalid as trouble:
        return trouble.verdict
    compared = "the key expected" if expected_key else "not compared with any key you trust"
    clauses = (
        f"match {match.setup.match_id}, {match.game.name}, {len(record.entries)} entries, {match.result}",
        describe_seed(match),
        f"signed by {fingerprint(record.key)}, {compared}",
    )
    return VerificationResult(RecordStatus.FINE, "; ".join(filter(None, clauses)))


def verified_match(file: BinaryIO, expected_key: str | None, find_game: FindGame) -> tuple[MatchRecord, Match]:
    """Return a valid record and the final state of its match. Raises RecordInvalid or OSError."""
    record = read_record(file)
    check_key(record.key, expected_key)
    return record, _played_again(record, find_game)


def check_key(key: str, expected: str | None) -> None:
    """Raises RecordInvalid if a record was signed by another key than expected. None: any key."""
    if expected not in (None, key):
        raise RecordInvalid(
            RecordStatus.OTHER_KEY,
            f"it is whole, but signed by {fingerprint(key)}, not by {fingerprint(expected)} as expected",
        )


def _played_again(record: MatchRecord, find_game: FindGame) -> Match:
    game = _game(record, find_game)
    try:
        _check_header(record)
        return replay_finished_match([entry.event for entry in record.entries], game)
    except ReplayMismatch as differs:
        raise RecordInvalid(RecordStatus.RULES_DIFFER, str(differs)) from None


def _game(record: MatchRecord, find_game: FindGame) -> Game:
    header = record.header
    try:
        game = find_game(header.game)
    except UnknownGame as unknown:
        raise RecordInvalid(
            RecordStatus.UNKNOWN_GAME, f"it is whole and signed, but cannot be played again: {unknown}"
        ) from None
    if game.version != header.game_version:
        raise RecordInvalid(
            RecordStatus.OTHER_GAME_VERSION,
            f"it is whole and signed, but was played by version {header.game_version} of {game.name}; "
            f"known here: {game.version}",
        )
    return game


def _check_header(record: MatchRecord) -> None:
    first, header = record.entries[0].event, record.header
    if not isinstance(first, MatchCreated):
        return
    says = (first.setup.match_id, first.setup.terms.game, first.setup.game_version)
    if says != (header.match_id, header.game, header.game_version):
        raise ReplayMismatch(1, "it opens another match, or another game, than the first line names")


class ReplayMismatch(Exception):
    """An entry does not follow by the rules. `str()` has the number of the first such entry and the difference."""

    def __init__(self, number: int, how: str) -> None:
        super().__init__(f"entry {number}: {how}")
        self.number = number


def replay_finished_match(events: Sequence[Event], game: Game) -> Match:
    """Replay the match; return its final state. Raises ReplayMismatch, also if the match is not over."""
    match = replay_and_compare(events, game)
    if match.phase is not MatchPhase.OVER:
        raise ReplayMismatch(len(events), "it is the last one, and the match is not over")
    return match


def replay_and_compare(events: Sequence[Event], game: Game) -> Match:
    """Replay the match, over or not; return its state. Raises ReplayMismatch at the first entry that differs."""
    match = _reopened(events[0], game)
    at = 1
    while at < len(events):
        remaining = events[at:]
        decided = _decided(match, remaining, at + 1)
        _compare(decided.events, remaining, at + 1)
        match = decided.match
        at += len(decided.events)
    return match


def _reopened(event: Event, game: Game) -> Match:
    if not isinstance(event, MatchCreated):
        raise ReplayMismatch(1, f"it is the first one, and says that {describe(event)}, not what the match is")
    try:
        event.setup.completed(game).check(game)
        return create_match(event, game)
    except DetailedError as error:
        raise ReplayMismatch(1, str(error)) from None
    except Exception as fault:
        raise ReplayMismatch(1, _broke(game, fault)) from None


def _broke(game: Game, fault: Exception) -> str:
    return f"the rules of {game.name} broke here: {fault!r}"


def _decided(match: Match, events: Sequence[Event], number: int) -> Decision:
    event = events[0]
    _check_times(match, event, number)
    command = command_for_event(match, event, events[1] if len(events) > 1 else None)
    if command is None:
        raise ReplayMismatch(number, f"the record says that {describe(event)}, and nothing before it leads to that")
    try:
        decided = decide(match, command, event.at_us)
    except DetailedError as error:
        raise ReplayMismatch(
            number, f"the record says that {describe(event)}, but that is not possible: {error}"
        ) from None
    if decided.fault:
        raise ReplayMismatch(number, _broke(match.game, decided.fault))
    if not decided.events:
        raise ReplayMismatch(number, f"the record says that {describe(event)}, and by the rules nothing happens")
    return decided


def _check_times(match: Match, event: Event, number: int) -> None:
    """Raise ReplayMismatch if times are impossible. Measurements that are possible are accepted as recorded."""
    if event.at_us < match.at_us:
        raise ReplayMismatch(number, f"match time runs backwards, from {match.at_us} µs to {event.at_us} µs")
    row = event.row if isinstance(event, MovePlayed | FlagFell) else None
    if row and (row.network_us < 0 or row.stall_us < 0 or not 0 <= row.arrived_us <= event.at_us):
        raise ReplayMismatch(number, "what its clock row says was measured cannot have been")


def _compare(follow: Sequence[Event], recorded: Sequence[Event], number: int) -> None:
    for place, again in enumerate(follow):
        if place == len(recorded):
            raise ReplayMismatch(number + place - 1, f"it is the last one, and by the rules {describe(again)} after it")
        was = recorded[place]
        known = _as_far_as_known(was, again)
        if was != known:
            raise ReplayMismatch(number + place, describe_difference(was, known))


def _as_far_as_known(recorded: Event, again: Event) -> Event:
    """Return the replayed event with the recorded values of fields that cannot be recomputed.

    These are ratings, which follow from other matches, and the reasons for an illegal move that was too long to be
    recorded completely.
    """
    if isinstance(recorded, PlayEnded) and isinstance(again, PlayEnded):
        return structs.replace(again, ratings=recorded.ratings)
    if not (
        isinstance(recorded, MoveRejected) and isinstance(again, MoveRejected) and len(recorded.move) > SHOWN_CHARS
    ):
        return again
    return structs.replace(again, reason=recorded.reason, rule=recorded.rule, sentence=recorded.sentence)


NextEvent: TypeAlias = Event | None
"""The event recorded after the one in question, if there is one."""


def command_for_event(match: Match, event: Event, following: NextEvent) -> Command | None:
    """Return the command to `match` that caused `event`, or None if it follows from another event."""
    if isinstance(event, MovePlayed):
        return _move(event, following)
    if isinstance(event, MoveRejected):
        return _attempt(event, following)
    if isinstance(event, PlayEnded):
        return _end(match, event)
    if isinstance(event, SeatVacated) or (isinstance(event, SeatForfeited) and event.cause == "withdrawn"):
        return WithdrawBot(_bot_of(match, event.seat))
    return COMMANDS[type(event)](event) if type(event) in COMMANDS else None


def _bot_of(match: Match, seat: Seat) -> str:
    """Return the bot of a seat; empty if the seat is open, so that it cannot be withdrawn, or does not exist."""
    return match.players[seat].bot if 0 <= seat < len(match.players) else ""


def _move(event: MovePlayed, following: NextEvent) -> Command | None:
    if event.source is not MoveSource.BOT or event.row is None:
        return None
    # A draw offer in the same microsecond came with the move; the same events would follow if it had come separately.
    offers = isinstance(following, DrawOffered) and (following.seat, following.at_us) == (event.seat, event.at_us)
    measured, score = event.row.measured, None if event.score is UNSET else event.score
    return SubmitMove(event.seat, event.token, event.move, measured, event.request_id, offers, score)


def _attempt(event: MoveRejected, following: NextEvent) -> Command:
    return SubmitMove(event.seat, event.token, event.move, _measured_of_attempt(event, following), event.request_id)


def _measured_of_attempt(event: MoveRejected, following: NextEvent) -> TurnMeasurement:
    """Return the measurement in the clock charge of the move played instead, or else one that is in time."""
    if isinstance(following, MovePlayed) and following.token == event.token and following.row:
        return following.row.measured
    return TurnMeasurement(arrived_us=0)


def _end(match: Match, event: PlayEnded) -> Command | None:
    result = event.result
    # The result does not depend on which seat aborted the match or claimed the draw.
    if result.cause in VOID_CAUSES:
        return VoidMatch(result.cause, result.reason)
    if match.owing and (result.cause is EndCause.DRAW_CLAIMED or (result.cause is EndCause.FAULT and match.forfeits)):
        return ClaimDraw(match.owing[0].seat)  # After a forfeit, the cause of a claimed draw is that fault.
    if result.cause is EndCause.ADJUDICATION and result.reason not in ADJUDICATION_REASONS:
        return AdjudicateMatch(result.side_ranks, result.reason)
    return None


def _flag(event: FlagFell) -> Command:
    if event.move or event.request_id:
        return SubmitMove(event.seat, event.token, event.move, event.row.measured, event.request_id)
    return FallFlag(event.seat, event.row.measured)


def _forfeit(event: SeatForfeited) -> Command | None:
    return EndGracePeriod(event.seat) if event.cause == "disconnected" else None


COMMANDS: dict[type, Callable[[Any], Command | None]] = {
    SeatTaken: lambda event: TakeSeat(event.seat, event.player),
    NonceAdded: lambda event: AddNonce(event.seat, event.nonce),
    PlayStarted: lambda _: StartPlay(),
    FlagFell: _flag,
    DrawOffered: lambda event: OfferDraw(event.seat),
    DrawDeclined: lambda event: DeclineDraw(event.seat),
    SeatResigned: lambda event: Resign(event.seat),
    SeatForfeited: _forfeit,
    SeatDisconnected: lambda event: DisconnectSeat(event.seat),
    SeatReconnected: lambda event: ReconnectSeat(event.seat),
    RefereeRecovered: lambda event: ResumeMatch(event.downtime_ms),
}
