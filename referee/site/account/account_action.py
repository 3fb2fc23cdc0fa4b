"""What changes something on the referee, in two steps: a form leads to a sentence that says what will happen, and the
button below it does it.

Forms and requests are made from the request messages of the contract: a field of a form has the name of its field in
the message. The confirmation contains a request id, so that a form that is sent twice does it once.
"""

import secrets
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from urllib.parse import quote, urlencode

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import ParseDict, ParseError
from google.protobuf.message import Message
from referee_api.conversion import enum_word
from referee_api.v1 import contest_pb2, tournament_service_pb2
from starlette.exceptions import HTTPException

from referee.show.formatting import counted, plain
from referee.show.markup import Markup, tag
from referee.show.words import format_text, result_text
from referee.site.account.account_session import Account
from referee.site.json_calls import INTEGERS
from referee.site.layout import match_title
from referee.site.upstream import METHODS, UpstreamError
from referee.site.visitors import ACCOUNT

REQUEST_ID = "request_id"
PAGE_SIZE = 1_000
MAX_CHARS = 3_000
"""Length of a value; the referee has the limits of its fields."""

Values = Mapping[str, str]
"""Fields of a form by name."""
Choices = Mapping[str, Sequence[tuple[str, str]]]
"""What can be chosen in a field: values, and what they are called."""
Call = Callable[[Account, Message, str], Awaitable[Message]]

