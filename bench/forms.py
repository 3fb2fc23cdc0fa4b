"""The pure and the compiled form of the engines, each in its own process."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.beside import ROOT, Beside
from bench.figures import Findings, NotMeasured
from hatch_build import compile_engines

COMPILED = ROOT / "build" / "bench" / "compiled"


@contextmanager
def forms(found: Findings, quick: bool) -> Iterator[dict[str, Beside]]:
    """Run `bench.playing` on each form, by name. If only the pure form is available, a note says why."""
    places = {"pure": ROOT}
    try:
        places["compiled"] = _compiled(quick)
    except NotMeasured as why:
        found.notes.append(f"The compiled engines are not measured: {why}.")
    with ExitStack() as closing:
        yield {name: closing.enter_context(_playing(place)) for name, place in places.items()}


def _compiled(quick: bool) -> Path:
    """Return the folder of the compiled form, rebuilt only if the sources have changed. Raises NotMeasured."""
    folder, marker = COMPILED, COMPILED / ".made-from"
    sources = "".join(path.read_text() for path in sorted(ROOT.glob("engines/**/*.py")))
    if not marker.exists() or marker.read_text() != sources:
        if quick:
            raise NotMeasured("to make them takes a minute, and a quick look takes what a full one has left")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            compile_engines(ROOT, folder)
        except subprocess.CalledProcessError:
            raise NotMeasured("mypyc and a C compiler could not make them") from None
        marker.write_text(sources)
    return folder


@contextmanager
def _playing(place: Path) -> Iterator[Beside]:
    """Run `bench.playing` in a folder: modules there take precedence over installed ones."""
    command = [sys.executable, "-m", "bench.playing"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=place, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield Beside(process)
        finally:
            process.kill()
