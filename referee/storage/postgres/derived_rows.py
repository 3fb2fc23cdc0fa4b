"""Rows that are queried across matches and follow from the entries that a group appends.

They are collected from all appends of the group, and written by one statement for each table that changes.
"""

import json
from collections.abc import Sequence

from engines.api import Seat
from referee.live.match_request import LADDER, MAKER, TOURNAMENT
from referee.match.events import Event, MatchCreated, MovePlayed, PlayEnded, PlayStarted, SeatVacated, seated_bots
from referee.match.state import MatchPhase
from referee.storage.encoded_appends import ContestAppend, EncodedAppend
from referee.storage.postgres.database import Connection

SET_UNDELIVERED_ENDS = """
    INSERT INTO undelivered_ends (match, seat, bot) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
    ON CONFLICT (match, seat) DO UPDATE SET bot = excluded.bot
"""

DELETE_UNDELIVERED_ENDS = """
    DELETE FROM undelivered_ends USING unnest($1::bigint[], $2::bigint[]) AS vacated (match, seat)
    WHERE undelivered_ends.match = vacated.match AND undelivered_ends.seat = vacated.seat
"""

SET_SEATS = """
    INSERT INTO match_seats (match, seat, bot) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
    ON CONFLICT (match, seat) DO UPDATE SET bot = excluded.bot
"""

CREATE_SUMMARIES = """
    INSERT INTO match_summaries (match, created_ms, game, ladder, tournament, phase)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
"""

CHANGE_PHASES = """
    UPDATE match_summaries AS summary SET
        phase = change.phase,
        began = coalesce(change.began, summary.began),
        ended = coalesce(change.ended, summary.ended)
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS change (match, phase, began, ended)
    WHERE summary.match = change.match
"""

COUNT_STORED_BYTES = """
    INSERT INTO stored_bytes (holder, bytes)
    SELECT holder, sum(bytes) FROM (
        SELECT * FROM unnest($1::text[], $2::bigint[])
        UNION ALL
        SELECT maker_of(first.line), (
            SELECT coalesce(sum(length(line)), 0) FROM entries WHERE entries.match = first.match AND number > 1
        )
        FROM entries AS first WHERE first.match = ANY ($3::bigint[]) AND first.number = 1
    ) AS counted (holder, bytes)
    WHERE holder IS NOT NULL
    GROUP BY holder ORDER BY holder
    ON CONFLICT (holder) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes
"""
"""Counts first entries ($1, $2), and the other entries of matches that are over ($3)."""


class DerivedRows:
    """The rows that follow from the appends of one group."""

    def __init__(self, at_ms: int) -> None:
        self._at_ms = at_ms
        self._undelivered: dict[tuple[int, Seat], str] = {}
        self._vacated: dict[tuple[int, Seat], None] = {}
        self._seats: dict[tuple[int, Seat], str] = {}
        self._created: list[tuple[int, int, str, str | None, str | None, str]] = []
        self._phases: dict[int, tuple[MatchPhase, int | None, int | None]] = {}
        """By match: its phase, and the numbers of the entries by which play began and ended."""
        self._first_entries: list[tuple[str, int]] = []
        """Who created a match or contest, and the size of its first entry."""
        self._finished: list[int] = []

    def add(self, match: int, encoded: EncodedAppend) -> None:
        """Add an append to the log of a match, which has this key."""
        numbered = enumerate(zip(encoded.append.events, encoded.lines, strict=True), encoded.append.after + 1)
        for number, (event, line) in numbered:
            if type(event) is not MovePlayed:  # Most events, and none of the tables shows them.
                self._add_event(match, number, event, line)

    def add_contest(self, contest_append: ContestAppend) -> None:
        """Add an append to the log of a contest."""
        if contest_append.co_append.after == 0 and contest_append.lines:
            organiser = json.loads(contest_append.lines[0]).get("organiser")
            if organiser is not None:
                self._first_entries.append((organiser, len(contest_append.lines[0])))

    def _add_event(self, match: int, number: int, event: Event, line: str) -> None:
        for seat, bot in seated_bots(event).items():
            self._seats[match, seat] = bot
            if bot:
                self._undelivered[match, seat] = bot
                self._vacated.pop((match, seat), None)
            elif isinstance(event, SeatVacated):
                self._undelivered.pop((match, seat), None)
                self._vacated[match, seat] = None
        if isinstance(event, MatchCreated) and number == 1:
            self._add_created(match, event, line)
        elif isinstance(event, PlayStarted):
            self._phases[match] = (MatchPhase.PLAYING, number, None)
        elif isinstance(event, PlayEnded):
            _, began, _ = self._phases.get(match, (None, None, None))
            self._phases[match] = (MatchPhase.OVER, began, number)
            self._finished.append(match)

    def _add_created(self, match: int, event: MatchCreated, line: str) -> None:
        setup, labels = event.setup, dict(event.setup.labels)
        row = (setup.terms.game, labels.get(LADDER), labels.get(TOURNAMENT), MatchPhase.WAITING.value)
        self._created.append((match, self._at_ms, *row))
        if (maker := labels.get(MAKER)) is not None:
            self._first_entries.append((maker, len(line)))

    async def write(self, connection: Connection) -> None:
        """Write all rows, in the transaction that appends the entries, after them."""
        seats = [(match, seat, bot) for (match, seat), bot in self._seats.items()]
        undelivered = [(match, seat, bot) for (match, seat), bot in self._undelivered.items()]
        phases = [(match, phase.value, began, ended) for match, (phase, began, ended) in self._phases.items()]
        for statement, rows in (
            (SET_UNDELIVERED_ENDS, undelivered),
            (DELETE_UNDELIVERED_ENDS, list(self._vacated)),
            (CREATE_SUMMARIES, self._created),
            (CHANGE_PHASES, phases),
            (SET_SEATS, seats),
        ):
            if rows:
                await connection.execute(statement, *_columns(rows))
        if self._first_entries or self._finished:
            holders = [holder for holder, _ in self._first_entries]
            sizes = [size for _, size in self._first_entries]
            await connection.execute(COUNT_STORED_BYTES, holders, sizes, self._finished)


def _columns(rows: Sequence[Sequence[object]]) -> list[list[object]]:
    return [list(column) for column in zip(*rows, strict=True)]
