"""The command line: one file a family of commands."""

import os

# gRPC looks at this once, when it is first imported. By itself it writes what a stranger sends to standard error,
# line breaks and all, between the lines of our log.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click

from referee.cli.arena import arena
from referee.cli.conformance import conformance
from referee.cli.explain import explain
from referee.cli.games import games, perft, play, rules, show
from referee.cli.match import match
from referee.cli.records import replay, verify
from referee.cli.rerun import rerun
from referee.cli.serve import serve
from referee.cli.settings import settings


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="referee")
def main() -> None:
    """A match referee for bots: the rules, the clocks, the record."""


PLAYING = (match, arena, serve, settings)
GAMES = (games, rules, show, perft, play)
LOOKING_BACK = (verify, replay, explain, rerun)

for command in (*GAMES, *PLAYING, *LOOKING_BACK, conformance):
    main.add_command(command)
