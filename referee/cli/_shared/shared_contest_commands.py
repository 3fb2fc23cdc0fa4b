"""The commands `strike`, `correct`, `restore` and `publish` of ladders and tournaments, and how they show progress."""

import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import click
from referee_client import Organiser
from referee_values import CorrectionKind

from referee.cli._shared.client_options import organiser_command
from referee.cli._shared.output import counted
from referee.show.publication import NotPublishable, Publish
from referee.show.tarball import write_tarball

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


out_option = click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Archive to write. [NAME.tar.gz]"
)


def publish_contest(publish: Publish, organiser: Organiser, name: str, out: Path | None) -> None:
    """Write the archive of a finished contest, and print its checksum. Raises ClickException."""
    file = out or Path(f"{name}.tar.gz")
    try:
        publication = publish(organiser, name, show_progress)
        write_tarball(file, publication.name, publication.files, publication.end_s)
    except NotPublishable as why:
        raise click.ClickException(str(why)) from None
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror}") from None
    click.echo(f"{click.format_filename(file)}: {counted(publication.matches, 'match', 'matches')}")
    click.echo(f"SHA-256 {sha256(file.read_bytes()).hexdigest()}")


def show_progress(done: int, of: int) -> None:
    """Show progress in one line of standard error, which is erased at the end; nothing if that is no terminal."""
    if sys.stderr.isatty():
        text = f"records read: {done} of {of}"
        click.echo(f"\r{text if done < of else ' ' * len(text)}\r", err=True, nl=False)
