"""Requests as they stand beside the entries that answer them: JSON, in the forms of `forms`."""

import json

from referee.app.ports import Request
from referee.storage.forms import PLAIN, fields_of

_REQUEST = fields_of(Request, PLAIN)


def write_request(request: Request | None) -> str | None:
    return json.dumps(_REQUEST.write(request)) if request else None


def read_request(text: str | None) -> Request | None:
    """Raises Malformed."""
    request: Request | None = _REQUEST.read(json.loads(text)) if text else None
    return request
