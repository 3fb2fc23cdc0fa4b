"""The page on the clients says what they can do, and a test shows each of it."""

import subprocess
import sys
from pathlib import Path

from tests.clients.support_matrix import FEATURES, FOLDER, HEADINGS, table

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_table() -> None:
    page = (ROOT / "docs" / "clients.md").read_text()
    assert table() in page, f"the table of docs/clients.md must be:\n{table()}"


def test_the_tests_of_the_table_exist_and_run_in_ci() -> None:
    # The soak does not run all of its tests.
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not soak", FOLDER]
    collected = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    known = {line.removeprefix(f"{FOLDER}/") for line in collected}
    known |= {name.partition("[")[0] for name in known}
    missing = {test for feature in FEATURES for test in feature.tests.values()} - known
    assert not missing


def test_only_clients_are_in_the_table() -> None:
    assert all(feature.tests.keys() <= HEADINGS.keys() for feature in FEATURES)
