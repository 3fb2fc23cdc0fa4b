"""How the Python SDK finds the address and the token for its referee."""

from pathlib import Path

import pytest
from referee_client import Misconfigured
from referee_client.address import Address, address

VARIABLES = {"BOT_REFEREE": "there:7700", "BOT_TOKEN": "secret"}


def test_missing_arguments_are_taken_from_the_environment() -> None:
    assert address(None, None, None, VARIABLES) == Address("there:7700", "secret")
    variables = {**VARIABLES, "BOT_CA": "roots.pem", "BOT_PLAINTEXT": "1"}
    assert address("here:1", "mine", None, variables) == Address("here:1", "mine", "roots.pem", plaintext=True)


@pytest.mark.parametrize("missing", VARIABLES)
def test_a_missing_setting_is_named(missing: str) -> None:
    with pytest.raises(Misconfigured, match=missing):
        address(None, None, None, {**VARIABLES, missing: ""})


@pytest.mark.parametrize("target", ["127.0.0.1", "http://127.0.0.1:7700", ":7700", "there:65536", "there:port"])
def test_an_invalid_address_is_rejected_at_the_start(target: str) -> None:
    with pytest.raises(Misconfigured, match=f"HOST:PORT, not {target!r}"):
        address(target, None, None, VARIABLES)


@pytest.mark.parametrize("token", ["rf_secret\n", "rf_sécret"])
def test_a_token_that_cannot_be_sent_is_rejected_and_not_shown(token: str) -> None:
    with pytest.raises(Misconfigured, match="BOT_TOKEN") as raised:
        address(None, token, None, VARIABLES)
    assert "rf_" not in str(raised.value)


def test_the_repr_of_an_address_hides_the_secret() -> None:
    assert "secret" not in repr(Address("there:7700", "secret"))


def test_missing_root_certificates_are_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="no-roots"):
        Address("there:7700", "secret", str(tmp_path / "no-roots.pem")).channel()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_tls_is_not_used_for_this_machine(host: str) -> None:
    assert not Address(f"{host}:1", "secret").tls


@pytest.mark.parametrize(
    "host", ["referee.example", "10.0.0.1", "[2001:db8::1]", "127.0.0.1.evil.example", "localhost.evil.example"]
)
def test_tls_is_used_for_other_machines_unless_plaintext_is_permitted(host: str) -> None:
    assert Address(f"{host}:1", "secret").tls
    assert not Address(f"{host}:1", "secret", plaintext=True).tls


def test_root_certificates_imply_tls_on_this_machine_too() -> None:
    assert Address("localhost:1", "secret", "roots.pem", plaintext=True).tls


def test_the_token_is_read_from_a_file_if_it_is_not_given(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-a-file\n")
    variables = {**VARIABLES, "BOT_TOKEN_FILE": str(file)}
    assert address(None, None, None, variables).token == "secret"
    assert address(None, None, None, {**variables, "BOT_TOKEN": ""}).token == "from-a-file"
    with pytest.raises(Misconfigured, match=r"BOT_TOKEN_FILE.*no-token"):
        address(None, None, None, {"BOT_REFEREE": "there:7700", "BOT_TOKEN_FILE": str(tmp_path / "no-token")})


def test_an_empty_token_is_none_and_the_environment_is_not_read() -> None:
    assert address(None, "", None, VARIABLES).metadata == ()
    assert address(None, None, None, VARIABLES).metadata == (("authorization", "Bearer secret"),)
