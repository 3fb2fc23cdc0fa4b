"""The examples of the page on the JSON API work as written, on a site with the limits of visitors."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.site import finished_match, json_api, json_calls, visitors
from tests.e2e.server import TIMEOUT_S
from tests.site.api_site import ApiSite, run_api_site

PAGE = (Path(__file__).parents[2] / "docs" / "json-api.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TYPED = ("$ ", "> ")
ID = re.compile(r"\bm[a-z2-7]{25}\b")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiSite]:
    with run_api_site(tmp_path_factory.mktemp("site"), limited=True) as running:
        yield running


def shape(line: str) -> object:
    """Return a line of JSON with the kinds of its values instead of the values; other lines without ids."""
    try:
        value = json.loads(line)
    except ValueError:
        return ID.sub("ID", line)
    return {name: type(member).__name__ for name, member in value.items()} if isinstance(value, dict) else type(value)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_gives_what_the_page_shows(site: ApiSite, example: str, tmp_path: Path) -> None:
    lines = example.splitlines()
    typed = [line[2:] for line in lines if line.startswith(TYPED)]
    shown = [line for line in lines if not line.startswith(TYPED)]
    organiser = site.organiser
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SITE": site.url,
        "LADDER": organiser.name,
        "MATCH": site.match_id,
        "BOT": organiser.bots[0],
        "TOKEN": organiser.token,
    }
    completed = subprocess.run(
        ["bash", "-c", "\n".join(typed)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    assert [shape(line) for line in completed.stdout.splitlines()] == [shape(line) for line in shown]


def test_the_page_lists_the_calls_and_the_limits() -> None:
    rows = dict(re.findall(r"^\| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE))
    paths = [path for row in rows for path in re.findall(r"`(/[^`]*)`", row)]
    assert sorted(paths) == sorted(call.path for call in json_calls.CALLS)
    assert [int(text) for text in rows.values() if text.isdigit()] == [
        visitors.REQUESTS_PER_MINUTE,
        visitors.MAX_CONCURRENT,
        json_api.CALLS_PER_MINUTE,
        json_api.CALLS_PER_MINUTE_OF_ALL,
        json_api.MAX_CONCURRENT,
        json_calls.MAX_CHARS,
        json_calls.MAX_ENTRIES,
    ]
    assert rows["size of a record"] == f"{finished_match.MAX_RECORD_BYTES // 1024**2} MiB"
    assert f"up to {json_api.MAX_WAITING} |" in PAGE
