"""Limits of each address, what protects visitors, and answers that callers without a token share."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, suppress
from http import HTTPStatus
from ipaddress import ip_network

import pytest

from engines.registry import games
from referee.match.clock import SECOND
from referee.site import visitors as module
from referee.site.account import seat_match_page
from referee.site.account.account_session import Account, AccountRole, AccountSession
from referee.site.account.seat_match_page import MAX_OPEN_PER_TOKEN, SeatMatches
from referee.site.json_api import (
    CALLS_PER_MINUTE,
    CALLS_PER_MINUTE_OF_ALL,
    MAX_CONCURRENT,
    MAX_WAITING,
    PublicAnswers,
)
from referee.site.upstream import UpstreamError
from referee.site.visitors import (
    HEADERS,
    SEND_TIMEOUT_S,
    App,
    Message,
    Protected,
    Receive,
    Scope,
    Send,
    SiteAccess,
    Visitors,
    network_of,
)
from tests.live.fake_time import FakeTime, settle
from tests.site.fake_upstream import FakeMatch
from tests.site.fast_time import in_fast_loop, in_fast_time
from tests.site.samples import MATCH_ID, entries, match


def visit(visitors: Visitors, address: str = "1.2.3.4") -> bool:
    """Make a request that is over at once, and return whether it was allowed."""
    if visitors.admit(address):
        return False
    visitors.leave(address)
    return True


def test_an_address_has_a_number_of_requests_in_a_minute_which_come_back_evenly() -> None:
    now_s = 100.0
    visitors = Visitors(requests_per_minute=6, clock=lambda: now_s)
    assert [visit(visitors) for _ in range(8)] == [True] * 6 + [False] * 2
    assert visit(visitors, "5.6.7.8")
    now_s += 9
    assert not visit(visitors)
    now_s += 11
    assert [visit(visitors) for _ in range(2)] == [True, False]
    now_s += 3_600
    assert [visit(visitors) for _ in range(7)] == [True] * 6 + [False]


def test_an_address_has_a_number_of_open_requests() -> None:
    visitors = Visitors(max_concurrent=2)
    assert [visitors.admit("a") == "" for _ in range(3)] == [True, True, False]
    assert visitors.admit("b") == ""
    visitors.leave("a")
    assert visitors.admit("a") == ""


def test_all_addresses_together_have_a_number_of_open_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CONCURRENT_OF_ALL", 3)
    visitors = Visitors()
    assert [visitors.admit(f"{number}") == "" for number in range(4)] == [True] * 3 + [False]
    visitors.leave("0")
    assert visitors.admit("4") == ""


def test_the_addresses_that_are_remembered_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ADDRESSES", 2)
    visitors = Visitors(requests_per_minute=1, clock=lambda: 100.0)
    # When c comes, b was seen longest ago, and is forgotten.
    assert [visit(visitors, address) for address in "abacab"] == [True, True, False, True, False, True]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::"),
        ("::1", "::"),
        ("", ""),
        ("a socket", "a socket"),
    ],
)
def test_an_ipv6_address_counts_by_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


# The application behind its limits

PROXIES = SiteAccess(proxies=(ip_network("10.1.0.0/16"), ip_network("2001:db8::/64")))


class Exchange:
    """One request to an application, and what it sent."""

    def __init__(self, method: str = "GET", address: str = "192.0.2.7", path: str = "/", **headers: str) -> None:
        sent = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
        self.scope: Scope = {
            **{"type": "http", "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 80)},
            **{"method": method, "path": path, "query_string": b"", "client": (address, 1), "headers": sent},
        }
        self.sent: list[Message] = []
        self.stalls = False

    async def receive(self) -> Message:
        return {"type": "http.request"}

    async def send(self, message: Message) -> None:
        self.sent.append(message)
        if self.stalls:
            await asyncio.get_running_loop().create_future()

    async def run(self, app: App) -> None:
        await app(self.scope, self.receive, self.send)

    @property
    def status(self) -> int:
        return int(self.sent[0]["status"])

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent[1:])

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.sent[0]["headers"])


async def hello(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-own", b"1")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def without_headers(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 304})
    await send({"type": "http.response.body"})


def protected(app: App = hello, visitors: Visitors | None = None, access: SiteAccess = PROXIES) -> Protected:
    return Protected(app, visitors or Visitors(), access)


def answered(app: App, exchange: Exchange) -> Exchange:
    in_fast_time(exchange.run(app))
    return exchange


@pytest.mark.parametrize(
    ("status", "app", "method"),
    [
        (200, protected(), "GET"),
        (304, protected(without_headers), "GET"),
        (405, protected(), "POST"),
        (429, protected(visitors=Visitors(requests_per_minute=0)), "GET"),
        (429, protected(visitors=Visitors(max_concurrent=0)), "HEAD"),
    ],
)
def test_every_response_has_the_protecting_headers(status: int, app: App, method: str) -> None:
    exchange = answered(app, Exchange(method))
    assert exchange.status == status
    assert dict(HEADERS).items() <= exchange.headers.items()


def test_the_policy_allows_neither_foreign_nor_inline_content() -> None:
    policy = dict(HEADERS)[b"content-security-policy"].decode()
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy


def test_own_headers_of_a_response_are_kept() -> None:
    assert answered(protected(), Exchange()).headers[b"x-own"] == b"1"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "X" * 99])
def test_the_site_is_only_read(method: str) -> None:
    async def never(_: Scope, __: Receive, ___: Send) -> None:
        raise AssertionError

    assert answered(protected(never), Exchange(method)).status == 405


@pytest.mark.parametrize(
    ("method", "path", "is_served", "is_private"),
    [
        ("POST", "/account/end", True, True),
        ("GET", "/account", True, True),
        ("POST", "/account", False, True),
        ("POST", "/accounts", False, False),
        ("PUT", "/account/end", False, True),
        ("POST", "/bots", False, False),
        ("GET", "/bots", True, False),
    ],
)
def test_forms_are_sent_below_the_account_only(method: str, path: str, is_served: bool, is_private: bool) -> None:
    exchange = answered(protected(), Exchange(method, path=path))
    assert exchange.status == (200 if is_served else 405)
    assert (exchange.headers.get(b"cache-control") == b"no-store") is is_private


def test_a_request_that_is_over_is_not_open_any_more_however_it_ended() -> None:
    async def broken(_: Scope, __: Receive, ___: Send) -> None:
        raise ValueError

    visitors = Visitors(max_concurrent=1)
    for _ in range(3):
        with pytest.raises(ValueError):  # noqa: PT011  # It has no text.
            answered(protected(broken, visitors), Exchange())
        assert answered(protected(visitors=visitors), Exchange()).status == 200


def test_neighbours_in_an_ipv6_network_share_their_limit() -> None:
    visitors = Visitors(requests_per_minute=1)
    app = protected(visitors=visitors)
    assert answered(app, Exchange(address="2001:db8::1")).status == 200
    assert answered(app, Exchange(address="2001:db8::2")).status == 429
    assert answered(app, Exchange(address="2001:db8:0:1::1")).status == 200


@in_fast_loop
async def test_a_visitor_that_does_not_read_is_not_waited_for() -> None:
    exchange, visitors, time = Exchange(), Visitors(max_concurrent=1), asyncio.get_running_loop().time
    exchange.stalls = True
    began = time()
    with pytest.raises(TimeoutError):
        await exchange.run(protected(visitors=visitors))
    assert time() - began == pytest.approx(SEND_TIMEOUT_S)
    assert visitors.admit("192.0.2.7") == ""


def test_a_client_without_an_address_is_served() -> None:
    exchange = Exchange()
    exchange.scope["client"] = None
    assert answered(protected(), exchange).status == 200


def test_other_protocols_pass() -> None:
    seen: list[str] = []

    async def lifespan(scope: Scope, _: Receive, __: Send) -> None:
        seen.append(scope["type"])

    exchange = Exchange()
    exchange.scope = {"type": "lifespan"}
    answered(protected(lifespan), exchange)
    assert seen == ["lifespan"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("10.1.0.1", "198.51.100.9", "198.51.100.9"),
        ("10.1.0.1", "203.0.113.1, 198.51.100.9", "198.51.100.9"),
        ("10.1.0.1", "203.0.113.1, 198.51.100.9,10.1.0.2", "198.51.100.9"),
        ("::ffff:10.1.0.1", "198.51.100.9", "198.51.100.9"),
        ("2001:db8::1", "198.51.100.9", "198.51.100.9"),
        ("10.1.0.1", "", "10.1.0.1"),
        ("10.1.0.1", "10.1.0.2", "10.1.0.2"),
        ("10.1.0.1", "no address", "no address"),
        ("10.2.0.1", "198.51.100.9", "10.2.0.1"),
        ("", "198.51.100.9", ""),
    ],
)
def test_only_proxies_of_the_site_say_for_whom_they_ask(peer: str, forwarded: str, address: str) -> None:
    assert PROXIES.visitor_address(peer, forwarded) == address


def test_a_bot_beside_the_proxy_cannot_get_another_visitor_refused() -> None:
    visitors = Visitors(requests_per_minute=1)
    app = protected(visitors=visitors)
    for address in ("10.2.0.1", "10.1.0.1"):
        assert answered(app, Exchange(address=address, x_forwarded_for="198.51.100.9")).status == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("192.0.2.1:7790", 200),
        ("[2001:db8::1]:7790", 200),
        ("localhost:7790", 200),
        ("Referee.Example", 200),
        ("referee.example.", 200),
        ("referee.example:443", 200),
        ("evil.example", 421),
        ("evil.referee.example", 421),
        ("referee.example@evil.example", 421),
        ("referee.example:443:1", 421),
        ("[referee.example]", 421),
    ],
)
def test_the_site_serves_its_own_names_only(host: str, status: int) -> None:
    app = protected(access=SiteAccess(frozenset({"referee.example"})))
    assert answered(app, Exchange(host=host)).status == status


BURST = CALLS_PER_MINUTE // 10


class Referee:
    """Counts calls, and holds them back until `free` is set."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.answers = PublicAnswers(self.time)
        self.calls: list[str] = []
        self.open = 0
        self.most_open = 0
        self.free = asyncio.Event()
        self.free.set()
        self.error: UpstreamError | None = None

    async def answer(self, key: str, address: str = "x", calls: int = 1, *, is_small: bool = True) -> bytes:
        return await self.answers.get(key, address, calls, lambda: self._fetch(key), is_small=is_small)

    async def refusal(self, key: str, address: str = "x") -> str:
        with pytest.raises(UpstreamError) as error:
            await self.answer(key, address)
        return f"{error.value.status.value} {error.value.reason}"

    async def _fetch(self, key: str) -> bytes:
        self.calls.append(key)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await self.free.wait()
        self.open -= 1
        if self.error:
            raise self.error
        return f"{key} {len(self.calls)}".encode()


