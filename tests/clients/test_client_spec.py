"""Every rule of the client specification is shown by a test vector, or by a clause of the conformance kit."""

import re
from collections.abc import Iterator
from typing import Any

from referee.conformance.clauses import CLAUSES, ORGANISER_CLAUSES
from tests.clients.vectors import FOLDER, ROOT, load_vectors, rules_with_clauses

FILES = sorted(file.stem for file in FOLDER.glob("*.json"))
NAMES = {clause.name for clause in (*CLAUSES, *ORGANISER_CLAUSES)}
VECTORS = [(file, vector) for file in FILES for vector in load_vectors(file)]

NAMED_TEXTS = {"environment", "files", "metadata"}


def test_each_rule_is_shown_by_a_vector_or_a_clause() -> None:
    shown = {rule for _, vector in VECTORS for rule in vector["rules"]}
    assert [rule for rule, clauses in rules_with_clauses().items() if not clauses and rule not in shown] == []


def test_vectors_name_rules_that_exist_and_have_names_of_their_own() -> None:
    rules = rules_with_clauses()
    assert rules, "the page has no rules"
    assert [(file, vector["name"]) for file, vector in VECTORS if not {*vector["rules"]} <= rules.keys()] == []
    assert all(vector["rules"] for _, vector in VECTORS)
    names = [(file, vector["name"]) for file, vector in VECTORS]
    assert len(names) == len(set(names))


def test_each_key_of_a_vector_is_named_on_their_page() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    unnamed = {key for file, vector in VECTORS if file != "bridge" for key in keys_of(vector) if f"`{key}`" not in page}
    assert unnamed == set()


def keys_of(value: Any) -> Iterator[str]:
    """Return all keys in a vector, without those of texts by names that the vector chooses."""
    if isinstance(value, dict):
        for key, child in value.items():
            yield key
            yield from () if key in NAMED_TEXTS else keys_of(child)
    elif isinstance(value, list):
        for child in value:
            yield from keys_of(child)


def test_the_clauses_that_rules_name_exist() -> None:
    assert {clause for clauses in rules_with_clauses().values() for clause in clauses} <= NAMES


def test_each_clause_shows_a_rule() -> None:
    named = {clause for clauses in rules_with_clauses().values() for clause in clauses}
    games = {"every-game", "turn-with-a-draw-offer"}  # They are about what a bot plays, not about its client.
    assert NAMES - named == games


def test_rules_that_other_rules_name_exist() -> None:
    page = (ROOT / "docs" / "client-spec.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b[A-Z]{3,5}-\d+\b", page)) - {"SHA-256", "UTF-8"}
    assert named <= rules_with_clauses().keys()
