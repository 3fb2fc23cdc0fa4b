"""The courses of a tournament's pairings: a mapping that is cheap to change, to look through and to send elsewhere.

A tournament may have eighty thousand pairings, and with most entries of its log one of them changes. So the courses
are kept in parts that never change. A change makes one part anew and shares all others, and what is computed of a
part is computed once.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, ValuesView
from functools import cached_property
from itertools import chain

from referee.contest.pairing import Course, Due

PART_SIZE = 256


class Part:
    """Courses of pairings that were planned one after the other."""

    def __init__(self, courses: tuple[Course, ...]) -> None:
        self.courses = courses
        self._pickled = b""

    @cached_property
    def open(self) -> tuple[Course, ...]:
        """Those that are not done."""
        return tuple(course for course in self.courses if not course.done)

    @cached_property
    def playing(self) -> tuple[Due, ...]:
        """Matches that have begun and have no result yet."""
        return tuple(due for course in self.open for due in course.playing)

    @cached_property
    def waiting(self) -> tuple[Due, ...]:
        """Matches that may be played now and have not begun."""
        return tuple(
            due for course in self.open for due in course.due if (due.number, due.attempt) not in course.match_ids
        )

    @cached_property
    def last_round(self) -> int:
        return max(course.pairing.round for course in self.courses)

    def pickle(self) -> bytes:
        """Return the courses as `pickle` writes them. They are written once, however often others change."""
        if not self._pickled:
            self._pickled = pickle.dumps(self.courses)
        return self._pickled

    def __reduce__(self) -> tuple[Callable[[bytes], "Part"], tuple[bytes]]:
        return _part, (self.pickle(),)


def _part(pickled: bytes) -> Part:
    return Part(pickle.loads(pickled))


class Courses(Mapping[str, Course]):
    """By the pairing's id, in the order of planning. It never changes: each method returns another one."""

    def __init__(self, parts: tuple[Part, ...] = ()) -> None:
        self.parts = parts
        self._places = {course.pairing.id: place for place, course in enumerate(_all(parts))}

    def __getitem__(self, pairing: str) -> Course:
        number, place = divmod(self._places[pairing], PART_SIZE)
        return self.parts[number].courses[place]

    def __contains__(self, pairing: object) -> bool:
        return pairing in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def values(self) -> ValuesView[Course]:
        return _Values(self)

    def planned(self, new: Iterable[Course]) -> "Courses":
        """With courses of new pairings behind all others."""
        full = self.parts[: len(self) // PART_SIZE]
        rest = (*chain.from_iterable(part.courses for part in self.parts[len(full) :]), *new)
        parts = (Part(rest[first : first + PART_SIZE]) for first in range(0, len(rest), PART_SIZE))
        places = {course.pairing.id: place for place, course in enumerate(rest, len(full) * PART_SIZE)}
        return _courses((*full, *parts), {**self._places, **places})

    def changed(self, course: Course) -> "Courses":
        """With that course instead of the one of the same pairing."""
        number, place = divmod(self._places[course.pairing.id], PART_SIZE)
        old = self.parts[number].courses
        part = Part((*old[:place], course, *old[place + 1 :]))
        return _courses((*self.parts[:number], part, *self.parts[number + 1 :]), self._places)

    def without(self, name: str) -> "Courses":
        """After the entrant has left: the open pairings in which it is go on without it."""
        return _courses(tuple(_without(part, name) for part in self.parts), self._places)

    @property
    def open(self) -> list[Course]:
        """Those that are not done."""
        return list(chain.from_iterable(part.open for part in self.parts))

    @property
    def open_count(self) -> int:
        return sum(len(part.open) for part in self.parts)

    @property
    def playing(self) -> list[Due]:
        """Matches that have begun and have no result yet."""
        return list(chain.from_iterable(part.playing for part in self.parts))

    @property
    def waiting(self) -> list[Due]:
        """Matches that may be played now and have not begun, however many may be in play."""
        return list(chain.from_iterable(part.waiting for part in self.parts))

    @property
    def last_round(self) -> int:
        """0: nothing is planned."""
        return max((part.last_round for part in self.parts), default=0)

    @property
    def first_open_round(self) -> int | None:
        """None: everything that is planned is done."""
        return min((course.pairing.round for part in self.parts for course in part.open), default=None)

    def __reduce__(self) -> tuple[type["Courses"], tuple[tuple[Part, ...]]]:
        return Courses, (self.parts,)


class _Values(ValuesView[Course]):
    """Iterates over the parts, which is faster than to look up each course."""

    _mapping: Courses

    def __iter__(self) -> Iterator[Course]:
        return _all(self._mapping.parts)


def _all(parts: Iterable[Part]) -> Iterator[Course]:
    return chain.from_iterable(part.courses for part in parts)


def _courses(parts: tuple[Part, ...], places: dict[str, int]) -> Courses:
    """Return courses whose places are known already."""
    made = Courses()
    made.parts, made._places = parts, places
    return made


def _without(part: Part, name: str) -> Part:
    left = {course.pairing.id for course in part.open if name in course.pairing.entrants}
    if not left:
        return part
    return Part(tuple(course.without(name) if course.pairing.id in left else course for course in part.courses))
