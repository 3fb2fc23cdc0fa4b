"""Signing in, and the start page of a visitor who has: the lists of bots, contests and invitations."""

import asyncio
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message
from referee_api.v1 import (
    bot_pb2,
    bot_service_pb2,
    invitation_pb2,
    invitation_service_pb2,
    ladder_pb2,
    ladder_service_pb2,
    tournament_pb2,
    tournament_service_pb2,
)

from referee.accounts.names import natural_key
from referee.show.markup import Markup, joined, tag
from referee.show.table import Table, number
from referee.site.account.account_action import Action, Values, action_form, confirmation_form, label_of, page_address
from referee.site.account.account_actions import ABORT, INVITE, REGISTER, REVOKE_INVITATION, VOID
from referee.site.account.account_session import MAX_TOKEN_CHARS, Account, AccountRole, AccountSession
from referee.site.layout import heading, moment, nothing, section
from referee.site.live_pages import Page
from referee.site.tournament_page import PHASES
from referee.site.visitors import ACCOUNT

PAGE_SIZE = 1_000
MAX_CALLS = 5
"""Pages of contests that are searched for those of an organiser, the newest first."""


def sign_in_page(problem: str = "") -> Page:
    form = tag(
        "form",
        tag(
            "label",
            tag("span", "Token"),
            tag(
                "input",
                name="token",
                type="password",
                required="",
                maxlength=MAX_TOKEN_CHARS,
                autocomplete="current-password",
            ),
        ),
        tag("button", "Sign in", type="submit", class_="main"),
        action=f"{ACCOUNT}/session",
        method="post",
        class_="sign-in",
    )
    about = nothing(
        "For the authors of bots and the organisers of contests. Enter your token, or the one of your bot. It stays in"
        " this browser until you sign out or close it."
    )
    return Page("Account", joined(heading("", "Sign in"), problem_note(problem), about, form))


def problem_note(sentence: str) -> Markup:
    return tag("p", as_sentence(sentence), class_="problem", role="alert") if sentence else Markup("")


