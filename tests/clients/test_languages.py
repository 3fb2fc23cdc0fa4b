"""Clients in other languages, built and run as their READMEs say, on a real server with TLS."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from referee_client import Organiser

from tests.clients.authority import certified
from tests.clients.languages import LANGUAGES, Language
from tests.clients.relay import relaying
from tests.clients.sdk import HASTY, Program, long, started
from tests.clients.workshop import Workshop, works
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

TABLES = {
    "alquerque": ("anna", "bert"),
    "trox": ("bert", "anna"),
    "troke": ("anna", "bert"),
    "toc": ("anna", "bert", "anna", "bert"),
}


@dataclass(frozen=True)
class Sample:
    """How to start a sample bot."""

    command: list[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


PYTHON = Sample([sys.executable, "-m", "referee_client", "random"], Path.cwd())


def sample_of(language: Language) -> Sample:
    return Sample(language.run, language.folder, language.environment)


class House:
    """A folder with a server's data and certificates, and its organiser."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._roots, self._flags = certified(folder)

    @contextmanager
    def serving(self, *flags: str) -> Iterator[ServerProcess]:
        with run_server(self._folder, *self._flags, *flags) as server:
            yield server

    def organiser(self, server: ServerProcess) -> Organiser:
        return Organiser(server.address, server.admin_token, ca=self._roots, patience_s=TIMEOUT_S)

    def bot(self, sample: Sample, server: ServerProcess, secret: str, **told: str) -> AbstractContextManager[Program]:
        """Run the sample bot with the test's root certificates. It is killed on exit."""
        told = {**sample.environment, "BOT_CA": str(self._roots), **told}
        return started(sample.command, server, secret, sample.folder, **told)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.name)
def language(request: pytest.FixtureRequest, workshop: Workshop) -> Language:
    built: Language = request.param
    workshop.build(built)
    return built


@pytest.fixture
def sample(language: Language) -> Sample:
    return sample_of(language)


def test_its_own_tests_pass_and_it_looks_as_it_should(language: Language) -> None:
    for check in language.checks:
        works(language, check)


def test_it_keeps_to_every_clause_of_the_protocol(language: Language) -> None:
    kit = [sys.executable, "-m", "referee", "conformance", "--tls", "--patience", "120", "--", *language.run]
    environment = {**os.environ, **language.environment, "BOT_MAX_MATCHES": "8"}
    tried = subprocess.run(kit, cwd=language.folder, env=environment, capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_its_bot_plays_all_games_at_once_and_to_the_end(house: House, sample: Sample) -> None:
    with house.serving("--ephemeral") as server, house.organiser(server) as ours, ExitStack() as stack:
        for name in ("anna", "bert"):
            stack.enter_context(house.bot(sample, server, ours.register_bot(name)))
        matches = [ours.create_match(long(game), table) for game, table in TABLES.items()]
        for match in matches:
            assert ours.result(match.id).kind == "played", match


def test_its_match_goes_on_after_the_server_was_killed(house: House, sample: Sample) -> None:
    with ExitStack() as stack:
        with house.serving() as server:
            ours = stack.enter_context(house.organiser(server))
            secrets = [ours.register_bot(name) for name in ("anna", "bert")]
            bots = [stack.enter_context(house.bot(sample, server, secret)) for secret in secrets]
            match = ours.create_match(long("troke"), ("anna", "bert"))
            entries = ours.watch(match.id)
            numbers = [next(entries).number for _ in range(12)]
            server.kill()
        with house.serving("--listen", server.address):
            numbers += [entry.number for entry in entries]
            assert numbers == list(range(1, len(numbers) + 1))
            assert ours.result(match.id).kind == "played"
            assert [bot.process.poll() for bot in bots] == [None, None]


def test_it_leaves_a_connection_that_carries_nothing_any_more_for_a_new_one(house: House, sample: Sample) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(house.serving("--ephemeral", *HASTY))
        ours = stack.enter_context(house.organiser(server))
        relay = stack.enter_context(relaying(server.address))
        bot = stack.enter_context(house.bot(sample, server, ours.register_bot("anna"), BOT_REFEREE=relay.address))
        match = ours.create_match(long("troke"), ("anna", "anna"))
        entries = ours.watch(match.id)
        assert f"connected to {relay.address} as anna, version 1" in bot.wait_for("connected to")
        assert any(entry.HasField("move_played") for entry in entries)
        before = relay.connections
        relay.stall()
        bot.wait_for("nothing was received for 6 s")
        bot.wait_for("connected to")
        assert ours.result(match.id).kind == "played"
        assert relay.connections > before


def test_who_is_taken_over_stops_with_status_3_and_the_newer_one_plays_on(house: House, sample: Sample) -> None:
    with house.serving("--ephemeral") as server, house.organiser(server) as ours:
        secret = ours.register_bot("anna")
        with house.bot(sample, server, secret) as older:
            match = ours.create_match(long("trox"), ("anna", "anna"))
            entries = ours.watch(match.id)
            assert any(entry.HasField("move_played") for entry in entries)
            with house.bot(sample, server, secret) as newer:
                assert older.exit_status() == 3, older.output()
                assert ours.result(match.id).kind == "played"
                assert newer.process.poll() is None


def test_a_token_that_is_no_good_stops_the_program_with_status_4_and_a_sentence(house: House, sample: Sample) -> None:
    with house.serving("--ephemeral") as server, house.bot(sample, server, "rf_wrong") as bot:
        bot.wait_for("token")
        assert bot.exit_status() == 4, bot.output()


def test_a_bot_that_is_asked_to_go_in_the_middle_of_a_match_goes_with_status_0(house: House, sample: Sample) -> None:
    with house.serving("--ephemeral") as server, house.organiser(server) as ours, ExitStack() as stack:
        bot = stack.enter_context(house.bot(sample, server, ours.register_bot("anna")))
        match = ours.create_match(long("toc"), ("anna",) * 4)
        assert any(entry.HasField("move_played") for entry in ours.watch(match.id))
        assert bot.stop() == 0, bot.output()


def test_four_languages_sit_at_one_table_of_toc(house: House, workshop: Workshop) -> None:
    for language in LANGUAGES:
        workshop.build(language)
    players = {"python": PYTHON} | {each.name: sample_of(each) for each in LANGUAGES}
    names = list(players)
    with house.serving("--ephemeral") as server, house.organiser(server) as ours, ExitStack() as stack:
        for name, player in players.items():
            stack.enter_context(house.bot(player, server, ours.register_bot(name)))
        tables = [names[:4], names[-4:]]
        for match in [ours.create_match(long("toc"), table) for table in tables]:
            assert ours.result(match.id).kind == "played", match
