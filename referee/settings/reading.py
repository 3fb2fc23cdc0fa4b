"""Settings from three places: flags go before the environment, the environment before the file.

A name that no setting has is refused wherever it stands, so that a slip of the pen is no silent default.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from referee.settings.declared import DECLARED, UNITS, Settings
from referee.settings.kinds import written
from referee.settings.refusals import BadSetting, UnknownSetting, UnreadableSettings

PREFIX = "REFEREE_"
CONFIG = f"{PREFIX}CONFIG"
"""The variable that names the file."""

SERVICE_LINK = re.compile(r"REFEREE_(SERVICE_(HOST|PORT\w*)|PORT(_\w+)?)")
"""Kubernetes tells every pod about a service named "referee" by such variables. They are no settings."""

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class InForce:
    """The settings in force, and where each came from."""

    settings: Settings
    where: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Given:
    name: str
    value: object
    where: str


def read(flags: Mapping[str, str], config: Path | None = None, environment: Mapping[str, str] = os.environ) -> InForce:
    """The settings by flags (name to text), environment, and the file `config` or else the one REFEREE_CONFIG names.

    Raises UnknownSetting, BadSetting or UnreadableSettings.
    """
    file = config or (Path(environment[CONFIG]) if environment.get(CONFIG) else None)
    values: dict[str, Any] = {}
    where = dict.fromkeys(DECLARED, DEFAULT)
    for given in _given(flags, environment, file):
        values[given.name] = _value(given)
        where[given.name] = given.where
    settings = Settings(**values)
    if trouble := settings.trouble():
        name, right = trouble
        raise BadSetting(name, written(getattr(settings, name)), where[name], right)
    return InForce(settings, where)


def _given(flags: Mapping[str, str], environment: Mapping[str, str], file: Path | None) -> Iterator[_Given]:
    """What is given, the weightier after the lighter."""
    if file:
        for name, value in _content(file).items():
            yield _Given(name, value, f"file {file}")
    for variable, text in environment.items():
        if variable.startswith(PREFIX) and variable != CONFIG and not SERVICE_LINK.fullmatch(variable):
            yield _Given(variable.removeprefix(PREFIX).lower(), text, f"variable {variable}")
    for name, text in flags.items():
        yield _Given(name, text, f"flag {DECLARED[name].flag}")


def _content(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # A ValueError: it is no TOML, or no UTF-8.
        raise UnreadableSettings(str(file), str(error)) from None


def _value(given: _Given) -> object:
    setting = DECLARED.get(given.name)
    if not setting:
        raise UnknownSetting(given.name, given.where, _hint(given.name))
    if not isinstance(given.value, str | int):  # A TOML file can hold dates and lists too.
        raise BadSetting(given.name, given.value, given.where, f"it takes {setting.takes}")
    return setting.read(written(given.value), given.where)


def _hint(name: str) -> str:
    """What may have been meant."""
    for setting in DECLARED.values():
        if setting.unit and _without_unit(setting.name) == _without_unit(name):
            return f"it is {setting.name}, in {setting.unit}"
    near = get_close_matches(name, DECLARED, n=1)
    return f"is it {near[0]}?" if near else f"known: {', '.join(DECLARED)}"


def _without_unit(name: str) -> str:
    stem, _, last = name.rpartition("_")
    return stem if last in UNITS else name
