"""A turn has the same names in the clients of all languages."""

import dataclasses
import re

import pytest
from referee_client import Turn

from tests.clients.languages import CLIENTS

TURNS = {
    "go": ("turn.go", r"^type Turn struct \{\n(.*?)^\}", r"^\t(\w+(?:, \w+)*) +\S"),
    "rust": ("src/turn.rs", r"^pub struct Turn \{\n(.*?)^\}", r"^    pub (\w+):"),
    "typescript": ("src/turn.ts", r"^export interface Turn \{\n(.*?)^\}", r"^  readonly (\w+):"),
    "java": (
        "client/src/main/java/referee/client/Turn.java",
        r"^    public static final class Builder (.*)",
        r"^        private [^(]*? (\w+)(?: = .*)?;",
    ),
    "cpp": (
        "include/referee/turn.h",
        r"^struct Turn \{\n(.*?)^\};",
        r"^    [\w:<>, ]+ (\w+(?: = \w+)?(?:, \w+ = \w+)*);",
    ),
}
"""The file of each client, and patterns of the type and of its fields."""
NOT_IN_PYTHON = {"is_cancelled", "timed"}
"""A call of a bot in Python is cancelled by asyncio, and a turn without a clock has the time None."""


def names_of(language: str) -> set[str]:
    """Return the names in the form of Python, without a unit."""
    file, type_pattern, field_pattern = TURNS[language]
    text = (CLIENTS / language / file).read_text(encoding="utf-8")
    [body] = re.findall(type_pattern, text, re.MULTILINE | re.DOTALL)
    fields = re.findall(field_pattern, body, re.MULTILINE)
    names = {re.sub(r" = \w+", "", name) for field in fields for name in field.split(", ")}
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().removesuffix("_ms") for name in names}


@pytest.mark.parametrize("language", TURNS)
def test_a_turn_in_python_has_the_names_of_the_other_languages(language: str) -> None:
    names = names_of(language)
    assert {"match_id", "position", "legal_moves", "time_left"} <= names
    python = {field.name for field in dataclasses.fields(Turn)} | set(vars(Turn))
    assert names - NOT_IN_PYTHON - python == set()
