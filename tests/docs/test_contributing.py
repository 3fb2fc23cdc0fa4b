"""All names in docs/contributing.md exist: paths, definitions, `make` targets, benchmarks and versions."""

import re
import tomllib
from itertools import chain

import pytest

from bench.suite import BY_NAME, SUITE
from tests.docs.test_links import FENCED, ROOT

TEXT = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

PROSE = FENCED.sub("", TEXT)
SPANS = re.findall(r"`([^`]+)`", PROSE)
COMMANDS = re.findall(r"^```console\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
WORDS = sorted(set(chain.from_iterable(code.split() for code in (*SPANS, *COMMANDS))))

MADE = (".venv/", "../.venv/", "build/", "bench/report/", "referee-data/")
"""Paths that commands create, and that a fresh checkout therefore does not have."""
FILE = re.compile(r"\.?[\w*-][\w.*-]*\.(?:py|md|toml|ya?ml|txt|in|game|proto)")
PATHS = [word for word in WORDS if ("/" in word or FILE.fullmatch(word)) and not word.startswith(MADE)]
DEFINED = re.findall(r"`(\w+)`(?:\s+in\s+|\s+of\s+|\s+\()`([^`\s]+\.py)`", PROSE)


@pytest.mark.parametrize("word", PATHS)
def test_every_path_on_the_page_exists(word: str) -> None:
    """A placeholder such as `<name>` matches anything, and a bare file name matches a file in any folder."""
    path, _, test = word.partition("::")
    pattern = re.sub(r"<\w+>", "*", path.removeprefix("./").rstrip("/"))
    found = next(ROOT.glob(pattern), None)
    if found is None and "/" not in path:
        folders = (ROOT / top for top in ("engines", "proto", "referee", "tests"))
        found = next(chain.from_iterable(folder.rglob(pattern) for folder in folders), None)
    assert found
    assert not test or f"def {test}(" in found.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "path"), DEFINED)
def test_every_name_that_the_page_finds_in_a_file_is_defined_there(name: str, path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert re.search(rf"^\s*(?:(?:async )?def {name}\(|class {name}\b|{name}(?:: [^=\n]+)? = )", source, re.MULTILINE)


def test_the_page_names_every_make_target_and_no_other() -> None:
    named = {target for code in (*SPANS, *COMMANDS) for target in re.findall(r"\bmake\s+([a-z]+)", code)}
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.MULTILINE))
    assert named == targets


def test_every_benchmark_on_the_page_can_be_run() -> None:
    named = {name for names in re.findall(r"-m bench ([\w ]+)`", TEXT) for name in names.split()}
    assert named
    assert named <= {measurement.name for measurement in (*SUITE, *BY_NAME)}


def test_the_files_with_the_version_of_a_release_have_one_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    (step,) = re.findall(r"^2\. One version in all places:(.*?)^3\. ", TEXT, re.DOTALL | re.MULTILINE)
    files = re.findall(r"`([^`]+)`", step)
    assert len(files) > 10
    assert [file for file in files if version not in (ROOT / file).read_text(encoding="utf-8")] == []
