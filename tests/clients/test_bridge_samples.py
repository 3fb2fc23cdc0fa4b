"""The sample bots that read and write lines, each in another language."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SAMPLES = PROJECT / "clients" / "bridge" / "samples"
BASH = PROJECT / "clients" / "bash"

COMMANDS = {
    "bash": ("bot.sh", "bash bot.sh", ""),
    "c": ("bot.c", "./bot", "cc -std=c11 -Wall -Wextra -Wpedantic -Werror -o bot bot.c"),
    "haskell": ("bot.hs", "./bot", "ghc -Wall -Werror bot.hs"),
    "lua": ("bot.lua", "lua5.4 bot.lua", ""),
    "ocaml": ("bot.ml", "ocaml bot.ml", ""),
    "perl": ("bot.pl", "perl bot.pl", ""),
    "php": ("bot.php", "php bot.php", ""),
    "r": ("bot.R", "Rscript bot.R", ""),
    "ruby": ("bot.rb", "ruby bot.rb", ""),
    "scheme": ("bot.scm", "guile bot.scm", ""),
}
"""For each language the file, the command that runs it, and the one that compiles it before, if any."""
MAX_LINES = 40


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("language", COMMANDS)
def test_a_sample_plays_the_game_with_the_most_complicated_moves(language: str, tmp_path: Path) -> None:
    name, command, compilation = COMMANDS[language]
    shutil.copy((BASH if language == "bash" else SAMPLES) / name, tmp_path)
    for program in (compilation or command).split()[:1]:
        if not shutil.which(program):
            reason = f"the sample in {language} needs {program}"
            pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    if compilation:
        subprocess.run(compilation, shell=True, cwd=tmp_path, check=True)
    referee = str(Path(sys.executable).with_name("referee"))
    played = subprocess.run(
        [referee, "match", f"mine={command}", "random", "random", "random", "--game", "toc", "-o", "max_turns=100"],
        cwd=tmp_path,
        env={**os.environ, "GUILE_AUTO_COMPILE": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, f"it has forfeited, or could not be started:\n{played.stdout}{played.stderr}"


def test_samples_are_short_and_all_of_them_are_tested() -> None:
    files = {*SAMPLES.iterdir(), BASH / "bot.sh"}
    assert {file.name for file in files} == {name for name, _, _ in COMMANDS.values()}
    assert {file.name for file in files if len(file.read_text(encoding="utf-8").splitlines()) > MAX_LINES} == set()
