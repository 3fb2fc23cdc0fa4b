"""A connection with TLS to a port without, and the reverse: the errors of the Python SDK and command line say so."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from click.testing import CliRunner
from referee_client import Organiser, Unreachable
from referee_client.address import Address, address
from referee_client.backoff import Backoff
from referee_client.bot import Players
from referee_client.errors import call_error
from referee_client.playing import session_options
from referee_client.runners import SeatRunner
from referee_client.seats import Seats
from referee_client.session import Session, SessionOptions

from referee.cli import main
from tests.clients.certificates import create_certificates
from tests.clients.test_sdk_turns import async_test

NO_TLS = "the server uses no TLS at this port: do not set BOT_CA"
TLS = "the server may use TLS at this port: set BOT_CA"


@contextmanager
def listening(credentials: grpc.ServerCredentials | None = None) -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(1))
    port = (
        server.add_secure_port("127.0.0.1:0", credentials) if credentials else server.add_insecure_port("127.0.0.1:0")
    )
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)


@pytest.fixture
def wrong_connections(tmp_path: Path) -> Iterator[dict[str, Address]]:
    """Addresses with the wrong kind of connection, by the cause that errors must name."""
    ca, (_, cert, _, key) = create_certificates(tmp_path)
    credentials = grpc.ssl_server_credentials([(Path(key).read_bytes(), Path(cert).read_bytes())])
    with listening() as plain, listening(credentials) as secure:
        yield {NO_TLS: Address(plain, "secret", str(ca)), TLS: Address(secure, "secret")}


@pytest.mark.parametrize("cause", [NO_TLS, TLS])
def test_an_error_of_an_organiser_names_the_likely_cause(wrong_connections: dict[str, Address], cause: str) -> None:
    address = wrong_connections[cause]
    with (
        Organiser(address.target, address.token, ca=address.ca or None, patience_s=0) as organiser,
        pytest.raises(Unreachable, match=cause),
    ):
        organiser.own_token()


@pytest.mark.parametrize("cause", [NO_TLS, TLS])
def test_a_bot_logs_the_likely_cause(
    wrong_connections: dict[str, Address], cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    @async_test
    async def scenario() -> None:
        seats = Seats(SeatRunner(Players(lambda turn: turn.legal_moves[0])))
        await Session(SessionOptions(listed=True), seats, Backoff()).run(wrong_connections[cause])

    scenario()
    assert cause in caplog.text


def test_the_command_line_names_the_likely_cause(
    wrong_connections: dict[str, Address], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.cli._shared.client_options.PATIENCE_S", 0)
    arguments = ["bot", "list", "--at", wrong_connections[TLS].target, "--token", "secret"]
    result = CliRunner().invoke(main, arguments)
    assert TLS in result.output


@pytest.mark.parametrize(
    ("details", "cause"),
    [
        ("SSL routines::certificate verify failed; CERTIFICATE_VERIFY_FAILED", "BOT_CA must be the file"),
        ("Trying to connect an http1.x server", "this port is for HTTP"),
        ("ipv6:%5B::1%5D:7701: Failed to connect to remote host: Connection refused", "set 127.0.0.1 instead"),
    ],
)
def test_a_failed_connection_names_other_likely_causes(details: str, cause: str) -> None:
    details = f"failed to connect to all addresses; last error: {details}"
    metadata = grpc.aio.Metadata()
    error = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, metadata, metadata, details)
    assert cause in str(call_error(error))


VARIABLES = {"BOT_REFEREE": "there:7700", "BOT_TOKEN": "secret"}


def test_missing_arguments_are_taken_from_the_environment() -> None:
    assert address(None, None, None, VARIABLES) == Address("there:7700", "secret")
    variables = {**VARIABLES, "BOT_CA": "roots.pem", "BOT_PLAINTEXT": "1"}
    assert address("here:1", "mine", None, variables) == Address("here:1", "mine", "roots.pem", plaintext=True)


def test_the_repr_of_an_address_hides_the_secret() -> None:
    assert "secret" not in repr(Address("there:7700", "secret"))


def test_an_empty_token_is_none_and_the_environment_is_not_read() -> None:
    assert address(None, "", None, VARIABLES).metadata == ()
    assert address(None, None, "", {**VARIABLES, "BOT_CA": "roots.pem"}).ca == ""
    assert address(None, None, None, VARIABLES).metadata == (("authorization", "Bearer secret"),)


def test_arguments_replace_the_variables() -> None:
    environ = {"BOT_VERDICTS_WITH_TURNS": "1", "BOT_MAX_MATCHES": "8", "BOT_VERSION": "3"}
    options = session_options("", (), 0, verdicts_with_turns=False, environ=environ)
    assert (options.version, options.max_matches, options.verdicts_with_turns) == ("", 0, False)
