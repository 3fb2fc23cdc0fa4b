"""Pages that are open while the server or the site is killed continue without being loaded again.

The match is held after each step, so that it is never over before the next one, however slow this machine is.
"""

import re
from pathlib import Path

import pytest
from referee_client import Organiser, Terms
from referee_values import MovePlayed

from tests.e2e.server import TIMEOUT_S, run_server
from tests.site.browser import Visitor, run_browser, visit
from tests.site.site_process import BOTS, World, run_site, run_world

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

TERMS = Terms("troke", {"max_plies": 60}, clock="600+1")
"""Of 800 such matches between these bots none was over before move 54."""
HOLDS = (12, 24, 36)


def home_ply(visitor: Visitor) -> int:
    """Return the number of moves that the home page shows below the only match."""
    found = re.search(r"move (\d+)", visitor.text("#live"))
    return int(found[1]) if found else -1


def wait_for_progress(world: World, match: Visitor, home: Visitor, hold_at: int) -> None:
    """Let the match go on, and wait until both pages show it."""
    ply, ply_at_home = match.shown_ply, home_ply(home)
    world.hold_at(hold_at)
    match.wait_until(lambda: match.shown_ply > ply + 1)
    home.wait_until(lambda: home_ply(home) > ply_at_home)


def test_open_pages_continue_after_the_server_and_the_site_were_killed(tmp_path: Path) -> None:
    with run_browser() as browser, run_world(tmp_path) as world:
        match_id = world.organiser.create_match(TERMS, BOTS[:2]).id
        world.wait_for_ply(match_id, 2)
        with visit(browser, world.site.url) as match, visit(browser, world.site.url) as home:
            match.open(f"/matches/{match_id}")
            home.open("/")
            match.mark()
            home.mark()
            wait_for_progress(world, match, home, HOLDS[0])

            world.server.kill()
            port = world.server.address
            with run_server(tmp_path, "--listen", port) as server:
                assert server.address == port
                wait_for_progress(world, match, home, HOLDS[1])

                world.site.kill()
                for visitor in (match, home):
                    visitor.page.wait_for_selector("#connection:not(:empty)")
                with run_site(server.address, world.token, tmp_path, world.site.url.removeprefix("http://")):
                    wait_for_progress(world, match, home, HOLDS[2])
                    for visitor in (match, home):
                        visitor.page.wait_for_selector("#connection:empty", state="attached")
                        assert visitor.is_marked
                    world.gate.write_text("")
                    with Organiser(server.address, world.token, patience_s=TIMEOUT_S) as spectator:
                        moves = [
                            entry.event.played.move
                            for entry in spectator.watch(match_id)
                            if isinstance(entry.event, MovePlayed)
                        ]
                    match.wait_until(lambda: match.page.get_attribute("#match", "data-live") == "false")
                    assert match.page.locator("#moves a[data-ply]").all_inner_texts() == moves
