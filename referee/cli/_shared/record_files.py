"""Arguments that name records, and commands that read packed records."""

import re
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import click

from referee.cli._shared.game_options import GameCommand
from referee.records.packed_format import PackageMissing
from referee.records.packed_reader import open_record

MATCH_ID = re.compile("[0-9a-f]{24}|m[a-z2-7]{25}")
"""The form of the ids that a server gives to its matches."""

record_argument = click.argument("record", metavar="RECORD")


class PackedCommand(GameCommand):
    failures = (PackageMissing,)


def open_named_record(name: str) -> BinaryIO:
    """Open a file, one of packed records by `FILE#MATCH`, or the record of a match of a server, by its id.

    The environment variables of clients, such as BOT_REFEREE, name the server. Raises RecordInvalid or PackageMissing,
    or ClickException if the server does not send the record.
    """
    if not MATCH_ID.fullmatch(name) or Path(name).exists():
        return open_record(name)
    from referee_client.errors import RefereeError  # noqa: PLC0415  # Importing gRPC takes longer than reading a file.

    from referee.cli._shared.client_options import open_organiser  # noqa: PLC0415  # The same.

    try:
        with open_organiser(None, None, None) as organiser:
            return BytesIO(organiser.record_bytes(name))
    except RefereeError as why:
        raise click.ClickException(f"{name} is no file, and was not fetched: {why}") from None
