"""Numbers that pages state of the code and of each other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBERS = {"six": 6, "seven": 7, "eight": 8}


def test_the_pages_state_the_length_of_the_bot_without_a_library() -> None:
    code = (ROOT / "docs" / "bot.py").read_text()
    [protocol] = re.findall(r"in (\d+) lines of Python", (ROOT / "docs" / "protocol.md").read_text())
    [first_bot] = re.findall(r"has (\d+) lines of code", (ROOT / "docs" / "first-bot.md").read_text())
    assert int(protocol) == int(first_bot) == sum(1 for line in code.splitlines() if line.strip())


def test_the_readme_states_the_number_of_clients() -> None:
    [(number, languages)] = re.findall(r"clients in (\w+) languages \((.*?)\)", (ROOT / "README.md").read_text())
    table = re.findall(r"^\| \[.*\]\(\.\./clients/", (ROOT / "docs" / "clients.md").read_text(), re.MULTILINE)
    assert NUMBERS[number] == len(languages.split(", ")) == len(table)
