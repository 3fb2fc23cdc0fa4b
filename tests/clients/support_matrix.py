"""What each client can do, by the test that shows it: python -m tests.clients.support_matrix prints the table.

`docs/clients.md` has this table. A feature is supported if it has a test here, and all tests run in CI.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass

HEADINGS = {
    "python": "Python",
    "typescript": "TypeScript",
    "go": "Go",
    "java": "Java",
    "kotlin": "Kotlin",
    "rust": "Rust",
    "cpp": "C++",
}
"""Headings of the columns, by the name of the client's folder."""
BASES = {"kotlin": "java"}
"""Clients that others extend."""
FOLDER = "tests/clients"


@dataclass(frozen=True)
class Feature:
    """A row of the table."""

    text: str
    tests: Mapping[str, str]
    """The test of each client that has the feature: its id, below `tests/clients`."""

    @property
    def row(self) -> str:
        return _row(self.text, *("yes" if client in self.tests else "" for client in HEADINGS))


def of_all(test: str, **others: str) -> dict[str, str]:
    """Return the ids of a test that has the client as its parameter, and those of `others` for clients without it.

    The client in Kotlin extends that in Java, which does all that concerns the wire: its tests count for both.
    """
    return {client: f"{test}[{BASES.get(client, client)}]" for client in HEADINGS} | others


REAL_MATCH = "test_organiser_examples.py::test_an_organiser_creates_a_match_on_a_real_server_and_watches_it"
FEATURES = (
    Feature(
        "installed as a package outside of the repository, a bot plays a match",
        {
            "python": "test_python_package.py::test_the_bot_of_the_readme_plays_a_match",
            **{
                client: f"test_{client}_package.py::test_the_bot_of_the_readme_plays_a_match"
                for client in HEADINGS
                if client != "python"
            },
        },
    ),
    Feature(
        "follows the test vectors of the specification",
        of_all(
            "test_languages.py::test_the_tests_linter_and_formatter_of_a_client_pass",
            python="test_sdk_vectors.py::test_turns",
        ),
    ),
    Feature(
        "passes the conformance kit, over TLS",
        of_all(
            "test_languages.py::test_a_client_passes_the_conformance_kit",
            kotlin="test_kotlin_package.py::test_the_bot_of_the_readme_passes_the_conformance_kit",
        ),
    ),
    Feature(
        "loses no match to a network that is slow, cut and silent",
        of_all("test_languages.py::test_no_match_is_lost_to_a_faulty_network"),
    ),
    Feature(
        "creates, watches and records matches",
        {
            "python": "test_python_package.py::test_bots_and_organisers_work_with_the_runtimes_that_the_wheels_permit",
            "typescript": "test_typescript_package.py::test_an_organiser_runs_a_match_and_watches_it",
            "go": REAL_MATCH + "[go]",
            "java": REAL_MATCH + "[java]",
            "kotlin": REAL_MATCH + "[java]",
            "rust": REAL_MATCH + "[rust]",
            "cpp": REAL_MATCH + "[cpp]",
        },
    ),
    Feature(
        "passes the conformance kit for organisers, over TLS",
        of_all(
            "test_organiser_examples.py::test_an_organiser_in_another_language_passes_the_conformance_kit",
            python="test_organiser_examples.py::"
            "test_an_organiser_in_python_passes_the_conformance_kit[organise_async.py]",
        ),
    ),
    Feature(
        "has methods for tournaments and ladders",
        {
            "python": "test_sdk_contests.py::test_a_tournament_is_created_watched_and_exported",
            "typescript": "test_typescript_package.py::"
            "test_an_organiser_runs_a_tournament_and_a_ladder_and_watches_them",
        },
    ),
    Feature(
        "has a page on a first bot",
        {
            "python": "test_first_bot_pages.py::test_the_first_bot_in_python_plays_its_first_match",
            "typescript": "test_first_bot_pages.py::test_the_first_bot_in_typescript_plays_its_first_match",
            "go": "test_first_bot_pages.py::test_the_first_bot_plays_its_first_match[go]",
            "java": "test_first_bot_pages.py::test_the_first_bot_plays_its_first_match[java]",
            "kotlin": "test_first_bot_pages.py::test_the_first_bot_plays_its_first_match[kotlin]",
            "rust": "test_first_bot_pages.py::test_the_first_bot_plays_its_first_match[rust]",
            "cpp": "test_first_bot_pages.py::test_the_first_bot_plays_its_first_match[cpp]",
        },
    ),
)


def table() -> str:
    """Return the table in Markdown."""
    lines = [_row("", *HEADINGS.values()), _row(*["---"] * (1 + len(HEADINGS)))]
    return "\n".join([*lines, *(feature.row for feature in FEATURES)])


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
