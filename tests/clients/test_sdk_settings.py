"""Arguments of the Python SDK for address, token and settings. `test_sdk_vectors` has those from the environment."""

from referee_client.address import Address, address
from referee_client.playing import session_options

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
