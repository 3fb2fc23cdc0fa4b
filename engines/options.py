"""Rule options: declaration, description and parsing.

A game declares its `Options`. A person or a program chooses some of them by name, and gets `Settings`, which contain
every option. Unknown names and values are rejected with an error that lists the known ones.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from engines.game_errors import BadOption, UnknownOption, UnknownPreset

Value: TypeAlias = str | int | bool

MAX_DIGITS = 9
MAX_EXAMPLES = 5


@dataclass(frozen=True)
class Settings:
    """The value of every option of a game, in the order in which the options are declared."""

    values: tuple[tuple[str, Value], ...]

    def __getitem__(self, name: str) -> Value:
        return dict(self.values)[name]

    def choice(self, name: str) -> str:
        return str(self[name])

    def flag(self, name: str) -> bool:
        return self[name] is True

    def count(self, name: str) -> int:
        return int(self[name])

    def texts(self) -> dict[str, str]:
        """Return the values as text by option name, as they are written to the wire and to logs."""
        return {name: written(value) for name, value in self.values}


@dataclass(frozen=True)
class Option(ABC):
    """A rule that can be set: its name, its default value, and its meaning in one sentence."""

    name: str
    default: Value
    meaning: str
    late: bool = field(default=False, kw_only=True)
    """Whether the option was added after games had been recorded.

    Settings that do not contain it mean its default. Late options are declared last.
    """

    @property
    @abstractmethod
    def known(self) -> str:
        """Description of the accepted values, for error messages."""

    @property
    @abstractmethod
    def examples(self) -> tuple[Value, ...]:
        """Sample values, the default first; all values if there are only a few."""

    @abstractmethod
    def parse(self, raw: Value) -> Value:
        """Return the value that `raw`, a value or its text, stands for. Raises BadOption."""

    @abstractmethod
    def schema(self) -> dict[str, object]:
        """Return a JSON Schema of the value."""


@dataclass(frozen=True)
class Choice(Option):
    """An option whose value is one of several words."""

    choices: tuple[str, ...] = field(kw_only=True)

    @property
    def known(self) -> str:
        return " | ".join(self.choices)

    @property
    def examples(self) -> tuple[Value, ...]:
        return self.choices

    def parse(self, raw: Value) -> Value:
        if raw in self.choices:
            return raw
        raise BadOption(self.name, raw, self.known)

    def schema(self) -> dict[str, object]:
        return {"enum": list(self.choices)}


@dataclass(frozen=True)
class Flag(Option):
    """An option that is true or false."""

    @property
    def known(self) -> str:
        return "true | false"

    @property
    def examples(self) -> tuple[Value, ...]:
        return (self.default, not self.default)

    def parse(self, raw: Value) -> Value:
        if isinstance(raw, bool):
            return raw
        if raw in ("true", "false"):
            return raw == "true"
        raise BadOption(self.name, raw, self.known)

    def schema(self) -> dict[str, object]:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Count(Option):
    """An option whose value is a whole number between two inclusive bounds."""

    least: int = field(kw_only=True)
    most: int = field(kw_only=True)

    @property
    def known(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    @property
    def examples(self) -> tuple[Value, ...]:
        few = self.most - self.least < MAX_EXAMPLES
        values = range(self.least, self.most + 1) if few else (self.least,)
        return (self.default, *(value for value in values if value != self.default))

    def parse(self, raw: Value) -> Value:
        if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) <= MAX_DIGITS:
            raw = int(raw)
        if isinstance(raw, int) and not isinstance(raw, bool) and self.least <= raw <= self.most:
            return raw
        raise BadOption(self.name, raw, self.known)

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Text(Option):
    """An option whose value is a text of limited length; the game decides which texts are valid."""

    takes: str = field(kw_only=True)
    most_chars: int = field(kw_only=True)
    canonical: Callable[[str], str] = field(default=str, kw_only=True)
    """Function that returns the canonical form of a text, which is what is stored.

    It is idempotent, and raises BadOption.
    """

    @property
    def known(self) -> str:
        return f"{self.takes} of at most {self.most_chars} characters"

    @property
    def examples(self) -> tuple[Value, ...]:
        return (self.default,)

    def parse(self, raw: Value) -> Value:
        if isinstance(raw, str) and len(raw) <= self.most_chars:
            return self.canonical(raw)
        raise BadOption(self.name, raw, self.known)

    def schema(self) -> dict[str, object]:
        return {"type": "string", "maxLength": self.most_chars}


@dataclass(frozen=True)
class Preset:
    """A named set of options, such as a well-known variant."""

    name: str
    meaning: str
    chosen: Mapping[str, Value]


@dataclass(frozen=True)
class Options:
    """All options and presets of a game."""

    declared: tuple[Option, ...]
    presets: tuple[Preset, ...] = ()

    def settings(self, chosen: Mapping[str, Value], preset: str | None = None) -> Settings:
        """Return the value of every option: as chosen, else from the preset, else the default.

        Raises UnknownOption, UnknownPreset or BadOption.
        """
        if chosen:
            names = [option.name for option in self.declared]
            for name in chosen:
                if name not in names:
                    raise UnknownOption(name, names)
        wanted = {**self._preset(preset), **chosen}
        values = []
        for option in self.declared:
            name = option.name
            values.append((name, option.parse(wanted[name]) if name in wanted else option.default))
        return Settings(tuple(values))

    def completed(self, settings: Settings) -> Settings:
        """Return the settings with the defaults of all late options that they do not contain."""
        named = {name for name, _ in settings.values}
        missing = tuple((each.name, each.default) for each in self.declared if each.late and each.name not in named)
        return Settings((*settings.values, *missing)) if missing else settings

    def _preset(self, name: str | None) -> Mapping[str, Value]:
        if name is None:
            return {}
        for preset in self.presets:
            if preset.name == name:
                return preset.chosen
        names = [preset.name for preset in self.presets]
        raise UnknownPreset(name, names, ", ".join(names) or "none (this game has no presets)")

    def schema(self) -> dict[str, object]:
        """Return a JSON Schema (2020-12) of an object of chosen options."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": False,
            "properties": {
                option.name: {**option.schema(), "default": option.default, "description": option.meaning}
                for option in self.declared
            },
        }


def written(value: Value) -> str:
    """Return a value as text, in the form that `Option.parse` accepts."""
    return str(value).lower() if isinstance(value, bool) else str(value)
