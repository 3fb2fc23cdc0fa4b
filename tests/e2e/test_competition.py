"""A whole competition of strangers, from sign-up to verification.

Authors redeem an invitation, register and enter bots, and play a Swiss tournament in which some never connect and the
server is killed in the middle of a round. The best play a knock-out. Everything is published and verified.
"""

import random
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_api.v1 import contest_pb2, match_pb2

from tests.e2e.contests import match_terms
from tests.e2e.honest_bots import run_honest_bots, wait_until_online
from tests.e2e.organiser import call_method, call_with_timeout
from tests.e2e.server import TIMEOUT_S, ServerProcess, create_organiser_token, run_server
from tests.e2e.server_metrics import error_log_lines

pytestmark = pytest.mark.slow

LATER = {"seconds": 2**32}
SWISS, CUP = "open", "final"
FLAGS = ("--redemptions-per-minute", "100000")
"""All authors sign up from one address."""
BOTS_PER_PROCESS = 40
NO_SHOW_MS = 25_000
"""Long enough for bots to reconnect on a busy machine after the server was killed."""


@dataclass(frozen=True, slots=True)
class Author:
    bot: str
    token: str
    bot_token: str


class Competition:
    """The organiser's view of the competition, on one server process after another."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.token = ""
        self.server: ServerProcess
        self.channel: grpc.Channel
        self._runs = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run a server on the data of the one before."""
        with run_server(self.folder, *FLAGS) as self.server, self.server.channel() as self.channel:
            self.token = self.token or create_organiser_token(self.channel, self.server.admin_token, "organiser")
            yield

    @contextmanager
    def connected(self, authors: Sequence[Author]) -> Iterator[None]:
        """Run the bots of these authors, and wait until all are connected."""
        self._runs += 1
        with ExitStack() as stack:
            for first in range(0, len(authors), BOTS_PER_PROCESS):
                folder = self.folder / f"bots {self._runs}.{first}"
                folder.mkdir()
                secrets = [author.bot_token for author in authors[first : first + BOTS_PER_PROCESS]]
                stack.enter_context(run_honest_bots(self.server, folder, secrets))
            wait_until_online(self.channel, self.token, {author.bot for author in authors})
            yield

    def call(self, method: str, **fields: Any) -> Any:
        return call_method(self.channel, method, self.token, **fields)

    def sign_up(self, number: int) -> list[Author]:
        """Let authors redeem one code, without a token, and register a bot each."""
        code = self.call(
            "InvitationService/CreateInvitation", request_id="sign-up", max_uses=number, expire_time=LATER
        ).code
        authors = []
        for name in (f"team-{index:03}" for index in range(number)):
            fields = {"code": code, "holder": name, "request_id": name}
            token = call_method(self.channel, "InvitationService/RedeemInvitation", None, **fields).secret
            registered = call_method(self.channel, "BotService/RegisterBot", token, request_id="bot", name=name)
            authors.append(Author(name, token, registered.secret))
        return authors

    def enter(self, author: Author, tournament: str) -> None:
        entrant = {"bots": [{"bot": author.bot}]}
        call_method(
            self.channel, "TournamentService/EnterTournament", author.token, tournament=tournament, entrant=entrant
        )

    def create(self, name: str, **terms: Any) -> None:
        terms = {"match_terms": match_terms(), "no_show_ms": NO_SHOW_MS, "max_no_shows": 1} | terms
        self.call("TournamentService/CreateTournament", request_id=name, name=name, terms=terms)

    def pairings(self, tournament: str) -> list[contest_pb2.Pairing]:
        response = self.call("TournamentService/ListPairings", tournament=tournament, page_size=1000)
        assert not response.next_page_token
        return list(response.pairings)

    def standings(self, tournament: str) -> list[Any]:
        return list(self.call("TournamentService/GetTournamentStandings", tournament=tournament).standings)

    def wait_for_pairing(self, tournament: str, round_number: int) -> None:
        """Wait until the first pairing of that round is finished."""
        fields = {"tournament": tournament, "after_number": 0}
        watched = call_with_timeout(
            self.channel, "TournamentService/WatchTournament", self.token, 3 * TIMEOUT_S, fields
        )
        pairings = (item.entry.pairing for response in watched for item in response.items)
        assert any(pairing.round == round_number and pairing.points for pairing in pairings)
        watched.cancel()

    def wait_for_end(self, tournament: str) -> None:
        fields = {"tournament": tournament}
        list(call_with_timeout(self.channel, "TournamentService/WatchTournament", self.token, 3 * TIMEOUT_S, fields))

    def publish_and_verify(self, tournament: str) -> None:
        """Publish the tournament with the command line, and run the commands of its README."""
        referee = Path(sys.executable).with_name("referee")
        archive = self.folder / f"{tournament}.tar.gz"
        environment = {"BOT_REFEREE": self.server.address, "BOT_TOKEN": self.token, "PATH": f"{referee.parent}:/bin"}
        command = [str(referee), "tournament", "publish", tournament, "--out", str(archive)]
        subprocess.run(command, env=environment, check=True, timeout=TIMEOUT_S)
        with tarfile.open(archive) as opened:
            opened.extractall(self.folder / "published", filter="data")
        folder = self.folder / "published" / tournament
        commands = re.findall(r"^\$ (.*)$", (folder / "README.md").read_text(), re.MULTILINE)
        assert commands
        for line in commands:
            subprocess.run(line, shell=True, cwd=folder, env=environment, check=True, timeout=2 * TIMEOUT_S)


