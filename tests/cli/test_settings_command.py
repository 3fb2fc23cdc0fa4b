"""`referee settings`, as a person types it."""

from pathlib import Path

from click.testing import CliRunner, Result

from referee.cli import main
from referee.server.settings import SETTINGS


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, ["settings", *arguments], env=environment)


def settings_table(*arguments: str, **environment: str) -> dict[str, list[str]]:
    result = run(*arguments, **environment)
    assert result.exit_code == 0, result.output
    return {line.split()[0]: line.split(maxsplit=2)[1:] for line in result.output.splitlines()[1:]}


def test_every_setting_is_shown_with_its_value_and_source(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text("max_streams = 7", encoding="utf-8")
    table = settings_table("--config", str(file), "--listen", "[::1]:0", "--ephemeral", REFEREE_LOG_LEVEL="debug")
    assert list(table) == list(SETTINGS)
    assert table["max_streams"] == ["7", f"file {file}"]
    assert table["listen"] == ["[::1]:0", "flag --listen"]
    assert table["ephemeral"] == ["true", "flag --ephemeral"]
    assert table["log_level"] == ["debug", "variable REFEREE_LOG_LEVEL"]
    assert table["tls_key"] == ["none", "default"]


def test_a_boolean_setting_can_be_switched_off_by_a_flag() -> None:
    assert settings_table("--no-ephemeral", REFEREE_EPHEMERAL="true")["ephemeral"] == ["false", "flag --ephemeral"]


def test_an_invalid_setting_is_reported_in_one_sentence() -> None:
    result = run("--ping-interval-ms", "5s")
    assert result.exit_code == 2
    assert (
        "Error: invalid value '5s' for setting ping_interval_ms (flag --ping-interval-ms): expected an integer"
        in result.output
    )
    assert "did you mean log_format?" in run(REFEREE_LOGFORMAT="json").output


def test_help_describes_each_flag_with_its_default() -> None:
    help_text = " ".join(run("--help").output.split())
    assert all(setting.flag in help_text and setting.meaning in help_text for setting in SETTINGS.values())
    assert "[127.0.0.1:7700]" in help_text
    assert "--drain-grace-s SECONDS" in help_text
