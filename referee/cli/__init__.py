"""The command line: one file a family of commands."""

import os

# gRPC looks at this once, when it is first imported. By itself it writes what a stranger sends to standard error,
# line breaks and all, between the lines of our log.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click

from referee.cli.admin import admin
from referee.cli.arena import arena
from referee.cli.backup import archive, backup, restore
from referee.cli.conformance import conformance
from referee.cli.doctor import doctor
from referee.cli.explain import explain
from referee.cli.games import games, perft, play, rules, show
from referee.cli.ladder import ladder
from referee.cli.match import match
from referee.cli.migrate import migrate
from referee.cli.records import replay, verify
from referee.cli.recover import recover
from referee.cli.report import report
from referee.cli.rerun import rerun
from referee.cli.serve import serve
from referee.cli.settings import settings
from referee.cli.sprt import sprt
from referee.cli.tournament import tournament


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="referee")
def main() -> None:
    """A match referee for bots: the rules, the clocks, the record."""


PLAYING = (match, arena, serve, settings)
CONTESTS = (ladder, tournament, sprt, report)
GAMES = (games, rules, show, perft, play)
LOOKING_BACK = (verify, replay, explain, rerun)
OPERATING = (admin, doctor, backup, restore, migrate, archive, recover)

for command in (*GAMES, *PLAYING, *CONTESTS, *LOOKING_BACK, *OPERATING, conformance):
    main.add_command(command)
