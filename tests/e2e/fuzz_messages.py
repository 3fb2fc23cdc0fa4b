"""Random messages of any type, made from values that the server has sent and from values that it has not."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from random import Random
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

T = TypeVar("T")

MAX_DEPTH = 6
MAX_VALUES = 40
"""Number of recent values that are kept for each field; recent ones belong to what is still active."""

ALIASES = {
    "Match.id": "match_id",
    "Ladder.name": "ladder",
    "Tournament.name": "tournament",
    "Entrant.name": "entrants",
    "Token.id": "token_id",
    "Bot.name": "bot",
    "Game.name": "game",
    "Preset.name": "preset",
    "Turn.legal_moves": "move",
    "SeatToMove.legal_moves": "move",
}
"""Fields whose values have a longer name in other messages."""

ODD_TEXTS = (
    *("", " ", "\0", "\n", "a\tb", "\x7f\x1b[31m", "-1", "0", "9" * 40, "1e999", "NaN", "null", "{}", "../../etc"),
    *("é", "\u202egnirts", "\U0001f3b2" * 7, "\ufeff", "ﬀ", "Ⅳ", "٣", "%s%n{0}", "' OR 1 --", "a" * 65),
)
EDGES = (0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**64 - 1, -1, -2, -(2**31), -(2**63))
RANGES = {
    FieldDescriptor.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_ENUM: (-(2**31), 2**31 - 1),
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**64 - 1),
}
CHOICES = {
    FieldDescriptor.TYPE_BOOL: (False, True),
    FieldDescriptor.TYPE_DOUBLE: (0.0, -0.0, 0.5, 1.0, -1.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan")),
}


class KnownValues:
    """Values that the server has sent, by field name. They let generated messages refer to existing objects."""

    def __init__(self, excluded: Collection[str] = ()) -> None:
        """Remember nothing yet, and never any value in `excluded`, on which the test itself relies."""
        self._excluded = frozenset(excluded)
        self._values: defaultdict[str, deque[Any]] = defaultdict(lambda: deque(maxlen=MAX_VALUES))

    def learn(self, message: Message) -> None:
        for part in parts_of(message):
            for field, value in part.ListFields():
                names = {field.name, ALIASES.get(f"{part.DESCRIPTOR.name}.{field.name}", field.name)}
                for text in values_of(field, value):
                    if isinstance(text, str | bytes) and text not in self._excluded:
                        self._remember(text, names)

    def _remember(self, value: str | bytes, names: Collection[str]) -> None:
        for name in names:
            if value not in self._values[name]:
                self._values[name].append(value)

    def value(self, name: str, kind: type[T], rng: Random) -> T | None:
        """Return a random known value of a field with this name, or None."""
        fitting = [value for value in self._values.get(name, ()) if isinstance(value, kind)]
        return rng.choice(fitting) if fitting else None

    def any_value(self, kind: type[T], rng: Random) -> T | None:
        return self.value(rng.choice(sorted(self._values)), kind, rng) if self._values else None


class MessageGenerator:
    """Generator of messages. The same random source and known values produce the same messages."""

    def __init__(self, rng: Random, known: KnownValues) -> None:
        self._rng = rng
        self._known = known

    def message(self, descriptor: Descriptor, depth: int = 0) -> Message:
        """Return a random message of this type: each field is set or not, to any value of its type."""
        message = GetMessageClass(descriptor)()
        fullness = self._rng.choice((0.3, 0.7, 0.9))
        for field in descriptor.fields:
            if self._rng.random() < fullness and not (field.message_type and depth >= MAX_DEPTH):
                self._fill(message, field, depth)
        return message

    def mutated(self, message: Message, times: int) -> Message:
        """Return a copy in which a random field, at any depth, is replaced `times` times."""
        changed = type(message)()
        changed.CopyFrom(message)
        for _ in range(times):
            parts = [part for part in parts_of(changed) if part.DESCRIPTOR.fields]
            if parts:
                part = self._rng.choice(parts)
                fields: Any = part.DESCRIPTOR.fields  # The type stubs declare two kinds of fields.
                field = self._rng.choice(fields)
                part.ClearField(field.name)
                self._fill(part, field, MAX_DEPTH - 1)
        return changed

    def corrupted(self, data: bytes) -> bytes:
        """Return the bytes with a few of them replaced, removed or inserted."""
        corrupted = bytearray(data)
        for _ in range(self._rng.randint(1, 4)):
            at = self._rng.randrange(len(corrupted) + 1)
            corrupted[at : at + self._rng.randint(0, 3)] = self._rng.randbytes(self._rng.randint(0, 4))
        return bytes(corrupted)

    def random_bytes(self) -> bytes:
        return self._rng.randbytes(self._rng.choice((1, 2, 5, 30, 300, 5_000)))

    def _fill(self, message: Message, field: FieldDescriptor, depth: int) -> None:
        target = getattr(message, field.name)
        times = range(self._rng.choice((0, 1, 1, 2, 4, 9)))
        if is_map(field):  # All maps of the contract are from text to text.
            target.update({self._text(field.name): self._text(field.name) for _ in times})
        elif field.is_repeated:
            target.extend([self._value(field, depth) for _ in times])
        elif field.message_type:
            target.CopyFrom(self._value(field, depth))
        else:
            setattr(message, field.name, self._value(field, depth))

    def _value(self, field: FieldDescriptor, depth: int) -> Any:
        if field.message_type:
            return self.message(field.message_type, depth + 1)
        if field.type == FieldDescriptor.TYPE_STRING:
            return self._text(field.name)
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self._bytes(field.name)
        if field.type in CHOICES:
            return self._rng.choice(CHOICES[field.type])
        if field.enum_type and self._rng.random() < 0.8:
            return self._rng.choice([value.number for value in field.enum_type.values])
        least, most = RANGES[field.cpp_type]
        number = self._rng.choice((*EDGES, self._rng.randrange(100), self._rng.getrandbits(63)))
        return min(max(number, least), most)

    def _text(self, name: str) -> str:
        kind = self._rng.random()
        value = self._known.value(name, str, self._rng) if kind < 0.75 else self._known.any_value(str, self._rng)
        if value is None or kind > 0.85:
            return self._odd_text()
        return value if kind < 0.65 else self._misspelled(value)

    def _misspelled(self, value: str) -> str:
        letters = list(value)
        for _ in range(self._rng.randint(1, 3)):
            at = self._rng.randrange(len(letters) + 1)
            letters[at : at + self._rng.randint(0, 2)] = self._rng.choice((*ODD_TEXTS, "a", "1"))
        return "".join(letters)

    def _odd_text(self) -> str:
        if self._rng.random() < 0.02:
            return self._rng.choice("a0 é\n[,") * self._rng.choice((10_000, 300_000, 1_100_000))
        return self._rng.choice((*ODD_TEXTS, f"name-{self._rng.randrange(10)}"))

    def _bytes(self, name: str) -> bytes:
        known = self._known.value(name, bytes, self._rng)
        if known is not None and self._rng.random() < 0.4:
            return known
        return self._rng.randbytes(self._rng.choice((0, 1, 16, 31, 32, 33, 64, 5_000)))


def is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def values_of(field: FieldDescriptor, value: Any) -> list[Any]:
    """Return the values of a field; of a map, its keys and its values."""
    if is_map(field):
        return [*value.keys(), *value.values()]
    return list(value) if field.is_repeated else [value]


def parts_of(message: Message) -> Iterator[Message]:
    """Yield the message and all messages nested in it."""
    yield message
    for field, value in message.ListFields():
        for part in values_of(field, value):
            if isinstance(part, Message):
                yield from parts_of(part)
