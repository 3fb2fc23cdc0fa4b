"""The OpenAPI document is complete and valid, and says what the contract says."""

import json
import sys

import pytest
from contract_files import PROTO, comments_of, contract_files

from referee.site.json_calls import CALLS
from referee.site.openapi import COMMENTS_FILE, openapi_document

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
