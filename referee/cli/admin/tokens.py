"""Tokens: made, listed, revoked."""

from datetime import UTC, datetime, timedelta

import click
from referee_api.v1 import token_pb2
from referee_client import Organiser
from referee_client.organiser.administration import ROLES, role_word

from referee.cli.admin.asking import NONE, asking, moment, plain, say_json, say_table
from referee.cli.calling import Calling


@click.group()
def tokens() -> None:
    """Who may come in."""


@tokens.command(cls=Calling)
@click.argument("role", type=click.Choice([*ROLES]))
@click.argument("holder", default="")
@click.option("--bot", default="", help="With role bot: the bot it speaks for. Its holder is by default the owner.")
@click.option("--label", default="", help="What it is for.")
@click.option("--days", type=click.IntRange(1), help="For how long it is good. [for ever]")
@asking
def make(organiser: Organiser, as_json: bool, role: str, holder: str, bot: str, label: str, days: int | None) -> None:
    """Make a token for a HOLDER, the person or team that answers for it.

    It is shown once, alone on standard output, so that it can go straight to where it is kept.
    """
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    made = organiser.administration.make_token(role, holder, bot=bot, label=label, expires_at=expires_at)
    if as_json:
        say_json(plain(made))
        return
    click.echo(made.secret)
    click.echo(f"It is shown this once; in lists it is {made.token.id}.", err=True)


@tokens.command("list", cls=Calling)
@click.option("--holder", default="", help="Only those of this holder.")
@click.option("--all", "with_spent", is_flag=True, help="Also those that are revoked or have expired.")
@asking
def list_tokens(organiser: Organiser, as_json: bool, holder: str, with_spent: bool) -> None:
    """Show the tokens, the newest first, without their secrets."""
    _say(list(organiser.administration.tokens(holder, with_spent)), as_json)


@tokens.command(cls=Calling)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@asking
def revoke(organiser: Organiser, as_json: bool, ids: tuple[str, ...]) -> None:
    """Revoke tokens; streams that were opened with them end."""
    _say([organiser.administration.revoke_token(token_id) for token_id in ids], as_json)


def _say(tokens: list[token_pb2.Token], as_json: bool) -> None:
    if as_json:
        say_json([plain(token) for token in tokens])
        return
    say_table(("token", "role", "holder", "bot", "made", "good until", "last used", "label"), [*map(_row, tokens)])


def _row(token: token_pb2.Token) -> tuple[str, ...]:
    return (
        token.id,
        role_word(token.role),
        token.holder,
        token.bot or NONE,
        moment(token, "created_at"),
        "revoked" if token.revoked else moment(token, "expires_at"),
        moment(token, "last_used_at"),
        token.label,
    )
