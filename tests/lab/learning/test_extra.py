"""Without the extra, the package says how to install it."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("package", ["gymnasium", "numpy", "pettingzoo"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(package: str) -> None:
    program = f"import sys; sys.modules[{package!r}] = None; import referee.lab.learning"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: learning environments need the package {package}: pip install 'referee[learning]'"
    )


def test_the_rest_of_the_base_install_does_not_import_the_extra() -> None:
    program = "import sys, referee.cli, engines.registry; engines.registry.games(); print('numpy' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
