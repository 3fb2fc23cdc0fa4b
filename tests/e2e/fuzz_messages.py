"""Random messages of any type, made from values that the server has sent and from values that it has not."""

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from random import Random
from typing import Any, TypeVar

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

T = TypeVar("T")

DEPTH = 6
WORDS_KEPT = 40
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

ODD_TEXTS = ("", " ", "\0", "\n", "a\tb", "\x7f\x1b[31m", "-1", "0", "9" * 40, "1e999", "NaN", "null", "{}")
MORE_ODD_TEXTS = (
    "../../etc",
    "é",
    "\u202egnirts",
    "\U0001f3b2" * 7,
    "\ufeff",
    "ﬀ",
    "Ⅳ",
    "٣",
    "%s%n{0}",
    "' OR 1 --",
    "a" * 65,
)
EDGES = (0, 1, 2, 3, 7, 255, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**64 - 1, -1, -2, -(2**31), -(2**63))
INTEGERS = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SINT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_SFIXED32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_ENUM: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_FIXED32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SINT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_SFIXED64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
    FieldDescriptor.TYPE_FIXED64: (0, 2**64 - 1),
}
REALS = (0.0, -0.0, 0.5, 1.0, -1.0, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"))


class Known:
    """Values that the server has sent, by field name. They let generated messages refer to existing objects."""

    def __init__(self, spared: Collection[str] = ()) -> None:
        """Remember nothing yet, and never any value in `spared`, on which the test itself relies."""
        self._spared = frozenset(spared)
        self._words: defaultdict[str, deque[Any]] = defaultdict(lambda: deque(maxlen=WORDS_KEPT))

    def hear(self, message: Message) -> None:
        for field, value in message.ListFields():
            names = {field.name, ALIASES.get(f"{message.DESCRIPTOR.name}.{field.name}", field.name)}
            for one in each(field, value):
                if isinstance(one, Message):
                    self.hear(one)
                elif isinstance(one, str | bytes) and one not in self._spared:
                    self._keep(one, names)

    def _keep(self, word: str | bytes, names: Collection[str]) -> None:
        for name in names:
            if word not in self._words[name]:
                self._words[name].append(word)

    def word(self, name: str, kind: type[T], chance: Random) -> T | None:
        """Return a random known value of a field with this name, or None."""
        fitting = [word for word in self._words.get(name, ()) if isinstance(word, kind)]
        return chance.choice(fitting) if fitting else None

    def any_word(self, kind: type[T], chance: Random) -> T | None:
        return self.word(chance.choice(sorted(self._words)), kind, chance) if self._words else None


class Inventor:
    """Generator of messages. The same random source and known values produce the same messages."""

    def __init__(self, chance: Random, known: Known) -> None:
        self._chance = chance
        self._known = known

    def message(self, descriptor: Descriptor, depth: int = 0) -> Message:
        """Return a random message of this type: each field is set or not, to any value of its type."""
        made = GetMessageClass(descriptor)()
        fullness = self._chance.choice((0.3, 0.7, 0.9))
        for field in descriptor.fields:
            nested = field.type == FieldDescriptor.TYPE_MESSAGE
            if self._chance.random() < fullness and not (nested and depth >= DEPTH):
                self._fill(made, field, depth)
        return made

    def mutated(self, message: Message, times: int) -> Message:
        """Return a copy in which a random field, at any depth, is replaced `times` times."""
        changed = type(message)()
        changed.CopyFrom(message)
        for _ in range(times):
            parts = [part for part in _parts(changed) if part.DESCRIPTOR.fields]
            if parts:
                part = self._chance.choice(parts)
                fields: Any = part.DESCRIPTOR.fields  # The type stubs declare two kinds of fields.
                field = self._chance.choice(fields)
                part.ClearField(field.name)
                self._fill(part, field, DEPTH - 1)
        return changed

    def garbled(self, data: bytes) -> bytes:
        """Return the bytes with a few of them replaced, removed or inserted."""
        garbled = bytearray(data)
        for _ in range(self._chance.randint(1, 4)):
            at = self._chance.randrange(len(garbled) + 1)
            garbled[at : at + self._chance.randint(0, 3)] = self._chance.randbytes(self._chance.randint(0, 4))
        return bytes(garbled)

    def noise(self) -> bytes:
        return self._chance.randbytes(self._chance.choice((1, 2, 5, 30, 300, 5_000)))

    def _fill(self, message: Message, field: FieldDescriptor, depth: int) -> None:
        held = getattr(message, field.name)
        if not field.is_repeated:
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                assert field.message_type
                held.CopyFrom(self.message(field.message_type, depth + 1))
            else:
                setattr(message, field.name, self._value(field, field.name))
        elif _is_map(field):
            self._fill_map(held, field, depth)
        else:
            values = [self._any_value(field, depth) for _ in range(self._chance.choice((0, 1, 1, 2, 4, 9)))]
            held.extend(values)

    def _fill_map(self, held: Any, field: FieldDescriptor, depth: int) -> None:
        assert field.message_type
        key, value = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        for _ in range(self._chance.choice((0, 1, 1, 2, 5))):
            if value.type == FieldDescriptor.TYPE_MESSAGE:
                held[self._value(key, field.name)].CopyFrom(self._any_value(value, depth))
            else:
                held[self._value(key, field.name)] = self._value(value, field.name)

    def _any_value(self, field: FieldDescriptor, depth: int) -> Any:
        if field.type != FieldDescriptor.TYPE_MESSAGE:
            return self._value(field, field.name)
        assert field.message_type
        return self.message(field.message_type, depth + 1)

    def _value(self, field: FieldDescriptor, name: str) -> Any:
        """Return a value for `field`. `name` is the field to look up; for parts of a map, the map's own name."""
        makers: dict[int, Callable[[str], Any]] = {
            FieldDescriptor.TYPE_STRING: self._text,
            FieldDescriptor.TYPE_BYTES: self._bytes,
            FieldDescriptor.TYPE_BOOL: lambda _: self._chance.random() < 0.5,
            FieldDescriptor.TYPE_DOUBLE: lambda _: self._chance.choice(REALS),
            FieldDescriptor.TYPE_FLOAT: lambda _: self._chance.choice(REALS[:5] + REALS[7:]),
        }
        if field.type in makers:
            return makers[field.type](name)
        if field.enum_type and self._chance.random() < 0.8:
            return self._chance.choice([value.number for value in field.enum_type.values])
        least, most = INTEGERS[field.type]
        number = self._chance.choice((*EDGES, self._chance.randrange(100), self._chance.getrandbits(63)))
        return min(max(number, least), most)

    def _text(self, name: str) -> str:
        kind = self._chance.random()
        word = self._known.word(name, str, self._chance) if kind < 0.75 else self._known.any_word(str, self._chance)
        if word is None or kind > 0.85:
            return self._odd_text()
        return word if kind < 0.65 else self._misspelt(word)

    def _misspelt(self, word: str) -> str:
        letters = list(word)
        for _ in range(self._chance.randint(1, 3)):
            at = self._chance.randrange(len(letters) + 1)
            letters[at : at + self._chance.randint(0, 2)] = self._chance.choice(ODD_TEXTS + MORE_ODD_TEXTS + ("a", "1"))
        return "".join(letters)

    def _odd_text(self) -> str:
        if self._chance.random() < 0.02:
            return self._chance.choice("a0 é\n[,") * self._chance.choice((10_000, 300_000, 1_100_000))
        return self._chance.choice((*ODD_TEXTS, *MORE_ODD_TEXTS, f"name-{self._chance.randrange(10)}"))

    def _bytes(self, name: str) -> bytes:
        known = self._known.word(name, bytes, self._chance)
        if known is not None and self._chance.random() < 0.4:
            return known
        return self._chance.randbytes(self._chance.choice((0, 1, 16, 31, 32, 33, 64, 5_000)))


def each(field: FieldDescriptor, value: Any) -> list[Any]:
    """Return the values of a field; of a map, its keys and its values."""
    if _is_map(field):
        return [*value.keys(), *value.values()]
    return list(value) if field.is_repeated else [value]


def _is_map(field: FieldDescriptor) -> bool:
    return bool(field.message_type and field.message_type.GetOptions().map_entry)


def _parts(message: Message) -> Iterator[Message]:
    """Yield the message and all messages nested in it."""
    yield message
    for field, value in message.ListFields():
        for one in each(field, value):
            if isinstance(one, Message):
                yield from _parts(one)
