"""The progress bar of a long run."""

import sys
from types import SimpleNamespace

import click._termui_impl
import pytest

from referee.cli._shared.output import progress


def test_a_terminal_shows_a_progress_bar_and_the_remaining_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now_s = 1_000.0
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(click._termui_impl, "time", SimpleNamespace(time=lambda: now_s))
    with progress(12) as show:
        for _ in range(4):
            now_s += 30
            show("anna won")
        shown = capsys.readouterr().out
    assert "━━━━━━━━────────────────  4/12  00:04:00  anna won" in shown