LABELS = {
    "name": "Bot",
    "match_id": "Id of the match",
    "label": "Purpose",
    "message": "Reason, for those concerned",
    "until": "Not before (UTC)",
    "ranks": "Ranks of the sides, such as 1,3,2",
    "kind": "Bye",
    "pairings": "Pairings, such as: anna bert, cleo dora, emil",
    "max_uses": "Authors",
    "expire_time": "Valid for days",
    "entrants": "Absent",
}
"""Labels of fields that are not called as in the contract."""
MOST = {"max_uses": 1_000, "expire_time": 366, "round": 1_000}
DEFAULTS = {"max_uses": "1", "expire_time": "14"}


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a visitor can do."""

    name: str
    """Name in its address."""
    button: str
    """What it does, in a few words."""
    request: type[Message]
    fields: str
    """Fields of the form, with `?` after those that may be empty. Those that the request does not have are for the
    sentence and the page.
    """
    sentence: str
    """What will happen; names of fields in braces stand for their values."""
    page: str = ""
    """Page below the account to which it belongs, likewise."""
    done_before: str = ""
    """Reason of the error that says that it was done already."""
    fixed: Values = field(default_factory=dict)
    """Values of fields of the request that no form has."""
    call: Call | None = None
    """Makes the call, with the request id, instead of simply sending the request. Raises UpstreamError."""

    @property
    def address(self) -> str:
        return f"{ACCOUNT}/actions/{self.name}"

    @property
    def is_required(self) -> dict[str, bool]:
        """Whether a form must have a value, by the name of the field."""
        return {name.removesuffix("?"): not name.endswith("?") for name in self.fields.split()}

    @property
    def known(self) -> Mapping[str, FieldDescriptor]:
        """Fields of the request by name."""
        return METHODS[self.request.DESCRIPTOR.full_name].input_type.fields_by_name

    def text(self, values: Values) -> str:
        """Return the sentence with these values, those of an enum in words."""
        words = {name: _word(self.known[name], text) if name in self.known else text for name, text in values.items()}
        return self.sentence.format_map(defaultdict(str, words))

    def back(self, values: Values) -> str:
        """Return the address of the page to which it belongs."""
        path = self.page.format_map({name: quote(text, safe="") for name, text in values.items()})
        return f"{ACCOUNT}/{path}" if path else ACCOUNT


def read_request(action: Action, values: Values, request_id: str) -> Message:
    """Return the request of a form. Raises HTTPException if the values are not those of such a form."""
    required, request = action.is_required, action.request()
    for name in values:
        if name not in required:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "The form has a field that is not known here.")
    for name, is_required in required.items():
        if is_required and name not in values:
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"A field is missing: {label_of(name)}.")
    start = confirmation_time(request_id)
    for name, text in {**values, **action.fixed, REQUEST_ID: request_id}.items():
        known = action.known.get(name)
        try:
            if len(text) > MAX_CHARS:
                raise ValueError(text)
            if known:
                ParseDict({name: _json_value(known, text, start)}, request)
        except (ParseError, ValueError, TypeError, OverflowError):
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"The form has an invalid value: {label_of(name)}.") from None
    return request


def _json_value(known: FieldDescriptor, text: str, start: datetime) -> object:
    """Return a value as the JSON of protobuf has it. Raises ValueError."""
    kind = known.message_type.name if known.message_type else ""
    if known.name == "expire_time":
        return (start + timedelta(days=_number(known.name, text))).isoformat()
    if kind == "Timestamp":
        return datetime.fromisoformat(text).replace(tzinfo=UTC).isoformat()
    if kind == "Entrant":
        return {"bots": [{"bot": text}]}
    if kind == "HandPairing":
        return [{"entrants": pair.split()} for pair in text.split(",")]
    if known.is_repeated:
        return text.split(",")
    return _number(known.name, text) if known.cpp_type in INTEGERS else text


def _number(name: str, text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    if not 1 <= number <= MOST[name]:
        raise ValueError(text)
    return number


def _word(known: FieldDescriptor, text: str) -> str:
    enum = known.enum_type
    return plain(enum_word(enum, enum.values_by_name[text].number)) if enum else text


def label_of(name: str) -> str:
    return LABELS.get(name) or plain(name.removesuffix("_id")).capitalize()


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
    asked = {name: is_required for name, is_required in action.is_required.items() if name not in values}
    inputs = [
        _labelled_input(action.known[name], (choices or {}).get(name), is_required=is_required)
        for name, is_required in asked.items()
    ]
    return tag(
        "form",
        *_hidden_inputs(values),
        *inputs,
        tag("button", f"{title or action.button}…", type="submit"),
        action=action.address,
        method="get",
        class_="act" if asked else "act plain",
    )


def confirmation_form(action: Action, values: Values) -> Markup:
    """Return the form that does it."""
    return tag(
        "form",
        *_hidden_inputs({**values, REQUEST_ID: new_request_id()}),
        tag("button", action.button, type="submit", class_="main"),
        tag("a", "Back", href=action.back(values), class_="step"),
        action=action.address,
        method="post",
        class_="act",
    )


def _hidden_inputs(values: Values) -> list[Markup]:
    return [tag("input", type="hidden", name=name, value=text) for name, text in values.items()]


def _labelled_input(known: FieldDescriptor, choices: Sequence[tuple[str, str]] | None, *, is_required: bool) -> Markup:
    """Return an input inside its label; with choices, and for an enum, a list to choose from."""
    name, required = known.name, "" if is_required else None
    if known.enum_type and choices is None:
        values = [value for value in known.enum_type.values if value.number]
        choices = [(value.name, plain(enum_word(known.enum_type, value.number))) for value in values]
    if choices is not None:
        options = [tag("option", text, value=value) for value, text in choices]
        inside = tag("select", *options, name=name, required=required)
    else:
        is_time = known.message_type is not None and known.message_type.name == "Timestamp" and name not in MOST
        inside = tag(
            "input",
            type="number" if name in MOST else "datetime-local" if is_time else "text",
            name=name,
            min=1 if name in MOST else None,
            max=MOST.get(name),
            value=DEFAULTS.get(name),
            required=required,
            autocomplete="off",
        )
    label = "Result" if name == "ranks" and choices else label_of(name)
    return tag("label", tag("span", label if is_required else f"{label} (optional)"), inside)


def page_address(*parts: str, **query: str) -> str:
    """Return the address of a page below the account."""
    path = "/".join((ACCOUNT, *(quote(part, safe="") for part in parts)))
    return f"{path}?{urlencode(query)}" if query else path


async def subject_of(account: Account, request: Message) -> str:
    """Return what a request changes, in words; empty if its sentence says that. Raises UpstreamError."""
    fields = {known.name: value for known, value in request.ListFields()}
    service = METHODS[request.DESCRIPTOR.full_name].containing_service.name
    if "pairing_id" in fields:
        pairing = await find_pairing(account, fields["tournament"], fields["pairing_id"])
        return f"{' – '.join(pairing.entrants)}, round {pairing.round}, board {pairing.board}"
    if "match_id" in fields:
        match = await account.upstream.find_match(fields["match_id"])
        result = result_text(match, match.result) if match.HasField("result") else "not over"
        return f"{match_title(match)}, {match.terms.rules.game}, {result}"
    if service == "TournamentService":
        cup = await account.upstream.find_tournament(fields.get("tournament") or fields["name"])
        return f"{cup.title or cup.name}, {format_text(cup.terms)}, {counted(len(cup.entrants), 'entrant')}"
    if service == "LadderService":
        ladder = await account.upstream.find_ladder(fields["ladder"])
        return f"{ladder.title or ladder.name}, {counted(ladder.entrant_count, 'entrant')}"
    return ""


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
