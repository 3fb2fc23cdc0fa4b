"""Values in the path and in the query of a request, and forms that change something, with their limits.

Forms must come from the site's own pages, be small, and be forms.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_NAME_CHARS = 64
MAX_BODY_BYTES = 8_192
MAX_FIELDS = 20
BODY_TIMEOUT_S = 10.0
"""Timeout for a form to arrive after its head. The server has none for bodies."""
FORM_TYPE = "application/x-www-form-urlencoded"


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


async def read_form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form. Raises HTTPException, before the body is read if its head shows why."""
    require_same_origin(request.headers)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM_TYPE:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "This page takes forms only.")
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise HTTPException(HTTPStatus.LENGTH_REQUIRED, "The length of the form is missing.")
    if len(length) > 6 or int(length) > MAX_BODY_BYTES:
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The form has more than {MAX_BODY_BYTES} bytes.")
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            return fields_of((await request.body())[:MAX_BODY_BYTES])
    except TimeoutError:
        raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, "The form did not arrive in time.") from None


def require_same_origin(headers: Mapping[str, str]) -> None:
    """Raise HTTPException unless the browser says that a page of this site sent the request.

    The cookie is not sent with requests of other sites; this is the second barrier.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    is_own_site = site in (None, "same-origin")
    is_own_origin = origin is None or (urlsplit(origin).netloc == headers.get("host") and bool(urlsplit(origin).netloc))
    if not (is_own_site and is_own_origin) or (site is None and origin is None):
        raise HTTPException(HTTPStatus.FORBIDDEN, "The form was not sent by a page of this site.")


def fields_of(encoded: bytes) -> Mapping[str, str]:
    """Return the fields of an encoded form, without those that are empty. Raises HTTPException."""
    try:
        pairs = parse_qsl(encoded.decode("ascii"), max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "The form is not encoded as one.") from None
    if len(dict(pairs)) < len(pairs):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "A field of the form occurs twice.")
    return {name: text.strip() for name, text in pairs if text.strip()}