def as_sentence(message: str) -> str:
    text = message[:1].upper() + message[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def signed_in_bar(session: AccountSession) -> Markup:
    """Return who is signed in, with the button that ends it."""
    return tag(
        "div",
        tag("span", tag("a", session.name, href=ACCOUNT), f" · {session.role.value}"),
        tag("form", tag("button", "Sign out", type="submit"), action=f"{ACCOUNT}/end", method="post"),
        class_="account-bar",
    )


async def account_page(account: Account) -> Page:
    session = account.session
    bots, tournaments, ladders, invitations = await asyncio.gather(
        _bots(account),
        _own(account, "tournaments", tournament_service_pb2.ListTournamentsRequest(page_size=PAGE_SIZE)),
        _own(account, "ladders", ladder_service_pb2.ListLaddersRequest(include_closed=True, page_size=PAGE_SIZE)),
        _invitations(account),
    )
    register = action_form(REGISTER, {}) if session.owns_bots else ""
    no_bots = f"{session.name} has no bot yet. Register one here; the page Join says how it connects."
    parts = [section("Bots", _bot_table(bots, no_bots), register)]
    if session.organises:
        parts += [
            section("Tournaments", _tournament_table(tournaments)),
            section("Ladders", _ladder_table(ladders)),
            section("Invitations", _invitation_table(invitations), action_form(INVITE, {})),
        ]
    if session.owns_bots:
        about = nothing("One that you created yourself. Those of contests are struck on the page of the contest.")
        parts.append(section("Abort a match", about, action_form(ABORT, {})))
    if session.role is AccountRole.ADMIN:
        about = nothing("Any match that is not over. A match of a pairing is played again.")
        parts.append(section("Void a match", about, action_form(VOID, {})))
    return Page(session.name, joined(heading("Account", session.name), *parts))


async def _bots(account: Account) -> Sequence[bot_pb2.Bot]:
    session = account.session
    if not session.owns_bots:
        request = bot_service_pb2.GetBotRequest(name=session.name)
        return [(await account.upstream.call(request, bot_service_pb2.GetBotResponse)).bot]
    owned = bot_service_pb2.ListBotsRequest(owner=session.name, page_size=PAGE_SIZE)
    answer = await account.upstream.call(owned, bot_service_pb2.ListBotsResponse)
    return sorted(answer.bots, key=lambda bot: natural_key(bot.name))


async def _own(account: Account, field: str, request: Message) -> list[Any]:
    """Return the contests in a field of the answers that the visitor organises, in their order."""
    found: list[Any] = []
    asked: Any = request
    for _ in range(MAX_CALLS if account.session.organises else 0):
        answer: Any = await account.call(asked)
        found += [contest for contest in getattr(answer, field) if account.session.may_manage(contest.organiser)]
        asked.page_token = answer.next_page_token
        if not asked.page_token:
            break
    return found


async def _invitations(account: Account) -> Sequence[invitation_pb2.Invitation]:
    if not account.session.organises:
        return ()
    request = invitation_service_pb2.ListInvitationsRequest(page_size=PAGE_SIZE)
    return (await account.upstream.call(request, invitation_service_pb2.ListInvitationsResponse)).invitations


def bot_state(bot: bot_pb2.Bot) -> str:
    if bot.HasField("pause"):
        return f"paused: {bot.pause.message}"
    return "online" if bot.presence.sessions else "offline"


def _bot_table(bots: Sequence[bot_pb2.Bot], empty: str) -> Markup:
    rows = [
        (
            tag("a", bot.name, href=page_address("bots", bot.name), class_="bot"),
            bot.latest_version,
            bot_state(bot),
            bot.presence.matches_in_play,
        )
        for bot in bots
    ]
    return Table(("Bot", "Version", "State", number("In play")), rows).to_html(empty=empty)


def _tournament_table(tournaments: Sequence[tournament_pb2.Tournament]) -> Markup:
    rows = [
        (
            tag("a", tournament.title or tournament.name, href=page_address("tournaments", tournament.name)),
            len(tournament.entrants),
            PHASES.get(tournament.phase, ""),
        )
        for tournament in tournaments
    ]
    return Table(("Tournament", number("Entrants"), "State"), rows).to_html(empty="You have none yet.")


def _ladder_table(ladders: Sequence[ladder_pb2.Ladder]) -> Markup:
    rows = [
        (
            tag("a", ladder.title or ladder.name, href=page_address("ladders", ladder.name)),
            ladder.entrant_count,
            "closed" if ladder.closed else "paused" if ladder.paused else "open",
        )
        for ladder in ladders
    ]
    return Table(("Ladder", number("Entrants"), "State"), rows).to_html(empty="You have none yet.")


def _invitation_table(invitations: Sequence[invitation_pb2.Invitation]) -> Markup:
    rows = [
        (
            invitation.label or tag("span", "no purpose", class_="soft"),
            f"{invitation.uses} of {invitation.max_uses}",
            moment(invitation.expire_time),
            action_form(REVOKE_INVITATION, {"invitation_id": invitation.id}, title="Revoke"),
        )
        for invitation in invitations
    ]
    return Table(("Purpose", "Used", "Expires", "Action"), rows).to_html(empty="There is no open invitation.")


def confirmation_page(action: Action, values: Values, subject: str) -> Page:
    facts = [
        ("Concerns", subject),
        *((label_of(name), values[name]) for name in ("message", "label") if name in values),
    ]
    return Page(
        action.button,
        joined(
            heading("Please confirm", action.button, facts),
            tag("p", action.text(values), class_="will"),
            confirmation_form(action, values),
        ),
    )


def secret_page(action: Action, values: Values, secret: str) -> Page:
    """Return the page that shows what was created, once."""
    if secret:
        shown = joined(
            tag("p", "Copy it now: it cannot be read again."),
            tag("pre", tag("code", secret), tabindex="0", class_="secret"),
        )
    else:
        shown = problem_note("This was done already, and its secret was shown then. It cannot be read again")
    back = tag("p", tag("a", "Back", href=action.back(values)))
    return Page(action.button, joined(heading("Done", action.button), shown, back))
