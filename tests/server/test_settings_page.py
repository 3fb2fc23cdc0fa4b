"""The table of settings in docs/operations.md names exactly the declared settings; their meanings are in the help."""

import re
from pathlib import Path

from referee.server.settings import SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_the_table_of_settings_names_exactly_the_declared_settings() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| for | settings |\n| --- | --- |\n")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(SETTINGS)
