"""The command `publish` of tournaments and ladders."""

import sys
from hashlib import sha256
from pathlib import Path

import click
from referee_client import Organiser

from referee.cli._shared.output import counted
from referee.show.publication import NotPublishable, Publish
from referee.show.tarball import write_tarball

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
