"""`referee admin bots`: register, list, pause and resume bots."""

import click
from referee_api.v1 import bot_pb2
from referee_client import Organiser

from referee.cli._shared.client_options import ClientCommand
from referee.cli.admin.admin_client import NONE, moment, print_json, print_table, to_dict, why_option, with_organiser

MS_US = 1_000


@click.group()
def bots() -> None:
    """Manage bots."""


@bots.command(cls=ClientCommand)
@click.argument("name")
@with_organiser
def register(organiser: Organiser, as_json: bool, name: str) -> None:
    """Register a bot that belongs to the caller. An organiser's token suffices.

    The bot's token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    secret = organiser.register_bot(name)
    if as_json:
        print_json({"bot": name, "secret": secret})
        return
    click.echo(secret)
    click.echo(f"This is the token of {name} (BOT_TOKEN); it is shown only once.", err=True)


@bots.command("list", cls=ClientCommand)
@click.option("--owner", default="", help="Only bots of this owner.")
@click.option("--present", is_flag=True, help="Only bots that are online.")
@with_organiser
def list_bots(organiser: Organiser, as_json: bool, owner: str, present: bool) -> None:
    """List bots, with their sessions and the reasons of pauses."""
    _print(list(organiser.bots(owner, present)), as_json)


@bots.command(cls=ClientCommand)
@with_organiser
def sessions(organiser: Organiser, as_json: bool) -> None:
    """List the open sessions of all bots."""
    found = [(bot.name, session) for bot in organiser.bots(online_only=True) for session in bot.presence.sessions]
    if as_json:
        print_json([{"bot": name, **to_dict(session)} for name, session in found])
        return
    heading = ("session", "bot", "version", "max matches", "round trip", "since")
    print_table(heading, [_session_row(name, session) for name, session in found])


@bots.command(cls=ClientCommand)
@click.argument("bot")
@why_option
@with_organiser
def pause(organiser: Organiser, as_json: bool, bot: str, why: str) -> None:
    """Start no new matches for a bot. Its matches in play continue."""
    _print([organiser.administration.pause_bot(bot, why)], as_json)


@bots.command(cls=ClientCommand)
@click.argument("bot")
@with_organiser
def resume(organiser: Organiser, as_json: bool, bot: str) -> None:
    """Resume a paused bot, whoever paused it."""
    _print([organiser.administration.resume_bot(bot)], as_json)


def _print(bots: list[bot_pb2.Bot], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(bot) for bot in bots])
        return
    print_table(("bot", "owner", "version", "sessions", "playing", "paused"), [*map(_row, bots)])


def _row(bot: bot_pb2.Bot) -> tuple[str, ...]:
    presence = bot.presence
    paused = bot.pause.message or "yes" if bot.HasField("pause") else NONE
    sessions, playing = str(len(presence.sessions)), str(presence.matches_in_play)
    return bot.name, bot.owner, bot.latest_version or NONE, sessions, playing, paused


def _session_row(bot: str, session: bot_pb2.Session) -> tuple[str, ...]:
    at_most, path = str(session.max_matches), f"{session.round_trip_us / MS_US:.1f} ms"
    return session.id, bot, session.version, at_most, path, moment(session, "open_time")
