"""The table of settings in docs/operations.md lists exactly the declared settings."""

from pathlib import Path

from referee.server.settings import SETTINGS, Setting

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
HEAD = "| setting | default | takes | what for |\n| --- | --- | --- | --- |\n"


def row(setting: Setting) -> str:
    values = setting.takes.replace("|", "\\|")
    default = f"`{setting.default}`" if setting.default else "none"
    return f"| `{setting.name}` | {default} | {values} | {setting.meaning} |\n"


def test_the_table_of_settings_lists_exactly_the_declared_settings(renewing: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, head, rest = page.partition(HEAD)
    assert head
    end = rest.index("\n\n") + 1
    table = "".join(map(row, SETTINGS.values()))
    if renewing:
        PAGE.write_text(f"{before}{head}{table}{rest[end:]}", encoding="utf-8")
    else:
        assert rest[:end] == table
