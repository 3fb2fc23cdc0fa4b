"""Options that set the consent of a bot: from whom it takes matches, and on which conditions."""

from collections.abc import Callable
from typing import Any, TypeVar

import click
from msgspec import structs
from referee_values import Consent, ConsentScope

Command = TypeVar("Command", bound=Callable[..., object])

SCOPES: dict[str, ConsentScope] = {"own": "own", "contests": "own_and_contests", "anyone": "anyone"}
MAX_MS = 2**32 - 1


def consent_options(command: Command) -> Command:
    """Add the options. The command receives the values that are given, and passes them to `merge_consent`."""
    options = (
        click.option("--accept", type=click.Choice([*SCOPES]), help="From whom it takes matches. [contests]"),
        click.option("--game", "games", multiple=True, help="A game that it plays for others. Repeatable. [all]"),
        click.option(
            "--min-first-move-ms", type=click.IntRange(0, MAX_MS), help="Least time of the first move. [1000]"
        ),
        click.option("--min-move-ms", type=click.IntRange(0, MAX_MS), help="Least time of every move. [0]"),
        click.option("--odds/--no-odds", "accept_odds", default=None, help="Whether it takes matches at odds. [no]"),
        click.option(
            "--matches-per-maker",
            "max_matches_per_maker",
            type=click.IntRange(1, 1000),
            help="Unfinished matches of the same other holder. [2]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def merge_consent(consent: Consent, accept: str | None, games: tuple[str, ...], **conditions: Any) -> Consent:
    """Return the consent with the values of the options that are given."""
    given = {field: value for field, value in conditions.items() if value is not None}
    return structs.replace(
        consent, scope=SCOPES[accept] if accept else consent.scope, games=games or consent.games, **given
    )
