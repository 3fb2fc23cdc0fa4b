"""Events as JSON in which one value was changed."""

import json
from collections.abc import Iterator
from typing import Any


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path to each value that is no object or array, and the value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path.removeprefix("."), value
        return
    for key, item in items:
        yield from leaves(item, f"{path}.{key}")


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}x"
    return "x" if value is None else value + 1


def with_leaf(event: Any, path: str, value: Any) -> Any:
    event = json.loads(json.dumps(event))
    *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    place = event
    for key in parents:
        place = place[key]
    place[last] = value
    return event
