"""`referee settings`: print the settings in force; options for the commands that read settings."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import click

from referee.cli._shared.game_options import GameCommand
from referee.server.setting_types import SWITCH, setting_text
from referee.server.settings import SETTINGS, Setting
from referee.server.settings_reader import CONFIG, LoadedSettings, read_settings
from referee.show.table import Table

P = ParamSpec("P")


def _flag(setting: Setting) -> Callable[[Callable[P, None]], Callable[P, None]]:
    shown = f"{setting.meaning} [{setting.default or 'none'}]"
    if setting.kind is SWITCH:
        off = f"--no-{setting.flag.removeprefix('--')}"
        return click.option(f"{setting.flag}/{off}", setting.name, default=None, help=shown)
    return click.option(setting.flag, setting.name, metavar=setting.unit.upper() or "VALUE", help=shown)


def options_of(*names: str) -> Callable[[Callable[Concatenate[LoadedSettings, P], None]], Callable[P, None]]:
    """Add --config and an option for each named setting; the command gets the settings as its first argument.

    The command raises the errors of `read_settings`.
    """

    def with_options(command: Callable[Concatenate[LoadedSettings, P], None]) -> Callable[P, None]:
        @wraps(command)
        def with_settings(*args: P.args, **given: P.kwargs) -> None:
            flags = {name: given.pop(name) for name in names}
            config = given.pop("config")
            texts = {name: setting_text(value) for name, value in flags.items() if value is not None}
            command(read_settings(texts, Path(str(config)) if config else None), *args, **given)

        flagged: Callable[P, None] = with_settings
        for name in reversed(names):
            flagged = _flag(SETTINGS[name])(flagged)
        return click.option("--config", metavar="FILE", help=f"TOML file with settings. [env: {CONFIG}]")(flagged)

    return with_options


settings_options = options_of(*SETTINGS)
"""Options for all settings."""


@click.command(cls=GameCommand)
@settings_options
def settings(in_force: LoadedSettings) -> None:
    """Print the settings in force and the source of each value."""
    rows = [(name, _shown(getattr(in_force.settings, name)), where) for name, where in in_force.where.items()]
    click.echo(Table(("setting", "value", "source"), rows).to_text())


def _shown(value: object) -> str:
    return setting_text(value) or "none"
