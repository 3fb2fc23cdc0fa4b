"""The tutorials for a first bot work as written."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import PLACEHOLDER, WITH_REFEREE, commands_of, run_command
from tests.clients.languages import LANGUAGES, Language
from tests.clients.maven_artifacts import link_other_artifacts, versions_folder
from tests.e2e.server import TIMEOUT_S, ServerProcess, run_server

FILES = {
    "go": "main.go",
    "rust": "src/main.rs",
    "java": "MyBot.java",
    "kotlin": "src/main/kotlin/MyBot.kt",
    "cpp": "main.cpp",
}
BUILD_FILES = {"kotlin": ("xml", "pom.xml"), "cpp": ("cmake", "CMakeLists.txt")}
"""Form and name of the file by which the bot is built, if the page shows it."""
BASES = {"kotlin": "java"}
"""Languages of the clients that others extend."""


def found_on(page: str, pattern: str) -> str:
    (found,) = re.findall(pattern, page, re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.mark.slow
@pytest.mark.toolchain
@pytest.mark.parametrize("name", FILES)
def test_the_first_bot_plays_its_first_match(name: str, client_builder: ClientBuilder, tmp_path: Path) -> None:
    (language,) = (language for language in LANGUAGES if language.name == BASES.get(name, name))
    client_builder.build(language)
    page = page_of(name)
    file = tmp_path / "mybot" / FILES[name]
    file.parent.mkdir(parents=True)
    file.write_text(found_on(page, rf"^```{name}\n(.*?)^```"), encoding="utf-8")
    if name in BUILD_FILES:
        form, build_file = BUILD_FILES[name]
        (tmp_path / "mybot" / build_file).write_text(found_on(page, rf"^```{form}\n(.*?)^```"), encoding="utf-8")
    if name == "rust":
        share_dependencies(language, tmp_path)
    checkout = copy_clients(tmp_path / "checkout") if language.name == "java" else PROJECT
    environment = {**WITH_REFEREE, "REFEREE": str(checkout), **use_own_repository(tmp_path)}

    see_it_play(page, tmp_path / "mybot", **environment)


def page_of(name: str) -> str:
    return (PROJECT / "docs" / f"first-bot-{name}.md").read_text(encoding="utf-8")


def see_it_play(page: str, folder: Path, **environment: str) -> None:
    """Run the commands of the page by which a reader sees the bot play."""
    output = ""
    for command in re.findall(r"^\$ (.*)$", found_on(page, r"^## See it play\n.*?```console\n(.*?)^```"), re.MULTILINE):
        output = run_command(command, folder, **environment)
    assert "1/1  1.1: mine" in output
    assert "matches played: 1" in output


INSTALLED_BY = {
    "rust": ("cargo init", "rust"),
    "java": ("mvn -q install", "kotlin"),
    "kotlin": ("mvn -q install", "kotlin"),
}
"""By client: the beginning of the commands of its README, and the page whose test runs the same commands."""


@pytest.mark.parametrize("client", INSTALLED_BY)
def test_the_readme_installs_the_client_by_commands_of_the_page_that_is_tested(client: str) -> None:
    beginning, name = INSTALLED_BY[client]
    commands = commands_of(PROJECT / "clients" / client / "README.md", beginning).splitlines()[1:]
    page = commands_of(PROJECT / "docs" / f"first-bot-{name}.md", beginning).splitlines()[1:]
    assert [command.replace(PLACEHOLDER, "$REFEREE") for command in commands] == page[: len(commands)]


def share_dependencies(rust: Language, folder: Path) -> None:
    """Let the bot use the dependencies that were built for the client: same profile, same folder."""
    manifest = (rust.folder / "Cargo.toml").read_text(encoding="utf-8")
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(manifest[manifest.index("[profile.dev]") :], encoding="utf-8")
    (folder / "mybot" / "target").symlink_to(rust.folder / rust.output)


def copy_clients(checkout: Path) -> Path:
    """Copy the sources of the clients in Java and Kotlin, since other tests may be using the build of this checkout."""
    for client in ("java", "kotlin"):
        folder = checkout / "clients" / client
        shutil.copytree(PROJECT / "clients" / client, folder, ignore=shutil.ignore_patterns("target"))
    shutil.copytree(PROJECT / "proto", checkout / "proto")
    return checkout


def use_own_repository(folder: Path) -> dict[str, str]:
    """Return variables that keep Maven from installing the clients for the projects of this machine.

    The compiler of Kotlin would leave a daemon behind.
    """
    repository = folder / "repository"
    versions_folder(repository, "referee-client").mkdir(parents=True)
    link_other_artifacts(repository)
    return {"MAVEN_OPTS": f"-Dmaven.repo.local={repository} -Dkotlin.compiler.daemon=false"}


@pytest.mark.slow
@pytest.mark.toolchain
def test_the_first_bot_in_typescript_plays_its_first_match(client_builder: ClientBuilder, tmp_path: Path) -> None:
    (typescript,) = (language for language in LANGUAGES if language.name == "typescript")
    client_builder.build(typescript)
    # Work in a copy that shares the installed packages, so that the tutorial's file does not stay in the checkout.
    folder = tmp_path / "clients" / "typescript"
    shutil.copytree(typescript.folder, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "stubs"))
    (folder / "node_modules").symlink_to(typescript.folder / "node_modules")
    (tmp_path / "proto").symlink_to(PROJECT / "proto")
    (folder / "src" / "my-bot.ts").write_text(found_on(page_of("typescript"), r"^```typescript\n(.*?)^```"))
    see_it_play(page_of("typescript"), folder, **WITH_REFEREE)


@pytest.mark.slow
def test_the_first_bot_in_bash_plays_its_first_match(tmp_path: Path) -> None:
    page = page_of("bash")
    (tmp_path / "my-bot.sh").write_text(found_on(page, r"This is `my-bot.sh`:\n\n```bash\n(.*?)```"), encoding="utf-8")
    commands = found_on(page, r"## See it play\n\n```console\n(.*?)```")
    output = "".join(run_command(command, tmp_path, **WITH_REFEREE) for command in re.findall(r"\$ (.*)", commands))
    assert "my-bot" in output
    assert list(tmp_path.glob("referee-arena/*/records/*.jsonl"))


# Python, whose page has a bot and an organiser


PYTHON_PAGE = PROJECT / "docs" / "first-bot-python.md"
PYTHON_README = PROJECT / "clients" / "python" / "README.md"


def blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("code", blocks(PYTHON_PAGE) + blocks(PYTHON_README))
def test_the_code_of_a_page_compiles(code: str) -> None:
    compile(code, "page", "exec")


def test_the_notation_example_of_the_readme_runs() -> None:
    [code] = [code for code in blocks(PYTHON_README) if "notation" in code]
    exec(code, {})


@pytest.mark.slow
def test_the_first_bot_in_python_plays_its_first_match(tmp_path: Path) -> None:
    my_bot, organise = blocks(PYTHON_PAGE)
    (tmp_path / "my_bot.py").write_text(my_bot)
    (tmp_path / "organise.py").write_text(organise)
    with run_server(tmp_path, "--ephemeral") as server:
        organise_program = start_program(tmp_path, server, server.admin_token, "organise.py")
        tokens = [read_line(organise_program).partition("BOT_TOKEN=")[2].strip() for _ in range(2)]
        bots = [
            start_program(tmp_path, server, tokens[0], "my_bot.py"),
            start_program(tmp_path, server, tokens[1], "-m", "referee_client", "greedy"),
        ]
        again: list[subprocess.Popen[str]] = []
        try:
            first_output, _ = organise_program.communicate(timeout=TIMEOUT_S)
            again.append(start_program(tmp_path, server, server.admin_token, "organise.py"))
            second_output, _ = again[0].communicate(timeout=TIMEOUT_S)
        finally:
            for process in (organise_program, *bots, *again):
                process.kill()
                process.communicate(timeout=TIMEOUT_S)
    assert first_output.splitlines()[-1].startswith("played ")
    assert second_output.startswith("my-bot is registered already")
    assert second_output.splitlines()[-1].startswith("played ")
    subprocess.run([sys.executable, "-m", "referee", "verify", "match.jsonl"], cwd=tmp_path, check=True)


def start_program(folder: Path, server: ServerProcess, token: str, *arguments: str) -> subprocess.Popen[str]:
    variables = {"BOT_REFEREE": server.address, "BOT_TOKEN": token}
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables})


def read_line(process: subprocess.Popen[str]) -> str:
    """Return the next line of the process's standard output."""
    assert process.stdout
    return process.stdout.readline()
