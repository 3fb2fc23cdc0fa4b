"""The programs of docs/learning.md run, the policy that they train beats random, and all of it is an extra."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.local.test_commands import TIMEOUT_S, referee, table_row

PAGE = (Path(__file__).parents[3] / "docs" / "learning.md").read_text(encoding="utf-8")
NAMES = ("linear_policy.py", "train.py", "learned_bot.py")
FILES = {name: (Path(__file__).parents[3] / "docs" / "learning" / name).read_text(encoding="utf-8") for name in NAMES}
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
SHORT = {"EPISODES, RATE = 1000, ": "EPISODES, RATE = 30, ", "games=400": "games=10"}


def write_files(folder: Path, changes: dict[str, str]) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    program = FILES["train.py"]
    for old, new in changes.items():
        assert old in program
        program = program.replace(old, new)
    (folder / "train.py").write_text(program, encoding="utf-8")


def train(folder: Path) -> dict[str, int]:
    """Run the training, and return the printed percentage by its name."""
    ended = subprocess.run(
        [sys.executable, "train.py"], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return {name: int(won) for name, won in re.findall(r"^(.*): (\d+)%$", ended.stdout, re.MULTILINE)}


def test_the_page_names_its_files_and_has_some_snippets() -> None:
    assert [name for name in NAMES if f"`{name}`" not in PAGE] == []
    assert len(SNIPPETS) == 4


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.splitlines()[-1])
def test_every_snippet_runs(snippet: str) -> None:
    exec(compile(snippet, "learning.md", "exec"), {})


@pytest.mark.slow
def test_the_trained_policy_beats_random_and_the_untrained_one(tmp_path: Path) -> None:
    write_files(tmp_path, {})
    shown = {name: int(won) for name, won in re.findall(r"^(.*): (\d+)%$", PAGE, re.MULTILINE)}
    won = train(tmp_path)
    assert list(won) == list(shown) == ["actions at random", "untrained", "trained"]
    assert won["actions at random"] == shown["actions at random"]
    assert won["untrained"] == shown["untrained"]
    # How a library adds up floating-point numbers differs between processors, and a policy may come of it otherwise.
    assert won["trained"] > won["untrained"]


@pytest.mark.slow
def test_training_is_repeatable_and_its_policy_plays_a_match(tmp_path: Path) -> None:
    write_files(tmp_path, SHORT)
    weights = []
    for _ in range(2):
        train(tmp_path)
        weights.append((tmp_path / "weights.npy").read_bytes())
    assert weights[0] == weights[1]
    options = ("-o", "no_capture_plies=20", "-o", "on_draw=count")
    bot = f"python:{tmp_path}/learned_bot.py:BOT"
    completed = referee("match", bot, "random", *options, "--out", str(tmp_path / "out"))
    assert completed.returncode == 0, completed.stderr + completed.stdout
    assert table_row(completed.stdout, "learned-bot")[0] == "1"
    [record] = (tmp_path / "out").glob("records/*")
    *_, end, _ = record.read_text(encoding="utf-8").splitlines()
    assert json.loads(end)["event"]["result"]["cause"] == "rules"


@pytest.mark.parametrize("package", ["gymnasium", "numpy", "pettingzoo"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import referee.lab.learning"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: learning environments need the package {package}: pip install 'referee[learning]'"
    )
