"""Writes the record of a match in the form in which a packed file stores it, in a fraction of the time of doing both.

The result is what `packed_format.store_record` makes of the lines of `record_format.format_record`. Nearly all lines of
a record are moves with a clock charge, whose numbers are known before they are text: they are not searched for.
"""

from collections.abc import Sequence
from functools import lru_cache

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import UNSET

from referee.match.clock import Clock
from referee.match.clock_charge import ClockCharge
from referee.match.events import Event, MatchCreated, MovePlayed, MoveSource
from referee.records.packed_format import StoredRecord, split_numbers, stored_form
from referee.records.record_format import (
    MAX_LINE_BYTES,
    RecordHeader,
    RecordLine,
    SignatureLine,
    encode_event,
    hash_of,
    signed_bytes,
)
from referee.records.signing_key import public_hex
from referee.storage.codec import STORED_VERSION

MOVES_CACHE_SIZE = 10_000
_encode = msgspec.json.Encoder().encode
_BY_BOT = MoveSource.BOT
_SAMPLE = MovePlayed(
    11, 12, "13.14.15", "", _BY_BOT, ClockCharge(16, 17, 18, 19, 20, 21, Clock(22, 23, 24), Clock(25, 26, 27), False)
)
"""A move with a different number in each field."""


class StoredRecordWriter:
    """Writes records that are signed by one key."""

    def __init__(self, key: Ed25519PrivateKey, referee: str) -> None:
        """`referee` is the version of the referee, for information."""
        self._key = key
        self._public = public_hex(key)
        self._referee = referee

    def write(self, events: Sequence[Event], began_ms: int) -> StoredRecord:
        """Return the record of a match that is over, given all its events and the Unix time at which it was created.

        Raises LineTooLong.
        """
        created = events[0]
        assert isinstance(created, MatchCreated)
        setup = created.setup
        header = RecordHeader(self._referee, setup.match_id, setup.terms.game, setup.game_version).body()
        lines = _StoredLines(header)
        for number, event in enumerate(events, 1):
            at_ms = began_ms + event.at_us // 1000
            if not (type(event) is MovePlayed and lines.add_move(number, at_ms, event)):
                lines.add(b'{"entry":%d,"at_ms":%d,"event":%s' % (number, at_ms, encode_event(event).encode("ascii")))
        lines.sign(SignatureLine(len(events), self._public, lines.last_hash), self._key)
        content = lines.content()
        return StoredRecord(setup.match_id, content or lines.whole(), content is None, lines.full_bytes)


class _StoredLines:
    """The lines of one record so far."""

    def __init__(self, header: bytes) -> None:
        self.last_hash = ""
        self.full_bytes = 0
        self._bodies: list[bytes] = []
        """All lines up to their hashes, in case that the record is stored whole."""
        self._texts: list[bytes] = []
        """All lines without their hashes, and with places for their numbers."""
        self._numbers: list[Sequence[int]] = []
        self._signature = ""
        self.add(header)

    def add(self, text: bytes) -> None:
        """Add any line, given without its hashes."""
        after = f',"after":"{self.last_hash}"'.encode("ascii") if self.last_hash else b""
        stored, numbers = split_numbers(text)
        self._append(text + after, stored, numbers)

    def add_move(self, number: int, at_ms: int, move: MovePlayed) -> bool:
        """Add the line of a move; return False, and add nothing, if it is an unusual one."""
        row, stored = move.row, _stored_move(move.move)
        if (
            row is None
            or stored is None
            or row.late
            or move.source is not _BY_BOT
            or move.request_id
            or move.score is not UNSET
        ):
            return False
        event = _encode(move)[1:]
        if b":-" in event:  # A negative number is no number of a packed line.
            return False
        numbers = _numbers(number, at_ms, move, row)
        body = b'{"entry":%d,"at_ms":%d,"event":{"v":%d,%b,"after":"%b"' % (
            number,
            at_ms,
            STORED_VERSION,
            event,
            self.last_hash.encode("ascii"),
        )
        self._append(body, stored, numbers)
        return True

    def sign(self, line: SignatureLine, key: Ed25519PrivateKey) -> None:
        """Add the last line."""
        body = line.body()
        self._signature = key.sign(signed_bytes(hash_of(body))).hex()
        text = body.removesuffix(f',"after":"{line.after}"'.encode("ascii"))
        signature = f',"signature":"{self._signature}"'.encode("ascii")
        stored, numbers = split_numbers(text + signature)
        self._append(body, stored, numbers)
        self.full_bytes += len(signature)

    def content(self) -> bytes | None:
        """Return the stored form; None if the record has to be stored whole."""
        return stored_form(self._texts, self._numbers)

    def whole(self) -> bytes:
        *lines, last = self._bodies
        return b"".join([*[RecordLine(line, hash_of(line)).line() for line in lines], self._signed(last)])

    def _signed(self, last: bytes) -> bytes:
        return RecordLine(last, hash_of(last), self._signature).line()

    def _append(self, body: bytes, stored: bytes, numbers: Sequence[int]) -> None:
        self.last_hash = hash_of(body)
        if len(body) > MAX_LINE_BYTES // 2:
            RecordLine(body, self.last_hash).line()  # Raises LineTooLong.
        self._bodies.append(body)
        self._texts.append(stored)
        self._numbers.append(numbers)
        self.full_bytes += len(body) + len(',"hash":""}\n') + len(self.last_hash)


def _numbers(number: int, at_ms: int, move: MovePlayed, row: ClockCharge) -> tuple[int, ...]:
    """Return the numbers in the line of a move, in their order."""
    before, after = row.before, row.after
    seat, ply, attempt = move.token.split(".")
    return (
        number,
        at_ms,
        STORED_VERSION,
        move.at_us,
        move.seat,
        int(seat),
        int(ply),
        int(attempt),
        row.asked_us,
        row.arrived_us,
        row.network_us,
        row.network_credit_us,
        row.stall_us,
        row.charged_us,
        before.left_us,
        before.periods,
        before.moves,
        after.left_us,
        after.periods,
        after.moves,
    )


@lru_cache(maxsize=MOVES_CACHE_SIZE)
def _stored_move(move: str) -> bytes | None:
    """Return the stored text of the line of a move; None if it is not one that `_numbers` and `_encode` can write."""
    sample = msgspec.structs.replace(_SAMPLE, move=move)
    assert sample.row
    line = '{"entry":9,"at_ms":10,"event":' + encode_event(sample)
    stored, numbers = split_numbers(line.encode("ascii"))
    plain = line.encode("ascii").endswith(_encode(sample)[1:])
    return stored if plain and tuple(numbers) == _numbers(9, 10, sample, sample.row) else None
