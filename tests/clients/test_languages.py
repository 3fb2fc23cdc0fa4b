"""Clients in other languages, built and run as their READMEs say, on a real server with TLS."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from referee_client import Organiser
from referee_values import MovePlayed, PlayStarted

from tests.clients.certificates import create_certificates
from tests.clients.client_builds import ClientBuilder, run_in_client
from tests.clients.languages import LANGUAGES, Language
from tests.clients.relay import run_relay
from tests.clients.sdk import SHORT_HEARTBEAT, BotProgram, long_match, run_program
from tests.clients.test_sdk_tls import NO_TLS, TLS
from tests.cluster.faulty_proxy import run_proxy
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


DELAY_S = 0.03
"""Time by which a slow network delays each part of the data; a match of Troke is still going on after a few seconds."""
ATTEMPTS = 4
"""Connections of which one must fail in the usual way: a server that rejects one can also reset it."""
PYTHON = Sample([sys.executable, "-m", "referee_client", "random"], Path.cwd())


def sample_of(language: Language) -> Sample:
    return Sample(language.run, language.folder, language.environment)


class TlsServer:
    """A folder with a server's data and certificates, and its organiser."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._roots, self._flags = create_certificates(folder)

    @contextmanager
    def run(self, *flags: str) -> Iterator[ServerProcess]:
        with run_server(self._folder, *self._flags, *flags) as server:
            yield server

    def connect_organiser(self, server: ServerProcess) -> Organiser:
        return Organiser(server.address, server.admin_token, ca=self._roots, patience_s=TIMEOUT_S)

    def run_bot(
        self, sample: Sample, server: ServerProcess, secret: str, **variables: str
    ) -> AbstractContextManager[BotProgram]:
        """Run the sample bot with the test's root certificates. It is killed on exit."""
        variables = {**sample.environment, "BOT_CA": str(self._roots), **variables}
        return run_program(sample.command, server, secret, sample.folder, **variables)


@pytest.fixture
def tls_server(tmp_path: Path) -> TlsServer:
    return TlsServer(tmp_path)


@pytest.fixture(params=LANGUAGES, ids=lambda language: language.name)
def language(request: pytest.FixtureRequest, client_builder: ClientBuilder) -> Language:
    built: Language = request.param
    client_builder.build(built)
    return built


@pytest.fixture
def sample(language: Language) -> Sample:
    return sample_of(language)


def test_the_tests_linter_and_formatter_of_a_client_pass(language: Language) -> None:
    for check in language.checks:
        run_in_client(language, check)


