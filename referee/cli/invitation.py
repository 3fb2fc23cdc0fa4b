"""`referee invitation`: invites authors to a running server, and redeems invitations."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from referee_api.v1 import invitation_pb2, invitation_service_pb2
from referee_client import Organiser
from referee_client.organiser.invitations import redeem as redeem_code
from referee_values import Invitation

from referee.cli import CommandGroup
from referee.cli._shared.account_tables import time_of
from referee.cli._shared.client_options import (
    PATIENCE_S,
    ClientCommand,
    address_options,
    announced_wait,
    organiser_command,
    print_json,
    print_values,
    to_dict,
)


@click.group(cls=CommandGroup)
def invitation() -> None:
    """Invite authors by codes that they redeem for a token.

    BOT_TOKEN must be an organiser's token, except to redeem a code.
    """


@organiser_command(invitation, has_json=True)
@click.option(
    "--uses", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many authors can redeem it."
)
@click.option("--days", type=click.IntRange(1, 3650), default=14, show_default=True, help="Days until it expires.")
@click.option("--label", default="", help="Description.")
def make(organiser: Organiser, uses: int, days: int, label: str, as_json: bool) -> None:
    """Create an invitation.

    Its code is printed once, alone on standard output.
    """
    made = organiser.invitations.make(datetime.now(UTC) + timedelta(days=days), uses, label)
    if as_json:
        print_json(to_dict(made, invitation_service_pb2.CreateInvitationResponse))
        return
    click.echo(made.code)
    click.echo(f"The code is shown only once; the ID of the invitation is {made.invitation.id}.", err=True)


@organiser_command(invitation, "list", has_json=True)
@click.option("--all", "include_inactive", is_flag=True, help="Include those that are revoked, expired or used up.")
def list_invitations(organiser: Organiser, include_inactive: bool, as_json: bool) -> None:
    """List your invitations, newest first, without their codes. An administrator's token lists all."""
    _print_invitations(list(organiser.invitations.list(include_inactive)), as_json)


@organiser_command(invitation, has_json=True)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
def revoke(organiser: Organiser, ids: tuple[str, ...], as_json: bool) -> None:
    """Revoke invitations. Authors who have redeemed them stay."""
    _print_invitations([organiser.invitations.revoke(invitation_id) for invitation_id in ids], as_json)


@organiser_command(invitation, has_json=True)
@click.argument("ids", metavar="[ID...]", nargs=-1)
def uses(organiser: Organiser, ids: tuple[str, ...], as_json: bool) -> None:
    """List the authors who have redeemed invitations. Default: all of your invitations."""
    wanted = ids or [sent.id for sent in organiser.invitations.list(True)]
    found = [use for invitation_id in wanted for use in organiser.invitations.redemptions(invitation_id)]
    print_values(
        found,
        invitation_pb2.Redemption,
        ("author", "token", "redeemed"),
        lambda use: (use.holder, use.token_id, time_of(use.create_time)),
        as_json,
    )


@invitation.command(cls=ClientCommand)
@click.argument("code")
@click.argument("holder")
@address_options
def redeem(at: str | None, ca: Path | None, code: str, holder: str) -> None:
    """Redeem a CODE, and become the author HOLDER, a new name. It needs no token.

    The author's token is printed once, alone on standard output, so that it can be redirected to a file.
    """
    with announced_wait(at):
        secret = redeem_code(code, holder, at, ca=ca, patience_s=PATIENCE_S)
    if not secret:
        raise click.ClickException(
            f"the answer with the token was lost: ask an administrator for another token of {holder}"
        )
    click.echo(secret)
    click.echo(f"This is the token of {holder} (BOT_TOKEN); it is shown only once.", err=True)


def _print_invitations(invitations: list[Invitation], as_json: bool) -> None:
    heading = ("invitation", "organiser", "uses", "created", "expires", "label")
    print_values(invitations, invitation_pb2.Invitation, heading, _row, as_json)


def _row(sent: Invitation) -> tuple[str, ...]:
    expires = "revoked" if sent.revoked else time_of(sent.expire_time)
    return sent.id, sent.organiser, f"{sent.uses} of {sent.max_uses}", time_of(sent.create_time), expires, sent.label
