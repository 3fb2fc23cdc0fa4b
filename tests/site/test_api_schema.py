"""Requests made from the OpenAPI document get responses that it describes, also those that it forbids.

schemathesis makes the requests and checks the responses, derandomised like all random cases of the tests.
"""

from collections.abc import Iterator

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from referee.site.json_calls import BASE, CALLS, JsonCall
from referee.site.openapi import openapi_document
from tests.site.api_site import ApiSite, run_api_site

pytestmark = pytest.mark.slow

SCHEMA = schemathesis.openapi.from_dict(openapi_document())
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
EXAMPLES = 12


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiSite]:
    with run_api_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_allowed_requests_about_what_is_there(site: ApiSite, call: JsonCall) -> None:
    assert 200 in check(site, call, GenerationMode.POSITIVE, site.names(call))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_allowed_requests_about_anything(site: ApiSite, call: JsonCall) -> None:
    check(site, call, GenerationMode.POSITIVE)


@pytest.mark.parametrize("call", [call for call in CALLS if call.method.input_type.fields], ids=lambda call: call.path)
def test_forbidden_requests(site: ApiSite, call: JsonCall) -> None:
    assert check(site, call, GenerationMode.NEGATIVE) == {400}


def check(site: ApiSite, call: JsonCall, mode: GenerationMode, names: dict[str, str] | None = None) -> set[int]:
    """Make some requests, check their responses, and return their statuses.

    `names`: what the path consists of; None: anything.
    """
    operation = SCHEMA[f"{BASE}{call.path}"]["GET"]
    cases = operation.as_strategy(mode, path_parameters=names) if names else operation.as_strategy(mode)
    statuses: set[int] = set()

    @settings(max_examples=EXAMPLES, phases=[Phase.generate], database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data: st.DataObject) -> None:
        case = data.draw(cases)
        headers = {"Authorization": f"Bearer {site.organiser.token}"}
        response = case.call_and_validate(base_url=site.url, session=session, headers=headers, checks=CHECKS)
        statuses.add(response.status_code)

    with requests.Session() as session:
        run()
    return statuses
