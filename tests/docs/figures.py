"""`python -m tests.docs.figures`: how large the project is, beside what it should be at most."""

import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.docs.test_links import ROOT

GENERATED = re.compile(r"/refereev1/|/stubs/|/generated/|_pb2|\.sum$|LICENSE|-lock|Cargo\.lock|contract_comments")
CODE = (".py", ".ts", ".mts", ".mjs", ".js", ".go", ".rs", ".java", ".kt", ".cpp", ".h", ".hpp", ".c", ".sh")


def committed(*folders: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines() if not GENERATED.search(name)]


def lines(*folders: str) -> int:
    return sum(len(path.read_text().splitlines()) for path in committed(*folders) if path.suffix in CODE)


def words(paths: Iterable[Path]) -> int:
    return sum(len(path.read_text().split()) for path in paths)


def documentation() -> list[Path]:
    pages = [path for path in committed("README.md", "docs", "clients") if path.suffix == ".md"]
    return [path for path in pages if path.parent.name != "rules"]


FIGURES: dict[str, tuple[int, Callable[[], int]]] = {
    "lines of referee/": (60_000, lambda: lines("referee")),
    "packages of referee/": (
        17,
        lambda: len({path.parent for path in committed("referee/*/__init__.py") if path.parents[1].name == "referee"}),
    ),
    "lines of engines/": (15_500, lambda: lines("engines")),
    "lines of clients/ by hand": (28_000, lambda: lines("clients")),
    "lines of tests/": (76_000, lambda: lines("tests")),
    "words of documentation without rules": (75_000, lambda: words(documentation())),
}


def main() -> None:
    for name, (most, measure) in FIGURES.items():
        print(f"{name:38} {measure():8,}  at most {most:8,}")


if __name__ == "__main__":
    main()
