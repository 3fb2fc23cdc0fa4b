"""The pages behind a token in a browser: readable for everyone, on every window, and quiet."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import quote, urlencode

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from referee_api.v1 import game_pb2

from tests.e2e.contests import (
    call_for_tournament,
    create_ladder,
    create_tournament,
    entrants_of,
    join_ladder,
    start_tournament,
)
from tests.e2e.organiser import ONE_MS, Organiser, new_organiser
from tests.e2e.server import run_server
from tests.e2e.test_corrections import LADDER, TOURNAMENT, decide_next
from tests.site.account_site import Visitor as PlainVisitor
from tests.site.account_site import signed_in
from tests.site.browser import Visitor, run_browser, visit
from tests.site.site_process import create_spectator_token, run_site

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

LONG_LABEL = "<b>The team of</b> a-very-long-name-" + "that-has-no-blank" * 5
OPEN_CUP = "winter-cup"
SEATS_OF_TOC = 4


@dataclass(frozen=True)
class Accounts:
    """An organiser with contests and bots, and an author, who have signed in."""

    organiser: Organiser
    site: str
    owner: PlainVisitor
    author: PlainVisitor
    lost_match: str


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Accounts]:
    folder = tmp_path_factory.mktemp("accounts")
    with ExitStack() as stack:
        server = stack.enter_context(run_server(folder, "--ephemeral"))
        site = stack.enter_context(run_site(server.address, create_spectator_token(server), folder))
        channel = stack.enter_context(server.channel())
        organiser = stack.enter_context(new_organiser(server, channel, "ada"))
        lost_match = play(organiser)
        address = site.url.removeprefix("http://")
        author = signed_in(address, organiser.create_token("author", "bea"))
        yield Accounts(organiser, site.url, signed_in(address, organiser.token), author, lost_match)


def play(organiser: Organiser) -> str:
    """Let something happen of all that the pages show. Return the id of a match that the first bot lost on time."""
    lost_match = organiser.start_match(rule=ONE_MS)
    organiser.connection(0).receive("match_ended")
    match_id = organiser.start_match()
    organiser.connection(0).send_move(organiser.next_turn(), LONG_LABEL)
    organiser.connection(0).receive("verdict")
    organiser.call("MatchService/AbortMatch", match_id=match_id, request_id="abort")
    start_tournament(organiser, title="The cup", round_robin={"cycles": 2}, max_concurrent_matches=1)
    decide_next(organiser, TOURNAMENT, [])
    create_ladder(organiser, title="The ladder")
    join_ladder(organiser, 0, 1)
    decide_next(organiser, LADDER, [])
    create_tournament(organiser, name=OPEN_CUP, entrants=entrants_of(organiser), title=LONG_LABEL, request_id="other")
    expires = Timestamp(seconds=int(time.time()) + 10 * 86_400)
    invitation = {"request_id": "one", "max_uses": 3, "label": LONG_LABEL, "expire_time": expires}
    organiser.call("InvitationService/CreateInvitation", **invitation)
    return lost_match


@pytest.fixture(scope="module")
def paths(accounts: Accounts) -> dict[str, str]:
    """The path of each page."""
    organiser = accounts.organiser
    bot = f"/account/bots/{organiser.bots[0]}"
    cup = f"/account/tournaments/{organiser.name}"
    pairing = next(pairing for pairing in call_for_tournament(organiser, "ListPairings").pairings if pairing.points)
    cancel = accounts.owner.get(f"/account/tournaments/{OPEN_CUP}").form("cancel-tournament")
    confirmation = urlencode({**cancel.fields, "message": LONG_LABEL})
    return {
        "account": "/account",
        "account of an author": "/account",
        "account bot": bot,
        "account log": f"{bot}/log",
        "account lost on time": f"{bot}/matches/{accounts.lost_match}",
        "account tournament": cup,
        "account pairing": f"{cup}/pairings/{quote(pairing.id)}",
        "account open tournament": f"/account/tournaments/{OPEN_CUP}",
        "account ladder": f"/account/ladders/{organiser.name}",
        "account confirmation": f"{cancel.action}?{confirmation}",
    }


@pytest.fixture(scope="module")
def windows(accounts: Accounts) -> Iterator[dict[str, Visitor]]:
    """A window of each holder, and one of nobody."""
    with ExitStack() as stack:
        browser = stack.enter_context(run_browser())
        opened: dict[str, Visitor] = {}
        for name, plain in {"owner": accounts.owner, "author": accounts.author, "nobody": None}.items():
            opened[name] = stack.enter_context(visit(browser, accounts.site))
            if plain:
                use_session(opened[name], plain)
        yield opened


def use_session(window: Visitor, plain: PlainVisitor) -> None:
    """Let a window use the session of a visitor who has signed in."""
    url = f"{window.site}/account"
    cookies = plain.cookies.items()
    window.page.context.add_cookies([{"name": key, "value": value, "url": url} for key, value in cookies])


PAGES = [
    "account",
    "account of an author",
    "account bot",
    "account log",
    "account lost on time",
    "account tournament",
    "account pairing",
    "account open tournament",
    "account ladder",
    "account confirmation",
]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_an_account_is_readable_for_everyone(
    windows: dict[str, Visitor], paths: dict[str, str], name: str
) -> None:
    visitor = windows["author" if name == "account of an author" else "owner"]
    visitor.open(paths[name])
    assert "Sign out" in visitor.text("main")
    visitor.check_readable(name)


def test_signing_in_is_readable_for_everyone(windows: dict[str, Visitor]) -> None:
    windows["nobody"].open("/account")
    assert windows["nobody"].count("[name=token]") == 1
    windows["nobody"].check_readable("account sign in")


def test_a_new_token_is_readable_for_everyone(windows: dict[str, Visitor], paths: dict[str, str]) -> None:
    visitor = windows["owner"]
    visitor.open(paths["account bot"])
    form = visitor.page.locator("form[action$='create-token']")
    form.locator("[name=label]").fill(LONG_LABEL)
    form.locator("button").click()
    visitor.page.locator("form[action$='create-token'] button").click()
    assert visitor.text(".secret").startswith("rf_")
    visitor.check_readable("account new token")


def test_a_bot_reads_and_follows_its_hand(accounts: Accounts, windows: dict[str, Visitor]) -> None:
    with ExitStack() as stack:
        server, channel = accounts.organiser.server, accounts.organiser.channel
        organiser = stack.enter_context(new_organiser(server, channel, "cid", SEATS_OF_TOC))
        match_id = organiser.start_match(rules=game_pb2.Rules(game="toc"))
        plain = signed_in(accounts.site.removeprefix("http://"), organiser.secrets[0])
        browser = windows["nobody"].page.context.browser
        assert browser
        visitor = stack.enter_context(visit(browser, accounts.site))
        use_session(visitor, plain)
        visitor.open(f"/account/matches/{match_id}")
        visitor.check_readable("account seat")
        visitor.mark()
        before = visitor.html("#board")
        for seat in range(SEATS_OF_TOC):
            turn = organiser.next_turn(seat)
            organiser.submit_move(turn, turn.legal_moves[0])
        visitor.wait_until(lambda: before != visitor.html("#board"))
        assert visitor.is_marked
        visitor.check_readable("account seat after moves")
