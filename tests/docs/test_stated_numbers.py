"""Numbers that pages state of the code and of each other."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NUMBERS = {"six": 6, "seven": 7, "eight": 8}


def test_the_page_about_a_first_bot_states_the_length_of_the_bot_of_the_protocol() -> None:
    protocol, first_bot = ((ROOT / "docs" / f"{name}.md").read_text() for name in ("protocol", "first-bot"))
    code, *_ = re.findall(r"^```python\n(.*?)^```", protocol, re.MULTILINE | re.DOTALL)
    [stated] = re.findall(r"has (\d+) lines of code", first_bot)
    assert int(stated) == sum(1 for line in code.splitlines() if line.strip())


def test_the_readme_states_the_number_of_clients() -> None:
    [(number, languages)] = re.findall(r"clients in (\w+) languages \((.*?)\)", (ROOT / "README.md").read_text())
    table = re.findall(r"^\| \[.*\]\(\.\./clients/", (ROOT / "docs" / "clients.md").read_text(), re.MULTILINE)
    assert NUMBERS[number] == len(languages.split(", ")) == len(table)
