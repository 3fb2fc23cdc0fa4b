"""`referee ladder`, `referee tournament` and `referee report` of a server that runs, as an organiser types them."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from referee_client import Organiser

from referee.cli import main
from tests.clients.sdk import run_bot
from tests.e2e.server import ServerProcess, create_organiser_token, run_server

pytestmark = pytest.mark.slow

NAMES = ("anna", "bert", "carl")


class House:
    """A server, an organiser's token, and three bots that are there."""

    def __init__(self, server: ServerProcess, token: str, tokens: dict[str, str]) -> None:
        self.server = server
        self.token = token
        self.tokens = tokens

    def told(self, *words: str, by: str = "") -> Result:
        environment = {"BOT_REFEREE": self.server.address, "BOT_TOKEN": by or self.token, "BOT_CA": None}
        return CliRunner().invoke(main, words, env=environment)

    def says(self, *words: str, by: str = "") -> str:
        result = self.told(*words, by=by)
        assert result.exit_code == 0, result.output
        return result.output


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with ExitStack() as stack:
        server = stack.enter_context(run_server(tmp_path_factory.mktemp("server"), "--ephemeral"))
        token = create_organiser_token(stack.enter_context(server.channel()), server.admin_token)
        ours = stack.enter_context(Organiser(server.address, token))
        tokens = {name: ours.register_bot(name) for name in NAMES}
        for name in NAMES:
            stack.enter_context(run_bot(server, tokens[name], "random"))
        yield House(server, token, tokens)


def written(folder: Path, name: str, text: str) -> str:
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_tournament_from_its_file_to_its_report(house: House, tmp_path: Path) -> None:
    file = written(tmp_path, "cup", 'game = "alquerque"\nclock = "60+1"\nround_robin = {}\nentrants = ["anna"]\n')
    assert house.says("tournament", "create", file) == "cup: entry, 1 entrants, 0/? pairings\n"
    house.says("tournament", "enter", "cup", "bert")
    house.says("tournament", "enter", "cup", by=house.tokens["carl"])
    assert house.says("tournament", "show", "cup").splitlines()[1:] == list(NAMES)
    assert "cup: playing, 3 entrants" in house.says("tournament", "start", "cup")

    lines = house.says("tournament", "watch", "cup").splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    assert lines[-1].endswith("finished")
    after = house.says("tournament", "watch", "cup", "--after", str(len(lines) - 1)).splitlines()
    assert after == lines[-1:]

    shown = house.says("tournament", "show", "cup")
    assert "cup: finished, 3 entrants, 3/3 pairings" in shown
    assert all(re.search(rf"^\d {name} ", shown, re.MULTILINE) for name in NAMES)
    assert "cup" in house.says("tournament", "list", "--phase", "finished", "--bot", "anna")
    assert house.says("tournament", "export", "cup", "csv").startswith("rank,entrant,points")
    sheet = tmp_path / "cup.trf"
    house.says("tournament", "export", "cup", "trf", "-o", str(sheet))
    assert sheet.read_text().startswith("012 ")

    told = house.says("report", "cup")
    assert all(word in told for word in ("time used", "ended by", "format: round robin"))
    page = tmp_path / "cup.html"
    house.says("report", "cup", "--html", "-o", str(page))
    assert page.read_text(encoding="utf-8").count("<section>") == 7


def test_a_tournament_can_be_left_and_called_off(house: House, tmp_path: Path) -> None:
    entrants = 'entrants = ["anna", "bert", "carl"]'
    file = written(tmp_path, "rain", f'game = "trox"\nround_robin = {{ cycles = 40 }}\n{entrants}\n')
    house.says("tournament", "create", file)
    assert "2 entrants" in house.says("tournament", "withdraw", "rain", "carl")
    house.says("tournament", "start", "rain")
    assert house.says("tournament", "cancel", "rain", "--message", "it rains").startswith("rain: cancelled")
    assert house.says("tournament", "watch", "rain").splitlines()[-1].endswith("cancelled: it rains")


def test_a_ladder_from_its_file_to_its_report(house: House, tmp_path: Path) -> None:
    file = written(tmp_path, "main", 'title = "The main ladder"\nclock = "60+1"\n[[games]]\ngame = "alquerque"\n')
    assert house.says("ladder", "create", file).startswith("main is open")
    for name in NAMES[:2]:
        assert f"{name} joined, rated 1500" in house.says("ladder", "join", "main", name)
    assert "carl joined" in house.says("ladder", "join", "main", by=house.tokens["carl"])
    with Organiser(house.server.address, house.token) as ours:
        entries = ours.ladders.watch("main")
        rated = [next(entry for entry in entries if entry.HasField("match_rated")) for _ in range(6)]
        entries.close()
    challenge = house.says("ladder", "challenge", "main", "anna", "bert")
    assert "anna - bert" in challenge or "bert - anna" in challenge  # By who had the first move less often so far.
    assert "carl left" in house.says("ladder", "leave", "main", "carl")
    assert "season 2 started" in house.says("ladder", "season", "main")
    bot = rated[0].match_rated.ratings[0].bot
    assert rated[0].match_rated.match_id in house.says("ladder", "history", "main", bot)
    assert "main" in house.says("ladder", "list", "--game", "alquerque")
    assert "main is paused" in house.says("ladder", "pause", "main", "--message", "back soon")
    assert " paused " in house.says("ladder", "list")
    assert "main is resumed" in house.says("ladder", "resume", "main")
    assert "main is closing" in house.says("ladder", "close", "main", "--message", "thanks")
    lines = house.says("ladder", "watch", "main").splitlines()
    assert lines[-1].endswith("closed: thanks")
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))

    shown = house.says("ladder", "show", "main")
    assert "state: closed, season: 2" in shown
    assert "main" not in house.says("ladder", "list")
    assert "main" in house.says("ladder", "list", "--closed")
    page = house.says("report", "main", "--html")
    assert "Rating over time" in page
    assert house.says("report", "main", "--ladder").startswith("The main ladder")


def test_what_the_referee_refuses_is_one_sentence_and_status_1(house: House) -> None:
    refused = house.told("tournament", "start", "nowhere")
    assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
    assert "NO_SUCH_TOURNAMENT" in refused.output
    assert "neither a tournament nor a ladder called 'nowhere'" in house.told("report", "nowhere").output
    assert "NO_SUCH_LADDER" in house.told("ladder", "join", "nowhere").output


@pytest.mark.parametrize("kind", ["ladder", "tournament"])
def test_a_number_before_the_first_entry_is_refused_and_not_sent(kind: str) -> None:
    refused = CliRunner().invoke(main, [kind, "watch", "main", "--after", "-1", "--at", "localhost:1", "--token", "x"])
    assert (refused.exit_code, "x>=0" in refused.output) == (2, True)


def test_where_the_referee_is_must_be_told(tmp_path: Path) -> None:
    nothing = {"BOT_REFEREE": None, "BOT_TOKEN": None}
    refused = CliRunner().invoke(main, ["ladder", "list"], env=nothing)
    assert refused.exit_code == 1
    assert "BOT_REFEREE" in refused.output
    file = written(tmp_path, "cup", 'game = "trox"\n[bots]\nanna = "random"\n')
    refused = CliRunner().invoke(main, ["tournament", "create", file, "--at", "localhost:1", "--token", "x"])
    assert (refused.exit_code, "by themselves" in refused.output) == (2, True)
