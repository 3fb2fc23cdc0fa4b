"""Rule options: declared once, described, and parsed.

A game declares `Options`; a person or a program chooses some by name; out come `Settings`, a value
with every option in it. Unknown names and values are refused, and the known are named.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from engines.refusals import BadOption, UnknownOption, UnknownPreset

Value: TypeAlias = str | int | bool

DIGITS_AT_MOST = 9
EXAMPLES_AT_MOST = 5


@dataclass(frozen=True)
class Settings:
    """Every option of a game with its value, in the order of their declaration."""

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
        """Name to value as text, as a wire or a log holds them."""
        return {name: written(value) for name, value in self.values}


@dataclass(frozen=True)
class Option(ABC):
    """A rule that can be set: its name, its default, and one sentence on what it means."""

    name: str
    default: Value
    meaning: str
    late: bool = field(default=False, kw_only=True)
    """Declared after games had been recorded. Settings that do not name it mean its default. Late options come last."""

    @property
    @abstractmethod
    def known(self) -> str:
        """What it takes, in words."""

    @property
    @abstractmethod
    def examples(self) -> tuple[Value, ...]:
        """Values worth trying, the default first: all of them, where they can be counted."""

    @abstractmethod
    def parse(self, raw: Value) -> Value:
        """The value, from itself or from its text. Raises BadOption."""

    @abstractmethod
    def schema(self) -> dict[str, object]:
        """A JSON Schema of the value."""


@dataclass(frozen=True)
class Choice(Option):
    """One of several words."""

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
    """Yes or no."""

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
    """A whole number between two bounds, both included."""

    least: int = field(kw_only=True)
    most: int = field(kw_only=True)

    @property
    def known(self) -> str:
        return f"a whole number from {self.least} to {self.most}"

    @property
    def examples(self) -> tuple[Value, ...]:
        few = self.most - self.least < EXAMPLES_AT_MOST
        values = range(self.least, self.most + 1) if few else (self.least,)
        return (self.default, *(value for value in values if value != self.default))

    def parse(self, raw: Value) -> Value:
        if isinstance(raw, str) and raw.isascii() and raw.isdigit() and len(raw) <= DIGITS_AT_MOST:
            raw = int(raw)
        if isinstance(raw, int) and not isinstance(raw, bool) and self.least <= raw <= self.most:
            return raw
        raise BadOption(self.name, raw, self.known)

    def schema(self) -> dict[str, object]:
        return {"type": "integer", "minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Text(Option):
    """Any text up to some length; the game itself says which texts it can use."""

    takes: str = field(kw_only=True)
    most_chars: int = field(kw_only=True)
    canonical: Callable[[str], str] = field(default=str, kw_only=True)
    """The form in which a text is kept, which says the same and is its own canonical form. Raises BadOption."""

    @property
    def known(self) -> str:
        return f"{self.takes}, of {self.most_chars} characters at the most"

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
    """A named set of options: a variant that people know by name."""

    name: str
    meaning: str
    chosen: Mapping[str, Value]


@dataclass(frozen=True)
class Options:
    """All the options and presets of a game."""

    declared: tuple[Option, ...]
    presets: tuple[Preset, ...] = ()

    def settings(self, chosen: Mapping[str, Value], preset: str | None = None) -> Settings:
        """Each option as chosen, or as the preset has it, or by default.

        Raises UnknownOption, UnknownPreset or BadOption.
        """
        names = {option.name for option in self.declared}
        for name in chosen:
            if name not in names:
                raise UnknownOption(name, ", ".join(option.name for option in self.declared))
        wanted = {**self._preset(preset), **chosen}
        return Settings(
            tuple((option.name, option.parse(wanted.get(option.name, option.default))) for option in self.declared)
        )

    def completed(self, settings: Settings) -> Settings:
        """The same settings with the default of every late option that they do not name."""
        named = {name for name, _ in settings.values}
        missing = tuple((it.name, it.default) for it in self.declared if it.late and it.name not in named)
        return Settings((*settings.values, *missing)) if missing else settings

    def _preset(self, name: str | None) -> Mapping[str, Value]:
        if name is None:
            return {}
        for preset in self.presets:
            if preset.name == name:
                return preset.chosen
        known = ", ".join(preset.name for preset in self.presets) or "none: this game has no presets"
        raise UnknownPreset(name, known)

    def schema(self) -> dict[str, object]:
        """A JSON Schema (2020-12) of a choice of options."""
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
    """A value as text: what `Option.parse` reads back."""
    return str(value).lower() if isinstance(value, bool) else str(value)
