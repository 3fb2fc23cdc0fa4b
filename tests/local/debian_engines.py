"""Game engines of Debian, which tests let play."""

import os
import shutil

import pytest


def find_engine(name: str) -> str:
    """Return the path of an engine. The test is skipped if it is missing, but fails in CI."""
    found = shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/games")
    if found:
        return found
    why = f"{name} is not installed"
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
