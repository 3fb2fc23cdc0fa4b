"""The commands `strike`, `correct` and `restore` of ladders and tournaments."""

from collections.abc import Callable

import click
from referee_client import Organiser
from referee_values import CorrectionKind

from referee.cli._shared.client_options import organiser_command

MAX_RANK = 128

Correct = Callable[[Organiser, str, str, CorrectionKind, str, tuple[int, ...]], str]
"""Corrects a match, given the contest, the match, the kind of correction, the reason and the ranks. Returns a line."""

REASON = click.option("--message", required=True, help="The reason, in one sentence for the entrants.")


def add_correction_commands(group: click.Group, correct: Correct, epilog: str = "") -> None:
    """Add the commands to the group of a kind of contest."""

    @organiser_command(group, "strike", epilog=epilog)
    @click.argument("name")
    @click.argument("match_id", metavar="MATCH")
    @REASON
    def strike(organiser: Organiser, name: str, match_id: str, message: str) -> None:
        """Strike a finished MATCH: it no longer counts."""
        click.echo(correct(organiser, name, match_id, "struck", message, ()))

    @organiser_command(group, "correct", epilog=epilog)
    @click.argument("name")
    @click.argument("match_id", metavar="MATCH")
    @click.argument("ranks", metavar="RANK...", nargs=-1, required=True, type=click.IntRange(1, MAX_RANK))
    @REASON
    def correct_result(organiser: Organiser, name: str, match_id: str, ranks: tuple[int, ...], message: str) -> None:
        """Correct the result of a finished MATCH.

        RANK is the rank of each side, in the order of seats: 1 2 if the first side won, 1 1 for a draw.
        """
        click.echo(correct(organiser, name, match_id, "corrected", message, ranks))

    @organiser_command(group, "restore", epilog=epilog)
    @click.argument("name")
    @click.argument("match_id", metavar="MATCH")
    @REASON
    def restore(organiser: Organiser, name: str, match_id: str, message: str) -> None:
        """Undo the corrections of a MATCH: the result that was played counts again."""
        click.echo(correct(organiser, name, match_id, "restored", message, ()))
