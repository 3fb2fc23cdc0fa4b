"""The OpenAPI document is complete and valid, and says what the contract says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from contract_files import PROTO, comments_of, contract_files

from referee.site import finished_match, json_api, json_calls, visitors
from referee.site.json_calls import CALLS
from referee.site.openapi import COMMENTS_FILE, openapi_document
from tests.e2e.server import TIMEOUT_S
from tests.site.api_site import ApiSite, run_api_site

COMMENTED = PROTO.parent / "referee" / "site" / COMMENTS_FILE.name


def needed_comments() -> dict[str, str]:
    """Return the comments of the contract that the document has a place for, on one line each."""
    comments = [comment for file in contract_files() for comment in comments_of(file).items()]
    methods = [call.method for call in CALLS]
    names = {f"{method.containing_service.name}.{method.name}" for method in methods}
    owners = {method.input_type.name for method in methods} | {method.output_type.name for method in methods}
    owners |= set(openapi_document()["components"]["schemas"])
    needed = {name: text for name, text in comments if name in names or name.partition(".")[0] in owners}
    return {name: " ".join(text.split()) for name, text in needed.items()}


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the compiler of protobuf is not there for this Python")
def test_the_descriptions_are_the_comments_of_the_contract(renewing: bool) -> None:
    text = json.dumps(needed_comments(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if renewing:
        COMMENTED.write_text(text, encoding="utf-8")
    assert COMMENTED.read_text(encoding="utf-8") == text


def test_everything_is_described() -> None:
    document = openapi_document()
    for path in document["paths"].values():
        operation = path["get"]
        assert operation["summary"], operation["operationId"]
        assert "Callers: " in operation["description"]
        assert operation["responses"]["200"]["description"]
        assert all(parameter["description"] for parameter in operation["parameters"]), operation["operationId"]
    for name, schema in document["components"]["schemas"].items():
        if name != "Error":
            assert schema["description"], name
        for field, described in schema["properties"].items():
            assert described["description"], f"{name}.{field}"


def test_a_text_has_the_limit_of_the_contract() -> None:
    parameters = openapi_document()["paths"]["/api/v1/matches"]["get"]["parameters"]
    limits = {parameter["name"]: parameter["schema"].get("maxLength") for parameter in parameters}
    assert (limits["bot"], limits["page_token"], limits["page_size"]) == (128, 512, None)


def test_every_field_of_a_request_is_a_parameter() -> None:
    document = openapi_document()
    for call in CALLS:
        operation = document["paths"][f"/api/v1{call.path}"]["get"]
        names = {parameter["name"] for parameter in operation["parameters"]}
        assert names >= {field.name for field in call.method.input_type.fields}
        in_path = {parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "path"}
        assert in_path == {part[1:-1] for part in call.path.split("/") if part.startswith("{")}


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
