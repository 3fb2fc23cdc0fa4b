"""Inputs of forms: what each is called, how long it may be, and what it may contain."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus

from google.protobuf.timestamp_pb2 import Timestamp
from starlette.exceptions import HTTPException

from referee.show.markup import Markup, tag

Values = Mapping[str, str]
"""Fields of a form by name."""
Choices = Mapping[str, Sequence[tuple[str, str]]]
"""What can be chosen in a field: values, and what they are called."""

MAX_DAYS = 366
MAX_USES = 1_000
MAX_ROUNDS = 1_000
BYES = {
    "BYE_KIND_HALF_POINT": "gets half a point for not playing",
    "BYE_KIND_ZERO_POINT": "gets nothing for not playing",
    "BYE_KIND_NONE": "takes back its request, and plays",
}
"""Names of byes in the contract, and what they are in a sentence before the round."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field that several forms may have."""

    label: str
    max_chars: int
    type: str = "text"
    check: Callable[[str], object] = str
    """Raises ValueError if the text is not allowed."""
    least: int | None = None
    most: int | None = None
    default: str = ""
    choice_label: str = ""
    """Label of a list to choose from, if it differs."""


def read_time(text: str) -> Timestamp:
    """Return the time in UTC of an input of type datetime-local. Raises ValueError."""
    time = Timestamp()
    time.FromDatetime(datetime.fromisoformat(text).replace(tzinfo=UTC))
    return time


def days_after(start: datetime, days: str) -> Timestamp:
    """Return the time a number of days later. Raises ValueError."""
    time = Timestamp()
    time.FromDatetime(start + timedelta(days=_integer(days, MAX_DAYS)))
    return time


def _integer(text: str, most: int) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0
    if not 1 <= number <= most:
        raise ValueError(text)
    return number


def _ranks(text: str) -> list[int]:
    """Return ranks, which are separated by commas. Raises ValueError."""
    return [_integer(rank, MAX_USES) for rank in text.split(",")]


def _bye(text: str) -> str:
    """Return what a bye gives. Raises ValueError."""
    if text not in BYES:
        raise ValueError(text)
    return text


def read_pairings(text: str) -> list[list[str]]:
    """Return pairings, separated by commas, of one or two entrants, separated by spaces. Raises ValueError."""
    pairings = [pair.split() for pair in text.split(",")]
    if not all(1 <= len(pair) <= 2 for pair in pairings):
        raise ValueError(text)
    return pairings


FIELDS = {
    "bot": FormField("Bot", 64),
    "tournament": FormField("Tournament", 64),
    "ladder": FormField("Ladder", 64),
    "entrant": FormField("Entrant", 64),
    "entrants": FormField("Absent", 600),
    "pairing": FormField("Pairing", 64),
    "match": FormField("Id of the match", 64),
    "token": FormField("Token", 64),
    "invitation": FormField("Invitation", 64),
    "label": FormField("Purpose", 180),
    "message": FormField("Reason, for those concerned", 200),
    "until": FormField("Not before (UTC)", 32, "datetime-local", read_time),
    "ranks": FormField("Ranks of the sides, such as 1,3,2", 100, check=_ranks, choice_label="Result"),
    "description": FormField("Description", 300),
    "round": FormField("Round", 4, "number", lambda text: _integer(text, MAX_ROUNDS), 1, MAX_ROUNDS),
    "bye": FormField("Bye", 32, check=_bye),
    "pairings": FormField("Pairings, such as: anna bert, cleo dora, emil", 3_000, check=read_pairings),
    "uses": FormField("Authors", 4, "number", lambda text: _integer(text, MAX_USES), 1, MAX_USES, "1"),
    "days": FormField("Valid for days", 3, "number", lambda text: _integer(text, MAX_DAYS), 1, MAX_DAYS, "14"),
}


def check_fields(values: Values, required: Iterable[str], optional: Iterable[str]) -> Values:
    """Return the values if they are those of a form. Raises HTTPException."""
    needed = list(required)
    for name in needed:
        if name not in values:
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"A field is missing: {FIELDS[name].label}.")
    for name, text in values.items():
        if name not in {*needed, *optional}:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "The form has a field that is not known here.")
        field = FIELDS[name]
        try:
            if len(text) > field.max_chars:
                raise ValueError(text)
            field.check(text)
        except (ValueError, OverflowError):
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"The form has an invalid value: {field.label}.") from None
    return values


def hidden_inputs(values: Values) -> list[Markup]:
    return [tag("input", type="hidden", name=name, value=text) for name, text in values.items()]


def labelled_input(name: str, choices: Sequence[tuple[str, str]] | None, *, is_required: bool) -> Markup:
    """Return an input inside its label; with choices, a list to choose from."""
    field = FIELDS[name]
    required = "" if is_required else None
    label = (field.choice_label if choices else "") or field.label
    if choices is not None:
        options = [tag("option", text, value=value) for value, text in choices]
        inside = tag("select", *options, name=name, required=required)
    else:
        inside = tag(
            "input",
            type=field.type,
            name=name,
            maxlength=field.max_chars if field.type == "text" else None,
            min=field.least,
            max=field.most,
            value=field.default or None,
            required=required,
            autocomplete="off",
        )
    return tag("label", tag("span", label if is_required else f"{label} (optional)"), inside)
