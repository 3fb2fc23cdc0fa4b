"""Tracing that is switched off costs nothing: its libraries are not even imported."""

import subprocess
import sys

import pytest

from referee.observability.tracing import UNTRACED, TracesUnavailable, create_tracing


@pytest.mark.slow
def test_while_they_are_off_nothing_of_them_is_imported() -> None:
    house = "import sys, referee.cli, referee.server.referee_server"
    asked = f"{house}; print([name for name in sys.modules if 'opentelemetry' in name])"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == "[]"
    assert create_tracing("", 1, "0") is UNTRACED
    assert UNTRACED.interceptors() == ()


def test_who_wants_them_and_has_not_what_they_need_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "referee.observability.opentelemetry_tracing", raising=False)
    with pytest.raises(TracesUnavailable, match=r"pip install referee\[traces\]"):
        create_tracing("http://127.0.0.1:4317", 1, "0")
