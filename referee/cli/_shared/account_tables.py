"""Bots and tokens as tables or JSON."""

from collections.abc import Sequence
from datetime import datetime

import click
from referee_api.v1 import admin_service_pb2, bot_pb2, token_pb2
from referee_client.organiser.responses import NewToken
from referee_values import Bot, Token

from referee.cli._shared.client_options import print_json, print_values, to_dict

NONE = "-"


def print_secret(made: NewToken, as_json: bool) -> None:
    """Print a new token, alone on standard output."""
    if as_json:
        print_json(to_dict(made, admin_service_pb2.CreateTokenResponse))
        return
    click.echo(made.secret)
    click.echo(f"The token is shown only once; its ID is {made.token.id}.", err=True)


def print_tokens(tokens: Sequence[Token], as_json: bool) -> None:
    heading = ("token", "role", "holder", "bot", "created", "expires", "last used", "label")
    print_values(tokens, token_pb2.Token, heading, _token_row, as_json)


def _token_row(token: Token) -> tuple[str, ...]:
    return (
        token.id,
        token.role,
        token.holder,
        token.bot or NONE,
        time_of(token.create_time),
        "revoked" if token.revoked else time_of(token.expire_time),
        time_of(token.last_use_time),
        token.label,
    )


def print_bots(bots: Sequence[Bot], as_json: bool) -> None:
    heading = ("bot", "owner", "version", "sessions", "playing", "paused")
    print_values(bots, bot_pb2.Bot, heading, _bot_row, as_json)


def _bot_row(bot: Bot) -> tuple[str, ...]:
    presence = bot.presence
    paused = bot.pause.message or "yes" if bot.pause else NONE
    sessions, playing = str(len(presence.sessions)), str(presence.matches_in_play)
    return bot.name, bot.owner, bot.latest_version or NONE, sessions, playing, paused


def time_of(time: datetime | None) -> str:
    """Format a time to the minute in UTC; a dash if there is none."""
    return f"{time:%Y-%m-%d %H:%M}" if time else NONE
