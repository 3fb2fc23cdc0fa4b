"""Values in the path and in the query of a request, with their limits."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_NAME_CHARS = 64


def name_in(request: Request, key: str) -> str:
    """Return a name in the path; empty if the path has none. Raises HTTPException."""
    name = str(request.path_params.get(key, ""))
    if len(name) > MAX_NAME_CHARS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return name


def integer_in(request: Request, key: str) -> int | None:
    """Return a number in the query; None if there is none. Raises HTTPException."""
    text = request.query_params.get(key)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"`{key}` is a whole number.")
    return int(text)


def last_entry_in(request: Request) -> int:
    """Return the number of the entry that a reader of events received last. Raises HTTPException."""
    after = request.headers.get("last-event-id") or request.query_params.get("after", "")
    if not (after.isascii() and after.isdigit() and len(after) < 10):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "`after` is the number of an entry.")
    return int(after)
