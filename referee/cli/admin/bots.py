"""Bots: registered, who is there, who is paused."""

import click
from referee_api.v1 import bot_pb2
from referee_client import Organiser

from referee.cli.admin.asking import NONE, asking, moment, plain, say_json, say_table, why_option
from referee.cli.calling import Calling

MS_US = 1_000


@click.group()
def bots() -> None:
    """Who plays."""


@bots.command(cls=Calling)
@click.argument("name")
@asking
def register(organiser: Organiser, as_json: bool, name: str) -> None:
    """Register a bot, which is then the caller's: good also with an organiser's token.

    The bot's own token is shown once, alone on standard output, so that it can go straight to where it is kept.
    """
    secret = organiser.register_bot(name)
    if as_json:
        say_json({"bot": name, "secret": secret})
        return
    click.echo(secret)
    click.echo(f"It is {name}'s (BOT_TOKEN), and shown this once.", err=True)


@bots.command("list", cls=Calling)
@click.option("--owner", default="", help="Only those of this owner.")
@click.option("--present", is_flag=True, help="Only those that are there.")
@asking
def list_bots(organiser: Organiser, as_json: bool, owner: str, present: bool) -> None:
    """Show the bots: whether they are there, and why they are paused."""
    _say(list(organiser.bots(owner, present)), as_json)


@bots.command(cls=Calling)
@asking
def sessions(organiser: Organiser, as_json: bool) -> None:
    """Show the open sessions of all bots that are there."""
    found = [(bot.name, session) for bot in organiser.bots(present_only=True) for session in bot.presence.sessions]
    if as_json:
        say_json([{"bot": name, **plain(session)} for name, session in found])
        return
    heading = ("session", "bot", "version", "at most", "way there and back", "since")
    say_table(heading, [_session_row(name, session) for name, session in found])


@bots.command(cls=Calling)
@click.argument("bot")
@why_option
@asking
def pause(organiser: Organiser, as_json: bool, bot: str, why: str) -> None:
    """Give a bot no new matches. Those that it plays go on."""
    _say([organiser.administration.pause_bot(bot, why)], as_json)


@bots.command(cls=Calling)
@click.argument("bot")
@asking
def resume(organiser: Organiser, as_json: bool, bot: str) -> None:
    """Lift a pause, whoever made it."""
    _say([organiser.administration.resume_bot(bot)], as_json)


def _say(bots: list[bot_pb2.Bot], as_json: bool) -> None:
    if as_json:
        say_json([plain(bot) for bot in bots])
        return
    say_table(("bot", "owner", "version", "sessions", "playing", "paused"), [*map(_row, bots)])


def _row(bot: bot_pb2.Bot) -> tuple[str, ...]:
    presence = bot.presence
    paused = bot.pause.message or "yes" if bot.HasField("pause") else NONE
    sessions, playing = str(len(presence.sessions)), str(presence.matches_in_play)
    return bot.name, bot.owner, bot.latest_version or NONE, sessions, playing, paused


def _session_row(bot: str, session: bot_pb2.Session) -> tuple[str, ...]:
    at_most, path = str(session.matches_at_most), f"{session.path_us / MS_US:.1f} ms"
    return session.id, bot, session.version, at_most, path, moment(session, "opened_at")
