"""`referee settings`, as a person types it."""

from pathlib import Path

from click.testing import CliRunner, Result

from referee.cli import main
from referee.server.settings import SETTINGS


def run(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(main, ["settings", *words], env=environment)


def shown(*words: str, **environment: str) -> dict[str, list[str]]:
    result = run(*words, **environment)
    assert result.exit_code == 0, result.output
    return {line.split()[0]: line.split(maxsplit=2)[1:] for line in result.output.splitlines()}


def test_it_shows_every_setting_its_value_and_where_it_came_from(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text("max_streams = 7", encoding="utf-8")
    table = shown("--config", str(file), "--listen", "[::1]:0", "--ephemeral", REFEREE_LOG_LEVEL="debug")
    assert list(table) == list(SETTINGS)
    assert table["max_streams"] == ["7", f"file {file}"]
    assert table["listen"] == ["[::1]:0", "flag --listen"]
    assert table["ephemeral"] == ["true", "flag --ephemeral"]
    assert table["log_level"] == ["debug", "variable REFEREE_LOG_LEVEL"]
    assert table["tls_key"] == ["none", "default"]


def test_a_switch_can_be_put_off_again_by_a_flag() -> None:
    assert shown("--no-ephemeral", REFEREE_EPHEMERAL="true")["ephemeral"] == ["false", "flag --ephemeral"]


def test_a_wrong_setting_is_one_sentence_and_not_a_traceback() -> None:
    result = run("--ping-interval-ms", "5s")
    assert result.exit_code == 2
    assert (
        "Error: invalid value '5s' for setting ping_interval_ms (flag --ping-interval-ms): expected an integer"
        in result.output
    )
    assert "did you mean log_format?" in run(REFEREE_LOGFORMAT="json").output


def test_help_tells_each_flag_with_its_meaning_and_default() -> None:
    told = " ".join(run("--help").output.split())
    assert all(setting.flag in told and setting.meaning in told for setting in SETTINGS.values())
    assert "[127.0.0.1:7700]" in told
    assert "--drain-grace-s SECONDS" in told
