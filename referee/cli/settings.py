"""The settings of the server: as flags of the commands that need them, and as a table."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import click

from referee.cli.choosing import Refusing
from referee.cli.table import columns
from referee.settings.declared import DECLARED, Setting
from referee.settings.kinds import SWITCH, written
from referee.settings.reading import CONFIG, InForce, read

P = ParamSpec("P")


def _flag(setting: Setting) -> Callable[[Callable[P, None]], Callable[P, None]]:
    shown = f"{setting.meaning} [{setting.default or 'none'}]"
    if setting.kind is SWITCH:
        off = f"--no-{setting.flag.removeprefix('--')}"
        return click.option(f"{setting.flag}/{off}", setting.name, default=None, help=shown)
    return click.option(setting.flag, setting.name, metavar=setting.unit.upper() or "VALUE", help=shown)


def options_of(*names: str) -> Callable[[Callable[Concatenate[InForce, P], None]], Callable[P, None]]:
    """A flag for each of these settings, and --config; the command gets the settings in force. Refuses as `read`."""

    def with_options(command: Callable[Concatenate[InForce, P], None]) -> Callable[P, None]:
        @wraps(command)
        def with_settings(*args: P.args, **given: P.kwargs) -> None:
            flags = {name: given.pop(name) for name in names}
            config = given.pop("config")
            texts = {name: written(value) for name, value in flags.items() if value is not None}
            command(read(texts, Path(str(config)) if config else None), *args, **given)

        flagged: Callable[P, None] = with_settings
        for name in reversed(names):
            flagged = _flag(DECLARED[name])(flagged)
        return click.option("--config", metavar="FILE", help=f"A TOML file of settings; or {CONFIG} names it.")(flagged)

    return with_options


settings_options = options_of(*DECLARED)
"""All of them."""


@click.command(cls=Refusing)
@settings_options
def settings(in_force: InForce) -> None:
    """Show the settings in force, and where each came from."""
    rows = [(name, _shown(getattr(in_force.settings, name)), where) for name, where in in_force.where.items()]
    for line in columns(rows):
        click.echo(line)


def _shown(value: object) -> str:
    return written(value) or "none"
