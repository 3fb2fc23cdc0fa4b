"""Parsing of bots on the command line."""

import sys

import pytest

from referee.local.entrant import BadEntrant, read_entrant, read_entrants

CLIENT = (sys.executable, "-m", "referee_client")
BRIDGE = (sys.executable, "-m", "referee_client.bridge")


@pytest.mark.parametrize(
    ("given", "name", "command"),
    [
        ("random", "random", (*CLIENT, "random")),
        ("python:my_bots.deep:DeepBot", "deep", (*CLIENT, "my_bots.deep:DeepBot")),
        ("python:bots/deep.py:choose", "deep", (*CLIENT, "bots/deep.py:choose")),
        ("grpc:./target/My_Bot.exe --fast", "my-bot", ("./target/My_Bot.exe", "--fast")),
        ("tcp:127.0.0.1:9000", "bot-127-0-0-1-9000", (*BRIDGE, "--tcp", "127.0.0.1:9000")),
        ("./bots/42 'two words'", "bot-42", (*BRIDGE, "--", "./bots/42", "two words")),
        ("java -jar bot.jar", "java", (*BRIDGE, "--", "java", "-jar", "bot.jar")),
        ("./bot --depth=3", "bot", (*BRIDGE, "--", "./bot", "--depth=3")),
        ("deep=./bot --depth=3", "deep", (*BRIDGE, "--", "./bot", "--depth=3")),
        ("rita=random", "rita", (*CLIENT, "random")),
    ],
)
def test_a_bot_is_given_in_one_of_several_ways(given: str, name: str, command: tuple[str, ...]) -> None:
    entrant = read_entrant(given)
    assert (entrant.name, entrant.command) == (name, command)


def test_only_a_program_that_listens_has_no_copies() -> None:
    assert read_entrant("tcp:localhost:9000").alone
    assert not read_entrant("./bot").alone


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("", "is not a command"),
        ("'", "No closing quotation"),
        ("python:deep", "python:MODULE:NAME"),
        ("tcp:9000", "tcp:HOST:PORT"),
        ("./bot\0", "contains a NUL"),
        ("Rita=random", "lower-case"),
        ("ri--ta=random", "single hyphens"),
        (f"{'r' * 33}=random", "up to 32"),
    ],
)
def test_what_is_no_bot_is_refused_with_what_would_be_right(given: str, right: str) -> None:
    with pytest.raises(BadEntrant, match=right):
        read_entrant(given)


def test_no_two_bots_have_one_name() -> None:
    entrants = read_entrants(["random", "random", "random-2=greedy", "random"])
    assert [entrant.name for entrant in entrants] == ["random", "random-2", "random-2-2", "random-3"]
