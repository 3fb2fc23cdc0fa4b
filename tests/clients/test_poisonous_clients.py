"""An answer that cannot be sent, or is far too long, costs a bot in any language that match only.

`poisonous_bots` has a bot for each client. In Trox it answers with two million characters, and after a rejection with
text that is not valid Unicode where the language permits it; in other games it plays the first legal move.
"""

from pathlib import Path

import pytest
from referee_client.results import outcome, reason

from tests.clients.client_builds import ClientBuilder, run_in_client
from tests.clients.languages import LANGUAGES, Language
from tests.clients.sdk import connect_organiser, long_match, run_program
from tests.e2e.server import run_server

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

BOTS = Path(__file__).parent / "poisonous_bots"

COMPILE = {
    "go": f"go build -o {{bot}} {BOTS}/bot.go",
    "rust": f"rustc --edition 2024 -o {{bot}} -L dependency=target/debug/deps {BOTS}/bot.rs"
    " --extern referee_client=$(ls -t target/debug/deps/libreferee_client-*.rlib | head -n 1)",
    "cpp": f"c++ -std=c++20 -Iinclude -o {{bot}} {BOTS}/bot.cpp"
    " build/libreferee_client.a $(pkg-config --libs grpc++ protobuf libcrypto)",
}
"""Shell commands that compile a bot, to be run in the folder of the client after it was built."""


def run_command(language: Language, folder: Path) -> list[str]:
    """Return the command that runs the language's poisonous bot, compiled if necessary."""
    if language.name == "typescript":
        return [*language.run, str(BOTS / "bot.mjs")]
    if language.name == "java":
        return ["java", "-cp", "client/target/classes:client/target/lib/*", str(BOTS / "PoisonousBot.java")]
    run_in_client(language, COMPILE[language.name].format(bot=folder / "bot"))
    return [str(folder / "bot")]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_unsendable_answers_cost_one_match_and_the_stream_stays_open(
    language: Language, client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(language)
    command = run_command(language, tmp_path)
    with run_server(tmp_path, "--ephemeral") as server, connect_organiser(server) as organiser:
        token = organiser.register_bot("anna")
        settings = {**language.environment, "BOT_MAX_MATCHES": "2"}
        with run_program(command, server, token, language.folder, **settings) as bot:
            broken = organiser.create_match(long_match("trox"), ("anna", "anna"))
            whole = organiser.create_match(long_match("alquerque"), ("anna", "anna"))
            result = organiser.result(broken.id)
            assert (outcome(result), reason(result)) == ("forfeited", "illegal_move")
            assert organiser.result(whole.id).played
            output = bot.output()
    assert output.count("connected to") == 1
    assert output.count("the referee will reject it") == 3
