"""What changes something on the referee, in two steps: a form leads to a sentence that says what will happen, and the
button below it does it.

The confirmation contains a request id, so that a form that is sent twice does it once.
"""

import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from urllib.parse import quote, urlencode

from google.protobuf.message import Message
from referee_api.v1 import (
    contest_pb2,
    ladder_service_pb2,
    match_service_pb2,
    tournament_service_pb2,
)
from starlette.exceptions import HTTPException

from referee.show.markup import Markup, tag
from referee.site.account.account_session import Account
from referee.site.account.form_fields import Choices, Values, hidden_inputs, labelled_input
from referee.site.entry_text import result_text
from referee.site.layout import match_title
from referee.site.terms_text import format_text
from referee.site.upstream import UpstreamError
from referee.site.visitors import ACCOUNT

REQUEST_ID = "request_id"
PAGE_SIZE = 1_000

Subject = Callable[[Account, Values], Awaitable[str]]
"""Returns who is concerned. Raises UpstreamError if there is no such thing."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a visitor can do."""

    name: str
    """Name in its address."""
    button: str
    """What it does, in a few words."""
    sentence: Callable[[Values], str]
    """What will happen."""
    done: Callable[[Values], str]
    """What has happened."""
    call: Callable[[Account, Values, str], Awaitable[Message]]
    """Does it; the text is the request id. Raises UpstreamError."""
    back: Callable[[Values], str]
    """Address of the page to which it belongs."""
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    subject: Subject | None = None
    done_before: frozenset[str] = frozenset()
    """Reasons of errors that say that it was done already."""
    secret: Callable[[Message], str] | None = None
    """Returns the secret of what was created, which is shown once; empty if it was shown before."""

    @property
    def address(self) -> str:
        return f"{ACCOUNT}/actions/{self.name}"


def unary(request: Callable[[Values], Message]) -> Callable[[Account, Values, str], Awaitable[Message]]:
    """Return a call of one method, with the request id if its request has one."""

    async def call(account: Account, values: Values, request_id: str) -> Message:
        message = request(values)
        if REQUEST_ID in message.DESCRIPTOR.fields_by_name:
            setattr(message, REQUEST_ID, request_id)
        return await account.call(message)

    return call


def new_request_id() -> str:
    """Return the id of a confirmation, which begins with its time in seconds since 1970."""
    return f"{int(time.time())}-{secrets.token_urlsafe(12)}"


def confirmation_time(request_id: str) -> datetime:
    """Return when a confirmation was made, so that a request that is sent again has the same times.

    Raises HTTPException if the id is not one of a confirmation.
    """
    seconds, _, rest = request_id.partition("-")
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 12 and rest and len(rest) < 40):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "This is not the form of a confirmation.")
    return datetime.fromtimestamp(int(seconds), UTC)


def action_form(action: Action, values: Values, choices: Choices | None = None, *, title: str = "") -> Markup:
    """Return the form that leads to the confirmation. It asks for the fields that have no value yet."""
    asked = [name for name in (*action.required, *action.optional) if name not in values]
    inputs = [labelled_input(name, (choices or {}).get(name), is_required=name in action.required) for name in asked]
    return tag(
        "form",
        *hidden_inputs(values),
        *inputs,
        tag("button", f"{title or action.button}…", type="submit"),
        action=action.address,
        method="get",
        class_="act" if asked else "act plain",
    )


def confirmation_form(action: Action, values: Values) -> Markup:
    """Return the form that does it."""
    hidden = hidden_inputs({**values, REQUEST_ID: new_request_id()})
    return tag(
        "form",
        *hidden,
        tag("button", action.button, type="submit", class_="main"),
        tag("a", "Back", href=action.back(values), class_="step"),
        action=action.address,
        method="post",
        class_="act",
    )


def page_address(*parts: str, **query: str) -> str:
    """Return the address of a page below the account."""
    path = "/".join((ACCOUNT, *(quote(part, safe="") for part in parts)))
    return f"{path}?{urlencode(query)}" if query else path


# Names of what an action changes


async def match_subject(account: Account, values: Values) -> str:
    request = match_service_pb2.GetMatchRequest(match_id=values["match"])
    match = (await account.upstream.call(request, match_service_pb2.GetMatchResponse)).match
    result = result_text(match, match.result) if match.HasField("result") else "not over"
    return f"{match_title(match)}, {match.terms.rules.game}, {result}"


async def tournament_subject(account: Account, values: Values) -> str:
    request = tournament_service_pb2.GetTournamentRequest(name=values["tournament"])
    one = (await account.upstream.call(request, tournament_service_pb2.GetTournamentResponse)).tournament
    return f"{one.title or one.name}, {format_text(one.terms)}, {_entrants(len(one.entrants))}"


async def ladder_subject(account: Account, values: Values) -> str:
    request = ladder_service_pb2.GetLadderRequest(name=values["ladder"])
    one = (await account.upstream.call(request, ladder_service_pb2.GetLadderResponse)).ladder
    return f"{one.title or one.name}, {_entrants(one.entrant_count)}"


async def pairing_subject(account: Account, values: Values) -> str:
    pairing = await find_pairing(account, values["tournament"], values["pairing"])
    return f"{' – '.join(pairing.entrants)}, round {pairing.round}, board {pairing.board}"


async def find_pairing(account: Account, tournament: str, pairing_id: str) -> contest_pb2.Pairing:
    """Return a pairing. Raises UpstreamError."""
    token = ""
    while True:
        request = tournament_service_pb2.ListPairingsRequest(
            tournament=tournament, page_size=PAGE_SIZE, page_token=token
        )
        answer = await account.upstream.call(request, tournament_service_pb2.ListPairingsResponse)
        for pairing in answer.pairings:
            if pairing.id == pairing_id:
                return pairing
        token = answer.next_page_token
        if not token:
            raise UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_PAIRING", "there is no such pairing")


def _entrants(count: int) -> str:
    return f"{count} {'entrant' if count == 1 else 'entrants'}"


def by_name(*actions: Action) -> Mapping[str, Action]:
    return {action.name: action for action in actions}
