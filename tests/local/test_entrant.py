"""Parsing of bots on the command line."""

import sys

import pytest

from referee.local.entrant import BadEntrant, read_entrant, read_entrants

CLIENT = (sys.executable, "-m", "referee_client")
BRIDGE = (sys.executable, "-m", "referee_client.bridge")


@pytest.mark.parametrize(
    ("argument", "name", "command"),
    [
        ("random", "random", (*CLIENT, "random")),
        ("python:my_bots.deep:DeepBot", "deep", (*CLIENT, "my_bots.deep:DeepBot")),
        ("python:bots/deep.py:choose", "deep", (*CLIENT, "bots/deep.py:choose")),
        ("grpc:./target/My_Bot.exe --fast", "my-bot", ("./target/My_Bot.exe", "--fast")),
        ("tcp:127.0.0.1:9000", "bot-127-0-0-1-9000", (*BRIDGE, "--tcp", "127.0.0.1:9000")),
        ("gtp:gnugo --mode gtp", "gnugo", (*BRIDGE, "--gtp", "--", "gnugo", "--mode", "gtp")),
        ("uci:stockfish", "stockfish", (*BRIDGE, "--uci", "--", "stockfish")),
        ("uci:gnuchess --uci", "gnuchess", (*BRIDGE, "--uci", "--", "gnuchess", "--uci")),
        (
            "sf=uci:Hash=64 'Skill Level=3' /usr/games/stockfish --a=b",
            "sf",
            (
                *(*BRIDGE, "--uci", "--option", "Hash=64", "--option", "Skill Level=3"),
                *("--", "/usr/games/stockfish", "--a=b"),
            ),
        ),
        ("./bots/42 'two words'", "bot-42", (*BRIDGE, "--", "./bots/42", "two words")),
        ("java -jar bot.jar", "java", (*BRIDGE, "--", "java", "-jar", "bot.jar")),
        ("./bot --depth=3", "bot", (*BRIDGE, "--", "./bot", "--depth=3")),
        ("deep=./bot --depth=3", "deep", (*BRIDGE, "--", "./bot", "--depth=3")),
        ("rita=random", "rita", (*CLIENT, "random")),
    ],
)
def test_an_entrant_can_be_given_in_several_forms(argument: str, name: str, command: tuple[str, ...]) -> None:
    entrant = read_entrant(argument)
    assert (entrant.name, entrant.command) == (name, command)


def test_only_a_listening_program_has_a_single_instance() -> None:
    assert read_entrant("tcp:localhost:9000").alone
    assert not read_entrant("./bot").alone


@pytest.mark.parametrize("bot", ["uci:stockfish", "gtp:gnugo", "./bot"])
def test_a_bridge_runs_a_program_for_each_of_several_matches(bot: str) -> None:
    entrant = read_entrant(bot)
    assert entrant.command_for(1) == entrant.command
    assert entrant.command_for(2) == (*BRIDGE, "--per-match", *entrant.command[len(BRIDGE) :])


@pytest.mark.parametrize("bot", ["random", "grpc:./bot", "tcp:localhost:9000"])
def test_other_bots_share_their_time_among_matches_themselves(bot: str) -> None:
    assert read_entrant(bot).command_for(2) == read_entrant(bot).command


@pytest.mark.parametrize(
    ("argument", "hint"),
    [
        ("", "is not a command"),
        ("'", "No closing quotation"),
        ("python:deep", "python:MODULE:NAME"),
        ("tcp:9000", "tcp:HOST:PORT"),
        ("uci:", "is not a command"),
        ("gtp:", "is not a command"),
        ("uci:Hash=64", "names no engine"),
        ("./bot\0", "contains a NUL"),
        ("Rita=random", "lower-case"),
        ("ri--ta=random", "single hyphens"),
        (f"{'r' * 33}=random", "up to 32"),
    ],
)
def test_an_invalid_entrant_is_rejected_with_a_hint(argument: str, hint: str) -> None:
    with pytest.raises(BadEntrant, match=hint):
        read_entrant(argument)


def test_entrants_get_distinct_names() -> None:
    entrants = read_entrants(["random", "random", "random-2=greedy", "random"])
    assert [entrant.name for entrant in entrants] == ["random", "random-2", "random-2-2", "random-3"]


def test_a_misspelled_built_in_bot_is_refused_with_the_name_that_was_meant() -> None:
    with pytest.raises(BadEntrant, match="did you mean greedy"):
        read_entrant("gredy")
    assert read_entrant("./gredy").name == "gredy"
