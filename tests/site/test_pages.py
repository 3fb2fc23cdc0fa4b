"""Every page in a browser: readable for everyone, on every window and without JavaScript, and quiet."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from referee_client import Terms
from referee_values import Elimination, LadderTerms, RoundRobin, Swiss, TournamentTerms

from tests.site.bots import HELD_PLY
from tests.site.browser import Visitor, visit
from tests.site.site_process import BOTS, LIVE_GAMES, World

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

FAST, SLOW = "30+1", "600+1"
LONG_TITLE = "<b>A match</b> with a very-long-title-" + "that-has-no-blank" * 5
PAGES = [
    "home",
    "matches",
    *(f"live {game}" for game in LIVE_GAMES),
    "over",
    "void",
    "bots",
    "bot",
    "ladders",
    "ladder",
    "tournaments",
    "swiss",
    "knockout",
    "announced",
    "teams",
    "round",
    "cross table",
    "join",
    "missing",
]


@pytest.fixture(scope="module")
def paths(world: World) -> dict[str, str]:
    """The path of each page, with contests and matches of all kinds behind them."""
    organiser = world.organiser
    fast = Terms("alquerque", clock=FAST)
    organiser.ladders.create("open", fast, title="Open ladder", plan=LadderTerms(max_matches_per_hour=0))
    for bot in BOTS:
        organiser.ladders.join("open", bot)
    plans: dict[str, TournamentTerms] = {
        "swiss": TournamentTerms(swiss=Swiss(rounds=2)),
        "knockout": TournamentTerms(elimination=Elimination()),
        "announced": TournamentTerms(round_robin=RoundRobin(cycles=1)),
    }
    for name, plan in plans.items():
        organiser.tournaments.create(name, fast, BOTS, title=f"The {name} cup", plan=plan)
        if name != "announced":
            organiser.tournaments.start(name)
    teams = ("reds=anna,bert", "blues=cleo,dora")
    team_terms = TournamentTerms(round_robin=RoundRobin(), boards=2)
    organiser.tournaments.create("teams", fast, teams, title="The cup of teams", plan=team_terms)
    organiser.tournaments.start("teams")
    live = {
        game: organiser.create_match(Terms(game, options, clock=SLOW), BOTS[: 4 if game in {"toc", "troke"} else 2]).id
        for game, options in LIVE_GAMES.items()
    }
    void = organiser.create_match(fast, (BOTS[0], ""), title=LONG_TITLE)
    organiser.abort(void.id)
    for match_id in live.values():
        world.wait_for_ply(match_id, HELD_PLY)
    for name in ("swiss", "knockout", "teams"):
        for _ in organiser.tournaments.watch(name):
            pass
    organiser.ladders.pause("open")  # The bots would play in it for ever.
    over = next(iter(organiser.tournaments.matches("swiss"))).id
    return {
        "home": "/",
        "matches": "/matches",
        **{f"live {game}": f"/matches/{match_id}" for game, match_id in live.items()},
        "over": f"/matches/{over}?ply=9",
        "void": f"/matches/{void.id}",
        "bots": "/bots",
        "bot": f"/bots/{BOTS[0]}",
        "ladders": "/ladders",
        "ladder": "/ladders/open",
        "tournaments": "/tournaments",
        **{name: f"/tournaments/{name}" for name in (*plans, "teams")},
        "round": "/tournaments/swiss/rounds/1",
        "cross table": "/tournaments/swiss/cross-table",
        "join": "/join",
        "missing": "/matches/0123456789abcdef01234567",
    }


@pytest.fixture(scope="module")
def visitor(world: World, browser: Browser) -> Iterator[Visitor]:
    """A visitor who changes the size of the window and the colours of the page."""
    with visit(browser, world.site.url, timezone_id="Europe/Paris") as visiting:
        yield visiting


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable_for_everyone(visitor: Visitor, paths: dict[str, str], name: str) -> None:
    visitor.open(paths[name])
    visitor.check_readable(name)


@pytest.mark.parametrize("name", ["swiss", "teams"])
def test_every_link_of_a_tournament_leads_to_a_page(visitor: Visitor, paths: dict[str, str], name: str) -> None:
    visitor.open(paths[name])
    links = visitor.page.eval_on_selector_all("main a", "links => [...new Set(links.map(one => one.href))]")
    assert {link: visitor.page.request.get(link).status for link in links} == dict.fromkeys(links, 200)


def test_every_page_is_readable_without_javascript(world: World, browser: Browser, paths: dict[str, str]) -> None:
    with visit(browser, world.site.url, java_script_enabled=False) as visitor:
        for name, path in paths.items():
            visitor.open(path)
            assert visitor.count("h1") == 1, name
            assert len(visitor.text("main")) > 20, name
            if name.startswith("live"):
                assert visitor.count("#board svg") == 1, name
                assert visitor.count("#moves a[data-ply]") >= 2, name


def test_a_page_changes_without_being_loaded_again(world: World, visitor: Visitor, paths: dict[str, str]) -> None:
    visitor.open(paths["announced"])
    visitor.mark()
    assert f"Entrants ({len(BOTS)})" in visitor.text("#entrants")
    world.organiser.tournaments.withdraw("announced", BOTS[-1])
    visitor.wait_until(lambda: f"Entrants ({len(BOTS) - 1})" in visitor.text("#entrants"))
    assert visitor.is_marked