def test_a_client_passes_the_conformance_kit(any_sample: Sample) -> None:
    kit = [sys.executable, "-m", "referee", "conformance", "--tls", "--patience", "120", "--", *any_sample.command]
    environment = {**os.environ, **any_sample.environment, "BOT_MAX_MATCHES": "8"}
    completed = subprocess.run(kit, cwd=any_sample.folder, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr


def test_a_client_plays_all_games_concurrently_to_the_end(tls_server: TlsServer, sample: Sample) -> None:
    with (
        tls_server.run("--ephemeral") as server,
        tls_server.connect_organiser(server) as organiser,
        ExitStack() as stack,
    ):
        for name in ("anna", "bert"):
            stack.enter_context(tls_server.run_bot(sample, server, organiser.register_bot(name)))
        matches = [organiser.create_match(long_match(game), table) for game, table in TABLES.items()]
        for match in matches:
            assert organiser.result(match.id).played, match


def test_a_match_continues_after_the_server_was_killed(tls_server: TlsServer, sample: Sample) -> None:
    with ExitStack() as stack:
        with tls_server.run() as server:
            organiser = stack.enter_context(tls_server.connect_organiser(server))
            secrets = [organiser.register_bot(name) for name in ("anna", "bert")]
            bots = [stack.enter_context(tls_server.run_bot(sample, server, secret)) for secret in secrets]
            match = organiser.create_match(long_match("troke"), ("anna", "bert"))
            entries = organiser.watch(match.id)
            numbers = [next(entries).number for _ in range(12)]
            server.kill()
        with tls_server.run("--listen", server.address):
            numbers += [entry.number for entry in entries]
            assert numbers == list(range(1, len(numbers) + 1))
            assert organiser.result(match.id).played
            assert [bot.process.poll() for bot in bots] == [None, None]


def test_a_client_replaces_a_stalled_connection(tls_server: TlsServer, sample: Sample) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(tls_server.run("--ephemeral", *SHORT_HEARTBEAT))
        organiser = stack.enter_context(tls_server.connect_organiser(server))
        relay = stack.enter_context(run_relay(server.address))
        bot = stack.enter_context(
            tls_server.run_bot(sample, server, organiser.register_bot("anna"), BOT_REFEREE=relay.address)
        )
        match = organiser.create_match(long_match("troke"), ("anna", "anna"))
        entries = organiser.watch(match.id)
        assert f"connected to {relay.address} as anna, version 1" in bot.wait_for("connected to")
        assert any(isinstance(entry.event, MovePlayed) for entry in entries)
        before = relay.connections
        relay.stall()
        bot.wait_for("nothing was received for 6 s")
        bot.wait_for("connected to")
        assert organiser.result(match.id).played
        assert relay.connections > before


@pytest.fixture(params=["python", *(language.name for language in LANGUAGES)])
def any_sample(request: pytest.FixtureRequest, client_builder: ClientBuilder) -> Sample:
    """The sample bot of each client, including Python's."""
    for language in LANGUAGES:
        if language.name == request.param:
            client_builder.build(language)
            return sample_of(language)
    return PYTHON


def test_no_match_is_lost_to_a_faulty_network(tls_server: TlsServer, any_sample: Sample) -> None:
    """Connections are slow all the time, are cut once, and once stop to forward for longer than a heartbeat."""
    with ExitStack() as stack:
        server = stack.enter_context(tls_server.run("--ephemeral", *SHORT_HEARTBEAT))
        organiser = stack.enter_context(tls_server.connect_organiser(server))
        host, _, port = server.address.rpartition(":")
        proxy = stack.enter_context(run_proxy(host, int(port)))
        proxy.slow_down(DELAY_S)
        secret = organiser.register_bot("anna")
        bot = stack.enter_context(tls_server.run_bot(any_sample, server, secret, BOT_REFEREE=proxy.address))
        match = organiser.create_match(long_match("troke"), ("anna", "anna"))
        entries = organiser.watch(match.id)
        for fault, symptom in ((proxy.cut, "reconnecting in"), (proxy.stall, "nothing was received for 6 s")):
            bot.wait_for("connected to")
            assert any(isinstance(entry.event, MovePlayed) for entry in entries)
            fault()
            bot.wait_for(symptom)
            proxy.slow_down(DELAY_S)
        bot.wait_for("connected to")
        proxy.heal()
        assert organiser.result(match.id).played


def test_a_session_that_is_taken_over_exits_with_status_3_and_the_newer_one_plays(
    tls_server: TlsServer, sample: Sample
) -> None:
    with tls_server.run("--ephemeral") as server, tls_server.connect_organiser(server) as organiser:
        secret = organiser.register_bot("anna")
        with tls_server.run_bot(sample, server, secret) as older:
            match = organiser.create_match(long_match("trox"), ("anna", "anna"))
            entries = organiser.watch(match.id)
            assert any(isinstance(entry.event, MovePlayed) for entry in entries)
            with tls_server.run_bot(sample, server, secret) as newer:
                assert older.exit_status() == 3, older.output()
                assert organiser.result(match.id).played
                assert newer.process.poll() is None


def test_an_invalid_token_ends_the_program_with_status_4_and_a_message(tls_server: TlsServer, sample: Sample) -> None:
    with tls_server.run("--ephemeral") as server, tls_server.run_bot(sample, server, "rf_wrong") as bot:
        bot.wait_for("token")
        assert bot.exit_status() == 4, bot.output()


def test_a_client_without_tls_names_the_likely_cause_at_a_port_with_tls(tls_server: TlsServer, sample: Sample) -> None:
    with tls_server.run("--ephemeral") as server, tls_server.run_bot(sample, server, "secret", BOT_CA="") as bot:
        assert any(TLS in bot.wait_for("reconnecting in") for _ in range(ATTEMPTS)), bot.output()


def test_a_client_with_tls_names_the_likely_cause_at_a_port_without(
    tls_server: TlsServer, sample: Sample, tmp_path: Path
) -> None:
    with run_server(tmp_path, "--ephemeral") as server, tls_server.run_bot(sample, server, "secret") as bot:
        assert any(NO_TLS in bot.wait_for("reconnecting in") for _ in range(ATTEMPTS)), bot.output()


def test_a_bot_stopped_during_a_match_exits_with_status_0(tls_server: TlsServer, sample: Sample) -> None:
    with (
        tls_server.run("--ephemeral") as server,
        tls_server.connect_organiser(server) as organiser,
        ExitStack() as stack,
    ):
        bot = stack.enter_context(tls_server.run_bot(sample, server, organiser.register_bot("anna")))
        match = organiser.create_match(long_match("toc"), ("anna",) * 4)
        assert any(isinstance(entry.event, MovePlayed) for entry in organiser.watch(match.id))
        assert bot.stop() == 0, bot.output()


def test_bots_in_different_languages_play_one_match_of_toc_and_all_contribute_to_its_seed(
    tls_server: TlsServer, client_builder: ClientBuilder
) -> None:
    for language in LANGUAGES:
        client_builder.build(language)
    players = {"python": PYTHON} | {each.name: sample_of(each) for each in LANGUAGES}
    names = list(players)
    with (
        tls_server.run("--ephemeral") as server,
        tls_server.connect_organiser(server) as organiser,
        ExitStack() as stack,
    ):
        bots = [
            stack.enter_context(tls_server.run_bot(player, server, organiser.register_bot(name)))
            for name, player in players.items()
        ]
        tables = [names[:4], names[-4:]]
        terms = replace(long_match("toc"), nonce_within="10m")
        for match in [organiser.create_match(terms, table) for table in tables]:
            assert organiser.result(match.id).played, match
            [began] = [entry.event for entry in organiser.watch(match.id) if isinstance(entry.event, PlayStarted)]
            assert [len(nonce.nonce) for nonce in began.seed_commitment.nonces] == [32] * 4
        for bot in bots:
            assert "seed" not in bot.output(), "a client reports an honest seed"
