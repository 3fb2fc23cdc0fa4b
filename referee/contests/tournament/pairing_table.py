"""Progress of all pairings of a tournament: a persistent mapping, cheap to change, search and pickle.

A tournament may have eighty thousand pairings, and most events change one of them. The table therefore consists of
immutable chunks. A change replaces one chunk and shares all others, and what is computed from a chunk is cached in it.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, ValuesView
from functools import cached_property
from itertools import chain

from referee.contests.pairing import DueMatch
from referee.contests.pairing_progress import PairingProgress

CHUNK_SIZE = 256

PLAY_OFF_PREFIX = "p"
"""Beginning of the ids of pairings of a play-off, which are planned after all others."""


class PairingChunk:
    """Progress of consecutive pairings."""

    def __init__(self, pairings: tuple[PairingProgress, ...]) -> None:
        self.pairings = pairings
        self._pickled = b""

    @cached_property
    def open_pairings(self) -> tuple[PairingProgress, ...]:
        """Pairings that are not done."""
        return tuple(progress for progress in self.pairings if not progress.is_done)

    @cached_property
    def matches_in_play(self) -> tuple[DueMatch, ...]:
        """Matches that were created and have no result yet."""
        return tuple(due for progress in self.open_pairings for due in progress.matches_in_play)

    @cached_property
    def waiting_matches(self) -> tuple[DueMatch, ...]:
        """Matches that may be played now and were not created yet."""
        return tuple(
            due
            for progress in self.open_pairings
            for due in progress.due_matches
            if (due.number, due.attempt) not in progress.match_ids
        )

    @cached_property
    def last_round(self) -> int:
        return max(progress.pairing.round for progress in self.pairings)

    def pickle(self) -> bytes:
        """Return the pickled pairings. They are pickled once, however often other chunks change."""
        if not self._pickled:
            self._pickled = pickle.dumps(self.pairings)
        return self._pickled

    def __reduce__(self) -> tuple[Callable[[bytes], "PairingChunk"], tuple[bytes]]:
        return _unpickle_chunk, (self.pickle(),)


def _unpickle_chunk(pickled: bytes) -> PairingChunk:
    return PairingChunk(pickle.loads(pickled))


class PairingTable(Mapping[str, PairingProgress]):
    """Progress by pairing id, in the order of planning. Immutable: methods return a new table."""

    def __init__(self, chunks: tuple[PairingChunk, ...] = ()) -> None:
        self.chunks = chunks
        self._places = {progress.pairing.id: place for place, progress in enumerate(_iterate(chunks))}

    def __getitem__(self, pairing: str) -> PairingProgress:
        number, place = divmod(self._places[pairing], CHUNK_SIZE)
        return self.chunks[number].pairings[place]

    def __contains__(self, pairing: object) -> bool:
        return pairing in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def values(self) -> ValuesView[PairingProgress]:
        return _Values(self)

    def with_new(self, new: Iterable[PairingProgress]) -> "PairingTable":
        """Return the table with further pairings at the end."""
        full = self.chunks[: len(self) // CHUNK_SIZE]
        rest = (*chain.from_iterable(chunk.pairings for chunk in self.chunks[len(full) :]), *new)
        chunks = (PairingChunk(rest[first : first + CHUNK_SIZE]) for first in range(0, len(rest), CHUNK_SIZE))
        places = {progress.pairing.id: place for place, progress in enumerate(rest, len(full) * CHUNK_SIZE)}
        return _table_of((*full, *chunks), {**self._places, **places})

    def with_changed(self, progress: PairingProgress) -> "PairingTable":
        """Return the table with new progress of one pairing."""
        number, place = divmod(self._places[progress.pairing.id], CHUNK_SIZE)
        old = self.chunks[number].pairings
        chunk = PairingChunk((*old[:place], progress, *old[place + 1 :]))
        return _table_of((*self.chunks[:number], chunk, *self.chunks[number + 1 :]), self._places)

    def without(self, dropped: Collection[str]) -> "PairingTable":
        """Return the table without some pairings."""
        return PairingTable().with_new(progress for progress in self.values() if progress.pairing.id not in dropped)

    def with_departure(self, name: str) -> "PairingTable":
        """Return the table after an entrant has left all its open pairings."""
        return _table_of(tuple(_chunk_with_departure(chunk, name) for chunk in self.chunks), self._places)

    @property
    def open_pairings(self) -> list[PairingProgress]:
        """Pairings that are not done."""
        return list(chain.from_iterable(chunk.open_pairings for chunk in self.chunks))

    @property
    def open_count(self) -> int:
        return sum(len(chunk.open_pairings) for chunk in self.chunks)

    @property
    def matches_in_play(self) -> list[DueMatch]:
        """Matches that were created and have no result yet."""
        return list(chain.from_iterable(chunk.matches_in_play for chunk in self.chunks))

    @property
    def waiting_matches(self) -> list[DueMatch]:
        """Matches that may be played now and were not created yet, whatever the limit on concurrent matches."""
        return list(chain.from_iterable(chunk.waiting_matches for chunk in self.chunks))

    @property
    def last_round(self) -> int:
        """0 if nothing is planned."""
        return max((chunk.last_round for chunk in self.chunks), default=0)

    @property
    def play_off(self) -> list[PairingProgress]:
        """Pairings of the play-off. Empty: there is none."""
        if not self.chunks or not self.chunks[-1].pairings[-1].pairing.id.startswith(PLAY_OFF_PREFIX):
            return []
        return [progress for progress in self.values() if progress.pairing.id.startswith(PLAY_OFF_PREFIX)]

    @property
    def first_open_round(self) -> int | None:
        """None if all planned pairings are done."""
        return min((progress.pairing.round for chunk in self.chunks for progress in chunk.open_pairings), default=None)

    def forfeit_counts(self) -> Counter[str]:
        """Return how many matches each entrant lost by a fault of its own, plus the pairings that it left."""
        forfeits: Counter[str] = Counter()
        for progress in self.values():
            forfeits.update(progress.departed)
            forfeits.update(name for absent in progress.absent_boards.values() for name in absent)
            for score in progress.scores.values():
                forfeits.update(set(score.forfeited))
        return forfeits

    def no_show_counts(self) -> Counter[str]:
        """Return how many pairings each entrant lost by absence."""
        return Counter(name for progress in self.values() for name in progress.absent)

    def __reduce__(self) -> tuple[type["PairingTable"], tuple[tuple[PairingChunk, ...]]]:
        return PairingTable, (self.chunks,)


class _Values(ValuesView[PairingProgress]):
    """Iterates over chunks, which is faster than looking up each pairing."""

    _mapping: PairingTable

    def __iter__(self) -> Iterator[PairingProgress]:
        return _iterate(self._mapping.chunks)


def _iterate(chunks: Iterable[PairingChunk]) -> Iterator[PairingProgress]:
    return chain.from_iterable(chunk.pairings for chunk in chunks)


def _table_of(chunks: tuple[PairingChunk, ...], places: dict[str, int]) -> PairingTable:
    """Return a table without recomputing the index."""
    table = PairingTable()
    table.chunks, table._places = chunks, places
    return table


def _chunk_with_departure(chunk: PairingChunk, name: str) -> PairingChunk:
    affected = {progress.pairing.id for progress in chunk.open_pairings if name in progress.pairing.entrants}
    if not affected:
        return chunk
    return PairingChunk(
        tuple(
            progress.with_departure(name) if progress.pairing.id in affected else progress
            for progress in chunk.pairings
        )
    )