async def test_equal_requests_of_a_second_share_one_answer() -> None:
    referee = Referee()
    referee.free.clear()
    waiting = [asyncio.ensure_future(referee.answer("a", f"10.0.0.{n}")) for n in range(50)]
    await settle()
    waiting[0].cancel()  # The one whose request began the call disconnects.
    referee.free.set()
    assert await asyncio.gather(*waiting[1:]) == [b"a 1"] * 49

    referee.time.us += SECOND
    assert await referee.answer("a") == b"a 1"
    referee.time.us += 1
    assert await referee.answer("a") == b"a 2"
    assert await referee.answer("b") == b"b 3"


async def test_an_error_is_shared_for_a_second_too() -> None:
    referee = Referee()
    referee.error = UpstreamError(HTTPStatus.NOT_FOUND, "NO_SUCH_MATCH", "")
    for _ in range(100):
        assert await referee.refusal("a") == "404 NO_SUCH_MATCH"
    assert referee.calls == ["a"]
    referee.error = None
    referee.time.us += SECOND + 1
    assert await referee.answer("a") == b"a 2"


async def test_a_large_answer_is_shared_but_not_kept() -> None:
    referee = Referee()
    both = (referee.answer("a", is_small=False) for _ in range(2))
    assert await asyncio.gather(*both) == [b"a 1", b"a 1"]
    assert await referee.answer("a", is_small=False) == b"a 2"