@pytest.mark.parametrize(("number", "rounds", "best"), [(11, 3, 4), pytest.param(150, 5, 8, marks=pytest.mark.soak)])
def test_a_competition_is_played_from_sign_up_to_verification(
    tmp_path: Path, rng: random.Random, number: int, rounds: int, best: int
) -> None:
    competition = Competition(tmp_path)
    with competition.running():
        authors = competition.sign_up(number)
        competition.create(SWISS, swiss={"rounds": rounds})
        competition.create(CUP, elimination={}, qualification={"tournament": SWISS, "best": best})
        for author in authors:
            competition.enter(author, SWISS)
        absent = rng.sample(authors, number // 10)
        present = [author for author in authors if author not in absent]
        with competition.connected(present):
            competition.call("TournamentService/StartTournament", name=SWISS)
            competition.wait_for_pairing(SWISS, 2)
            competition.server.kill()
    with competition.running(), competition.connected(present):
        competition.wait_for_end(SWISS)
        check_swiss(competition, {author.bot for author in absent}, rounds)
        qualified = [row.entrant for row in competition.standings(SWISS)[:best]]
        competition.wait_for_end(CUP)
        assert {row.entrant for row in competition.standings(CUP)} == set(qualified)
        assert len(competition.pairings(CUP)) == best - 1
        check_matches(competition)
        competition.publish_and_verify(SWISS)
        competition.publish_and_verify(CUP)
        assert not list(error_log_lines(competition.server))


def check_swiss(competition: Competition, absent: set[str], rounds: int) -> None:
    """Assert that exactly the absent entrants lost by absence, once, and were then withdrawn."""
    missed = [name for pairing in competition.pairings(SWISS) for name in pairing.absent_entrants]
    assert sorted(missed) == sorted(absent)
    tournament = competition.call("TournamentService/GetTournament", name=SWISS).tournament
    assert set(tournament.withdrawn_entrants) == absent
    assert tournament.current_round == rounds
    for row in competition.standings(SWISS):
        assert row.no_shows == (row.entrant in absent)


def check_matches(competition: Competition) -> None:
    """Assert that no match was lost by a fault, nor became void because of the crash."""
    for tournament in (SWISS, CUP):
        phase = match_pb2.MATCH_PHASE_OVER
        matches = competition.call(
            "MatchService/ListMatches", tournament=tournament, phase=phase, page_size=1000
        ).matches
        played = {match_id for pairing in competition.pairings(tournament) for match_id in pairing.match_ids}
        assert {match.id for match in matches} == played
        assert {match.result.WhichOneof("kind") for match in matches} == {"played"}
