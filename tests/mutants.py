"""`make mutants`: mutation testing of `referee/match` with mutmut, on a copy of the sources in `build/mutants`.

mutmut changes one expression at a time and runs the tests that reach it. A mutant that no test fails on has survived.
The results are kept in `build/mutants`: the next run continues where this one stopped, and repeats changed functions.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[1]
COPIED = ("docs", "engines", "referee", "tests", "pyproject.toml")


class MutmutFailed(Exception):
    """mutmut could not run, for example because a test fails on the unchanged code."""


class Workshop:
    """A folder with a copy of the sources, in which mutmut runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            source, target = PROJECT / name, folder / name
            if source.is_dir():
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def run(self, mutants: Iterable[str] = (), within_s: float | None = None) -> bool:
        """Test the mutants whose names match one of the patterns, or all.

        Return whether it was done before the time was up. Raises MutmutFailed.
        """
        process = self._start("run", "--max-children", "2", *mutants)
        try:
            output, _ = process.communicate(timeout=within_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.communicate()
            return False
        if process.returncode:
            raise MutmutFailed(output[-5_000:])
        return True

    def names(self) -> list[str]:
        """Return the names of all mutants. There are none before the first run."""
        return [name for name, _ in self._verdicts()]

    def survivors(self) -> list[str]:
        return [name for name, verdict in self._verdicts() if verdict in ("survived", "no tests")]

    def difference(self, mutant: str) -> str:
        """Return the mutant as a unified diff."""
        return self._start("show", mutant).communicate()[0]

    def _verdicts(self) -> Iterator[tuple[str, str]]:
        for line in self._start("results", "--all", "true").communicate()[0].splitlines():
            name, _, verdict = line.strip().partition(": ")
            if "__mutmut_" in name:
                yield name, verdict

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        # pytest variables of an outer run must not configure the pytest of mutmut.
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
        return subprocess.Popen(
            [sys.executable, "-m", "mutmut", *arguments],
            cwd=self._folder,
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("mutants", nargs="*", help="names or patterns, such as 'referee.match.clock*'; default: all")
    chosen = parser.parse_args()
    workshop = Workshop(PROJECT / "build" / "mutants")
    done = workshop.run(chosen.mutants, chosen.minutes * 60)
    survivors = workshop.survivors()
    for mutant in survivors:
        print(workshop.difference(mutant))
    print(f"{len(survivors)} mutants survived" + ("" if done else "; the time was up, run it again to continue"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
