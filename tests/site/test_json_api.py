"""The JSON API on a real server: every call, every kind of parameter, errors, tokens and origins.

schemathesis makes allowed and forbidden requests from the OpenAPI document, and checks that it describes the responses.
It is derandomised like all random cases of the tests.
"""

from contextlib import closing
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

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

from referee.site.json_calls import BASE, CALLS, MAX_CHARS, JsonCall
from referee.site.openapi import openapi_document
from tests.e2e.server import TIMEOUT_S
from tests.site.api_site import ApiSite

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


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_every_call_answers_callers_without_a_token(api_site: ApiSite, call: JsonCall) -> None:
    # The log of a bot is private.
    token = api_site.organiser.token if call.path.endswith("/log") else ""
    answer = api_site.get(call.path.format(**api_site.names(call)), token)
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"].partition(";")[0] == call.media_type


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_allowed_requests_about_what_is_there(api_site: ApiSite, call: JsonCall) -> None:
    assert 200 in check(api_site, call, GenerationMode.POSITIVE, api_site.names(call))


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.path)
def test_allowed_requests_about_anything(api_site: ApiSite, call: JsonCall) -> None:
    check(api_site, call, GenerationMode.POSITIVE)


@pytest.mark.parametrize("call", [call for call in CALLS if call.method.input_type.fields], ids=lambda call: call.path)
def test_forbidden_requests(api_site: ApiSite, call: JsonCall) -> None:
    assert {400} <= check(api_site, call, GenerationMode.NEGATIVE) <= {400, 404}  # 404: a name made another path.


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


def test_the_index_lists_all_paths(api_site: ApiSite) -> None:
    index = api_site.get("/").json
    assert index["openapi"] == "/api/v1/openapi.json"
    assert index["paths"] == [f"/api/v1{call.path}" for call in CALLS]


def test_what_pages_show_is_there(api_site: ApiSite) -> None:
    organiser = api_site.organiser
    (listed,) = api_site.get(f"/matches?phase=MATCH_PHASE_OVER&ladder={organiser.name}").json["matches"]
    assert {seat["bot"] for seat in listed["seats"]} == set(organiser.bots)
    shown = api_site.get(f"/matches/{api_site.match_id}?include_view=true").json
    assert shown["match"]["id"] == listed["id"] == api_site.match_id
    assert shown["match"]["phase"] == "MATCH_PHASE_OVER"
    assert shown["state"]["view_json"].startswith("{")
    assert isinstance(shown["state"]["entry_number"], str)
    standings = api_site.get(f"/ladders/{organiser.name}/standings").json["standings"]
    assert {bot["bot"] for row in standings for bot in row["entrant"]["bots"]} == set(organiser.bots)
    assert api_site.get(f"/ladders/{organiser.name}/ratings/{organiser.bots[0]}").json["points"]
    assert [ladder["name"] for ladder in api_site.get("/ladders").json["ladders"]] == [organiser.name]
    assert [tournament["name"] for tournament in api_site.get("/tournaments").json["tournaments"]] == [organiser.name]
    assert api_site.get(f"/tournaments/{organiser.name}/pairings").json["pairings"]


def test_entries_are_read_in_parts_up_to_the_last_one(api_site: ApiSite) -> None:
    path = f"/matches/{api_site.match_id}/entries"
    everything = api_site.get(path).json
    numbers = [int(entry["number"]) for entry in everything["entries"]]
    assert numbers == list(range(1, int(everything["last_number"]) + 1))
    assert "play_ended" in everything["entries"][-1]

    read: list[Any] = []
    while not read or read[-1]["number"] != everything["last_number"]:
        after = read[-1]["number"] if read else "0"
        part = api_site.get(f"{path}?after_number={after}&limit=2").json
        assert 1 <= len(part["entries"]) <= 2
        read += part["entries"]
    assert read == everything["entries"]

    for after in (everything["last_number"], str(2**64 - 1)):
        assert api_site.get(f"{path}?after_number={after}").json["entries"] == []


def test_entries_of_a_match_in_play_do_not_wait_for_its_next_move(api_site: ApiSite) -> None:
    organiser = api_site.organiser
    match_id = organiser.create_match()
    entries = api_site.get(f"/matches/{match_id}/entries?include_view=true").json
    assert [int(entry["number"]) for entry in entries["entries"]] == list(range(1, int(entries["last_number"]) + 1))


