"""Tracing that is switched off costs nothing: its libraries are not even imported."""

import subprocess
import sys

import pytest

from referee.observability.tracing import UNTRACED, TracesUnavailable, create_tracing


@pytest.mark.slow
def test_the_libraries_of_tracing_are_not_imported_while_it_is_off() -> None:
    imports = "import sys, referee.cli, referee.server.referee_server"
    program = f"{imports}; print([name for name in sys.modules if 'opentelemetry' in name])"
    completed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert completed.stdout.strip() == "[]"
    assert create_tracing("", 1, "0") is UNTRACED
    assert UNTRACED.interceptors() == ()


def test_tracing_without_its_libraries_fails_with_an_installation_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.delitem(sys.modules, "referee.observability.opentelemetry_tracing", raising=False)
    with pytest.raises(TracesUnavailable, match=r"pip install 'referee\[traces\]'"):
        create_tracing("http://127.0.0.1:4317", 1, "0")
