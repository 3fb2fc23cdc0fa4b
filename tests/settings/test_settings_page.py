"""The table of settings that an operator reads is the declaration."""

from pathlib import Path

from referee.settings.declared import DECLARED, Setting

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"
HEAD = "| setting | default | takes | what for |\n| --- | --- | --- | --- |\n"


def row(setting: Setting) -> str:
    takes = setting.takes.replace("|", "\\|")
    default = f"`{setting.default}`" if setting.default else "none"
    return f"| `{setting.name}` | {default} | {takes} | {setting.meaning} |\n"


def test_the_table_of_settings_is_the_declaration(renewing: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, head, rest = page.partition(HEAD)
    assert head
    end = rest.index("\n\n") + 1
    table = "".join(map(row, DECLARED.values()))
    if renewing:
        PAGE.write_text(f"{before}{head}{table}{rest[end:]}", encoding="utf-8")
    else:
        assert rest[:end] == table