def test_the_record_is_the_one_of_the_page(api_site: ApiSite) -> None:
    record = api_site.get(f"/matches/{api_site.match_id}/record").body
    assert record.startswith(b"{")
    with urlopen(f"{api_site.url}/matches/{api_site.match_id}/record", timeout=TIMEOUT_S) as page:
        assert record == page.read()


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/matches?colour=red", "unknown parameter 'colour'; known: bot, game, phase, "),
        ("/games?bot=a", "unknown parameter 'bot'; known: none"),
        ("/matches?phase=OVER", "'phase' is one of MATCH_PHASE_UNSPECIFIED, "),
        ("/matches?phase=3", "'phase' is one of "),
        ("/matches?page_size=-1", "'page_size' is a whole number from 0 to 4294967295"),
        ("/matches?page_size=4294967296", "'page_size' is a whole number from "),
        ("/matches?page_size=1.0", "'page_size' is a whole number from "),
        ("/matches?page_size=1_0", "'page_size' is a whole number from "),
        ("/matches?page_size=%EF%BC%91", "'page_size' is a whole number from "),
        ("/matches?page_size=", "'page_size' is a whole number from "),
        ("/matches?page_size=" + 400 * "9", "'page_size' is a whole number from "),
        ("/matches?open_only=1", "'open_only' is true or false"),
        ("/matches?min_create_time=yesterday", "a time is written like "),
        ("/matches?min_create_time=99999-01-31T12:00:00Z", "a time is written like "),
        ("/matches?bot=" + (MAX_CHARS + 1) * "b", f"'bot' is longer than {MAX_CHARS} characters"),
        ("/matches/" + (MAX_CHARS + 1) * "b", f"'match_id' is longer than {MAX_CHARS} characters"),
        ("/matches?bot=a&bot=b", "'bot' is given twice"),
        ("/matches/m1?match_id=m2", "'match_id' is given twice"),
        ("/matches/m1/entries?limit=0", "'limit' is a whole number from 1 to 200"),
        ("/matches/m1/entries?limit=201", "'limit' is a whole number from 1 to 200"),
        ("/matches/m1/entries?after_number=18446744073709551616", "'after_number' is a whole number from 0 to "),
        ("/matches?" + quote("\ud800\x00<script>", errors="surrogatepass") + "=1", "unknown parameter "),
    ],
)
def test_a_malformed_parameter_is_refused_in_a_sentence(api_site: ApiSite, path: str, part: str) -> None:
    answer = api_site.get(path)
    assert (answer.status, answer.json["reason"]) == (400, "BAD_FIELD")
    assert part in answer.json["message"]
    assert len(answer.json["message"]) < 400


@pytest.mark.parametrize("path", ["/matches?bot=%00", "/bots/%ff%fe", "/games/%0d%0aX-Header:%201", "/matches/..%5c"])
def test_hostile_names_are_an_error_of_the_caller(api_site: ApiSite, path: str) -> None:
    answer = api_site.get(path)
    assert 400 <= answer.status < 500
    assert answer.json["message"]
    assert "x-header" not in answer.headers


def test_what_does_not_exist_is_not_found(api_site: ApiSite) -> None:
    for path, reason in [
        ("/matches/none", "NO_SUCH_MATCH"),
        ("/matches/none/entries", "NO_SUCH_MATCH"),
        ("/ladders/none", "NO_SUCH_LADDER"),
        ("/nothing", "NOT_FOUND"),
        ("/matches/a%2Fb", "NOT_FOUND"),
    ]:
        answer = api_site.get(path)
        assert (answer.status, answer.json["reason"]) == (404, reason)


def test_a_record_that_is_not_there_yet_is_a_conflict(api_site: ApiSite) -> None:
    answer = api_site.get(f"/matches/{api_site.organiser.create_match()}/record")
    assert (answer.status, answer.json["reason"]) == (409, "MATCH_NOT_OVER")


def test_a_token_gives_the_permissions_of_its_holder(api_site: ApiSite) -> None:
    path = f"/bots/{api_site.organiser.bots[0]}/log"
    assert api_site.get(path).status == 403
    assert api_site.get(path, api_site.organiser.token).status == 200
    for token in ("wrong", "a\xe9", "a b", "x" * 9_000):
        answer = api_site.get("/games", token)
        assert (answer.status, answer.json["reason"]) == (401, "BAD_TOKEN")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_credentials_of_another_kind_are_for_a_proxy(api_site: ApiSite) -> None:
    assert api_site.get("/games", Authorization="Basic dXNlcjpwYXNz").status == 200


def test_other_origins_read_what_is_public_and_send_no_token(api_site: ApiSite) -> None:
    for path in ("/", "/openapi.json", "/games", "/games/none"):
        public = api_site.get(path, Origin="https://example.org")
        assert public.headers["access-control-allow-origin"] == "*"
    private = api_site.get("/games", api_site.organiser.token, Origin="https://example.org")
    assert "access-control-allow-origin" not in private.headers
    assert private.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in api_site.get("/games", "wrong", Origin="https://example.org").headers
    preflight = api_site.get("/games", method="OPTIONS", Origin="https://example.org")
    assert preflight.status == 405
    assert not any(header.startswith("access-control") for header in preflight.headers)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE"])
def test_the_api_only_reads(api_site: ApiSite, method: str) -> None:
    answer = api_site.get("/games", method=method)
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
    assert answer.json["reason"] == "METHOD_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/ladders/", "/ladders"),
        ("//evil.example/", "/evil.example"),
        ("/%5Cevil.example/", "/%5Cevil.example"),
        ("/%2F/evil.example//", "/evil.example"),
    ],
)
def test_a_slash_at_the_end_leads_to_a_page_of_this_site(api_site: ApiSite, path: str, target: str) -> None:
    answer = request_page(api_site, path, "localhost")
    assert (answer.status, answer.getheader("location")) == (307, target)


def test_a_name_that_points_at_this_site_is_not_served(api_site: ApiSite) -> None:
    for path in ("/", "/ladders/", "/account"):
        assert request_page(api_site, path, "evil.example").status == 421


def request_page(api_site: ApiSite, path: str, host: str) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", api_site.port, timeout=TIMEOUT_S)
    with closing(connection):
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse()
