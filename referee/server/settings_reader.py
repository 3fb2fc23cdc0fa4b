"""Reads the settings: flags override environment variables, which override the settings file.

An unknown name is an error in all three, so that a misspelled setting does not silently keep its default.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.external.declared_games import VARIABLE as GAMES
from engines.game_errors import nearest
from referee.server.setting_types import (
    DatabaseUrl,
    InvalidSetting,
    SettingsUnreadable,
    UnknownSetting,
    setting_text,
)
from referee.server.settings import SETTINGS, UNITS, Settings

PREFIX = "REFEREE_"
CONFIG = f"{PREFIX}CONFIG"
"""Environment variable with the path of the settings file."""

SERVICE_LINK = re.compile(r"REFEREE_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?)")
"""Variables that Kubernetes sets in every pod if a service is named "referee". They are not settings."""

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The effective settings, and the source of each."""

    settings: Settings
    where: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Source:
    name: str
    value: object
    where: str


def read_settings(
    flags: Mapping[str, str], config: Path | None = None, environment: Mapping[str, str] = os.environ
) -> LoadedSettings:
    """Read the settings from flags (name to text), environment variables and a file.

    The file is `config`, or else the one that REFEREE_CONFIG names, if any.

    Raises UnknownSetting, InvalidSetting or SettingsUnreadable.
    """
    file = config or (Path(environment[CONFIG]) if environment.get(CONFIG) else None)
    values: dict[str, Any] = {}
    where = dict.fromkeys(SETTINGS, DEFAULT)
    for source in _sources(flags, environment, file):
        values[source.name] = _value(source)
        where[source.name] = source.where
    settings = Settings(**values)
    if conflict := settings.conflict():
        name, right = conflict
        raise InvalidSetting(name, setting_text(getattr(settings, name)), where[name], right)
    return LoadedSettings(settings, where)


def settings_environment(settings: Settings, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment in which another process reads exactly these settings. It may contain a password."""
    values = {name: getattr(settings, name) for name in SETTINGS}
    texts = {
        f"{PREFIX}{name.upper()}": value.text if isinstance(value, DatabaseUrl) else setting_text(value)
        for name, value in values.items()
    }
    kept = {name: text for name, text in environment.items() if not name.startswith(PREFIX) or name == GAMES}
    return kept | texts


def _sources(flags: Mapping[str, str], environment: Mapping[str, str], file: Path | None) -> Iterator[_Source]:
    """Yield every given value in order of increasing precedence."""
    if file:
        for name, value in _parse_file(file).items():
            yield _Source(name, value, f"file {file}")
    for variable, text in environment.items():
        if variable in (CONFIG, GAMES):
            continue
        if variable.startswith(PREFIX) and not SERVICE_LINK.fullmatch(variable):
            yield _Source(variable.removeprefix(PREFIX).lower(), text, f"variable {variable}")
    for name, text in flags.items():
        yield _Source(name, text, f"flag {SETTINGS[name].flag}")


def _parse_file(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # ValueError: invalid TOML or UTF-8.
        raise SettingsUnreadable(str(file), str(error)) from None


def _value(source: _Source) -> object:
    setting = SETTINGS.get(source.name)
    if not setting:
        raise UnknownSetting(source.name, source.where, _hint(source.name))
    if not isinstance(source.value, str | int):  # A TOML file may contain dates and arrays.
        raise InvalidSetting(source.name, type(source.value).__name__, source.where, f"expected {setting.takes}")
    return setting.read(setting_text(source.value), source.where)


def _hint(name: str) -> str:
    """Return a suggestion for an unknown name."""
    for setting in SETTINGS.values():
        if setting.unit and _without_unit(setting.name) == _without_unit(name):
            return f"did you mean {setting.name}, in {setting.unit}?"
    near = nearest(name, SETTINGS)
    return f"did you mean {near}?" if near else f"known: {', '.join(SETTINGS)}"


def _without_unit(name: str) -> str:
    stem, _, last = name.rpartition("_")
    return stem if last in UNITS else name
