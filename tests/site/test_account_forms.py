"""The cookie of the pages behind a token, and what is read of a form, without a server."""

import asyncio
from contextlib import nullcontext
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import pytest
from google.protobuf.message import Message
from referee_api.v1 import bot_service_pb2, token_pb2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from referee.site import request_values
from referee.site.account.account_action import MAX_CHARS, Action, confirmation_time, new_request_id, read_request
from referee.site.account.account_actions import ACTIONS, CREATE_TOKEN
from referee.site.account.account_session import COOKIE, Account, AccountRole, AccountSession, read_session, set_session
from referee.site.request_values import MAX_FIELDS, fields_of, read_form, require_same_origin
from tests.site.fake_upstream import FakeUpstream

SESSION = AccountSession(AccountRole.ORGANISER, "Ada: <b>&;ü", "ey.J;x=/+_-~")
HOST = "referee.example:7790"
SAMPLES = {"until": "2040-01-01T00:00", "kind": "BYE_KIND_NONE", "pairings": "a b, c"}


def request_with(cookie: str = "", scheme: str = "http", origin: str = "") -> Request:
    sent = {"cookie": cookie, "origin": origin}
    headers = [(name.encode(), text.encode()) for name, text in sent.items() if text]
    return Request({"type": "http", "scheme": scheme, "path": "/account", "headers": headers, "method": "GET"})


def cookie_of(session: AccountSession, scheme: str = "http", origin: str = "") -> str:
    response = Response()
    set_session(request_with(scheme=scheme, origin=origin), response, session)
    return response.headers["set-cookie"]


def test_a_session_is_read_as_it_was_written() -> None:
    cookie = cookie_of(SESSION).partition(";")[0]
    assert read_session(request_with(cookie)) == SESSION


def test_the_longest_session_fits_into_a_cookie() -> None:
    longest = AccountSession(AccountRole.ADMIN, "ü" * 64, "x" * 2_800)
    assert len(cookie_of(longest, "https")) < 4_096
    assert read_session(request_with(cookie_of(longest).partition(";")[0])) == longest


def test_a_cookie_is_secure_if_the_browser_uses_https() -> None:
    assert "secure" in cookie_of(SESSION, "https").lower()
    assert "secure" in cookie_of(SESSION, "http", f"https://{HOST}").lower()
    assert "secure" not in cookie_of(SESSION, "http", f"http://{HOST}").lower()


def test_the_token_is_in_no_text_of_a_session() -> None:
    assert SESSION.token not in repr(SESSION)


@pytest.mark.parametrize(
    "value",
    ["", "a:b", "x:a:b", "organiser:a", "organiser::b", "organiser:a:", "organiser:a:b%20c", f"organiser:{'a' * 65}:b"],
)
def test_a_session_that_cannot_be_one_is_none(value: str) -> None:
    assert read_session(request_with(f"{COOKIE}={value}")) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": f"https://{HOST}"},
        {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "same-origin"},
    ],
)
def test_a_form_of_the_site_is_read(headers: dict[str, str]) -> None:
    require_same_origin({"host": HOST, **headers})


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": ""},
        {"origin": "null"},
        {"origin": "http://referee.example"},
        {"origin": f"http://{HOST}.evil.example"},
        {"origin": f"http://{HOST}", "sec-fetch-site": "same-site"},
        {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
        {"sec-fetch-site": "none"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_a_form_of_another_site_is_not_read(headers: dict[str, str]) -> None:
    with pytest.raises(HTTPException) as caught:
        require_same_origin({"host": HOST, **headers})
    assert caught.value.status_code == HTTPStatus.FORBIDDEN


def test_a_form_without_a_host_is_not_read() -> None:
    with pytest.raises(HTTPException):
        require_same_origin({"origin": ""})


def test_empty_fields_count_as_missing() -> None:
    assert fields_of(b"a=1&b=&c=+%20&d=+x+") == {"a": "1", "d": "x"}
    many = "&".join(f"f{number}=1" for number in range(MAX_FIELDS + 1)).encode()
    for wrong in (b"a=1&a=2", b"a=%ff", "a=ü".encode(), many):
        with pytest.raises(HTTPException) as caught:
            fields_of(wrong)
        assert caught.value.status_code == HTTPStatus.BAD_REQUEST


def test_a_form_that_does_not_arrive_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_values, "BODY_TIMEOUT_S", 0)
    sent = {"host": HOST, "origin": f"http://{HOST}", "content-length": "5", "content-type": request_values.FORM_TYPE}
    headers = [(name.encode(), text.encode()) for name, text in sent.items()]

    async def receive() -> Any:
        await asyncio.Event().wait()
        return {}

    request = Request({"type": "http", "method": "POST", "path": "/account/end", "headers": headers}, receive)
    with pytest.raises(HTTPException) as caught:
        asyncio.run(read_form(request))
    assert caught.value.status_code == HTTPStatus.REQUEST_TIMEOUT


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
def test_the_request_of_a_form_has_all_its_fields(action: Action) -> None:
    values = {name: SAMPLES.get(name, "1") for name in action.is_required}
    message = read_request(action, values, new_request_id())
    fields = {name for name in (*values, *action.fixed, "request_id") if name in message.DESCRIPTOR.fields_by_name}
    assert {field.name for field, _ in message.ListFields()} == fields
    assert action.text(values).endswith(".")
    assert action.back(values).startswith("/account")
    with pytest.raises(HTTPException):
        read_request(action, {**values, "other": "1"}, new_request_id())
    for name, is_required in action.is_required.items():
        without = {other: text for other, text in values.items() if other != name}
        with pytest.raises(HTTPException) if is_required else nullcontext():
            read_request(action, without, new_request_id())
        with pytest.raises(HTTPException):
            read_request(action, {**values, name: "x" * (MAX_CHARS + 1)}, new_request_id())


def test_a_request_id_says_when_it_was_made() -> None:
    request_id = new_request_id()
    assert len(request_id) <= 64
    assert request_id != new_request_id()
    assert int(confirmation_time(request_id).timestamp()) == int(request_id.partition("-")[0])
    for wrong in ("", "x", "1", "-a", "1-", "9" * 12 + "-a", f"1-{'a' * 60}", "²-a"):
        with pytest.raises(HTTPException):
            confirmation_time(wrong)


def test_a_cookie_value_needs_no_quotes() -> None:
    assert quote(SESSION.token, safe="") in cookie_of(SESSION)
    assert '"' not in cookie_of(SESSION)


async def test_a_token_is_created_once_if_its_form_is_sent_several_times_at_once() -> None:
    labels: list[str] = []

    def create(request: bot_service_pb2.CreateBotTokenRequest) -> Message:
        labels.append(request.label)
        return bot_service_pb2.CreateBotTokenResponse(secret=f"secret {len(labels)}")

    referee = FakeUpstream()
    referee.answers["CreateBotTokenResponse"] = create
    referee.answers["ListBotTokensResponse"] = lambda _: bot_service_pb2.ListBotTokensResponse(
        tokens=[token_pb2.Token(label=label) for label in labels]
    )
    account, request_id = Account(SESSION, referee, asyncio.Lock()), new_request_id()
    assert CREATE_TOKEN.call
    calls = [
        CREATE_TOKEN.call(account, bot_service_pb2.CreateBotTokenRequest(bot="anna", label="laptop"), sent)
        for sent in (request_id, request_id, new_request_id())
    ]
    answers: list[Any] = await asyncio.gather(*calls)
    assert [answer.secret for answer in answers] == ["secret 1", "", "secret 2"]
    assert [label.partition(" ")[0] for label in labels] == ["laptop", "laptop"]
