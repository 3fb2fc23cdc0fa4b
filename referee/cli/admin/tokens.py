"""`referee admin tokens`: create, list and revoke tokens."""

from datetime import UTC, datetime, timedelta

import click
from referee_api.v1 import token_pb2
from referee_client import Organiser
from referee_client.organiser.administration import ROLES, role_word

from referee.cli._shared.client_options import ClientCommand
from referee.cli.admin.admin_client import NONE, moment, print_json, print_table, to_dict, with_organiser


@click.group()
def tokens() -> None:
    """Manage tokens."""


@tokens.command(cls=ClientCommand)
@click.argument("role", type=click.Choice([*ROLES]))
@click.argument("holder", default="")
@click.option("--bot", default="", help="With role bot: the bot's name. The holder is by default its owner.")
@click.option("--label", default="", help="Description.")
@click.option("--days", type=click.IntRange(1), help="Days until it expires. [never]")
@with_organiser
def make(organiser: Organiser, as_json: bool, role: str, holder: str, bot: str, label: str, days: int | None) -> None:
    """Create a token for a HOLDER, the person or team responsible for it.

    The token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    expires_at = datetime.now(UTC) + timedelta(days=days) if days else None
    made = organiser.administration.make_token(role, holder, bot=bot, label=label, expires_at=expires_at)
    if as_json:
        print_json(to_dict(made))
        return
    click.echo(made.secret)
    click.echo(f"The token is shown only once; its ID is {made.token.id}.", err=True)


@tokens.command("list", cls=ClientCommand)
@click.option("--holder", default="", help="Only tokens of this holder.")
@click.option("--all", "include_inactive", is_flag=True, help="Include revoked and expired tokens.")
@with_organiser
def list_tokens(organiser: Organiser, as_json: bool, holder: str, include_inactive: bool) -> None:
    """List tokens, newest first, without their secrets."""
    _print(list(organiser.administration.tokens(holder, include_inactive)), as_json)


@tokens.command(cls=ClientCommand)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@with_organiser
def revoke(organiser: Organiser, as_json: bool, ids: tuple[str, ...]) -> None:
    """Revoke tokens and close the streams opened with them."""
    _print([organiser.administration.revoke_token(token_id) for token_id in ids], as_json)


def _print(tokens: list[token_pb2.Token], as_json: bool) -> None:
    if as_json:
        print_json([to_dict(token) for token in tokens])
        return
    print_table(("token", "role", "holder", "bot", "created", "expires", "last used", "label"), [*map(_row, tokens)])


def _row(token: token_pb2.Token) -> tuple[str, ...]:
    return (
        token.id,
        role_word(token.role),
        token.holder,
        token.bot or NONE,
        moment(token, "create_time"),
        "revoked" if token.revoked else moment(token, "expire_time"),
        moment(token, "last_use_time"),
        token.label,
    )