async def test_one_address_cannot_use_up_what_others_need() -> None:
    referee = Referee()
    for second in range(60):
        for n in range(20):
            with suppress(UpstreamError):
                await referee.answer(f"flood {second} {n}", "flooder")
        await referee.answer(f"else {second}", "somebody else")
        referee.time.us += SECOND
    calls = Counter(key.split()[0] for key in referee.calls)
    assert calls["else"] == 60
    assert CALLS_PER_MINUTE <= calls["flood"] <= CALLS_PER_MINUTE + BURST


async def test_many_addresses_together_leave_calls_for_the_pages() -> None:
    referee = Referee()
    for n in range(CALLS_PER_MINUTE_OF_ALL // 10):
        await referee.answer(f"{n}", f"10.0.0.{n}")
    assert await referee.refusal("more", "10.0.1.0") == "429 TOO_MANY_CALLS"


async def test_a_call_that_needs_two_counts_as_two() -> None:
    referee = Referee()
    for n in range(BURST // 2):
        await referee.answer(f"{n}", calls=2)
    assert await referee.refusal("more") == "429 TOO_MANY_CALLS"


async def test_few_calls_are_open_at_a_time_and_few_wait() -> None:
    referee = Referee()
    referee.free.clear()
    waiting = []
    for n in range(MAX_CONCURRENT + MAX_WAITING):
        waiting.append(asyncio.ensure_future(referee.answer(f"{n}", f"{n}")))
        await settle()
        referee.time.us += SECOND
    assert referee.open == MAX_CONCURRENT
    assert await referee.refusal("more", "more") == "503 SITE_BUSY"
    referee.free.set()
    await asyncio.gather(*waiting)
    assert referee.most_open == MAX_CONCURRENT
    assert await referee.answer("more", "more")


def account(token: str) -> Account:
    return Account(AccountSession(AccountRole.BOT, "anna", token), FakeMatch(match(), *entries(2)))


async def test_one_token_follows_some_matches_and_leaves_room_for_others() -> None:
    matches, ada, bob = SeatMatches(games()), account("ada"), account("bob")
    async with AsyncExitStack() as open_pages:
        for _ in range(MAX_OPEN_PER_TOKEN):
            await open_pages.enter_async_context(matches._follow(ada, MATCH_ID, 0))
        with pytest.raises(UpstreamError, match="busy"):
            await open_pages.enter_async_context(matches._follow(ada, MATCH_ID, 0))
        await open_pages.enter_async_context(matches._follow(bob, MATCH_ID, 0))
    async with matches._follow(ada, MATCH_ID, 0):
        pass


async def test_all_tokens_together_follow_a_limited_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_match_page, "MAX_OPEN", 1)
    matches = SeatMatches(games())
    async with matches._follow(account("ada"), MATCH_ID, 0):
        with pytest.raises(UpstreamError, match="busy"):
            async with matches._follow(account("bob"), MATCH_ID, 0):
                pass
