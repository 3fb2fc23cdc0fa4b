"""The tutorial for a first bot in bash works exactly as written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "first-bot-bash.md"


@pytest.mark.slow
def test_the_bot_of_the_tutorial_plays(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = re.search(r"This is `my-bot.sh`:\n\n```bash\n(.*?)```", text, re.DOTALL)
    assert found
    bot = tmp_path / "my-bot.sh"
    bot.write_text(found[1], encoding="utf-8")
    commands = re.search(r"## See it play\n\n```console\n(.*?)```", text, re.DOTALL)
    assert commands
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    output = ""
    for command in re.findall(r"\$ (.*)", commands[1]):
        completed = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stdout + completed.stderr
        output += completed.stdout

    assert "my-bot" in output
    assert list(tmp_path.glob("referee-arena/*/records/*.jsonl"))
