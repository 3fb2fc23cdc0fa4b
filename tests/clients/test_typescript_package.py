"""The TypeScript client as a project outside of this repository uses it: the package is packed and installed there."""

import json
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import PLACEHOLDER, clone_files, commands_of, run_command
from tests.clients.languages import LANGUAGES
from tests.clients.package_checks import agree_on_a_draw, pass_conformance_kit, play_match, run_organiser

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "typescript"
MANIFEST = json.loads((CLIENT / "package.json").read_text())
NPM = {
    "npm_config_prefer_offline": "true",
    "npm_config_audit": "false",
    "npm_config_fund": "false",
    "npm_config_ignore_scripts": "true",
}
"""Settings of npm. Some machines run no scripts of packages."""
README = (CLIENT / "README.md").read_text()


def code_of_readme(language: str) -> str:
    code: list[str] = re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert len(code) == 1
    return code[0]


@pytest.fixture(scope="module")
def project(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has installed the package by the commands of the README, from a fresh clone, with its code."""
    [typescript] = [language for language in LANGUAGES if language.name == "typescript"]
    client_builder.build(typescript)
    folder = tmp_path_factory.mktemp("typescript")
    clone = folder / "clone"
    clone_files(PROJECT, clone, "clients/typescript", "proto")
    run_command(commands_of(CLIENT / "README.md", "npm ci && npm run build &&"), clone / "clients/typescript", **NPM)
    run_command(commands_of(CLIENT / "README.md", "mkdir mybot").replace(PLACEHOLDER, str(clone)), folder, **NPM)
    project = folder / "mybot"
    (project / "bot.mjs").write_text(code_of_readme("javascript"))
    (project / "peaceful.mts").write_text(code_of_readme("typescript"))
    (project / "organiser-of-readme.mts").write_text(code_of_readme("js"))
    return project


def test_the_bot_of_the_readme_plays_a_match(project: Path, tmp_path: Path) -> None:
    play_match(["node", str(project / "bot.mjs")], tmp_path)


def test_the_bot_of_the_readme_passes_the_conformance_kit(project: Path) -> None:
    pass_conformance_kit(["node", str(project / "bot.mjs")])


def test_a_bot_in_a_program_of_its_own_agrees_on_a_draw_and_is_cancelled(project: Path, tmp_path: Path) -> None:
    check_types(project, "peaceful.mts", outDir=str(project))
    lines = agree_on_a_draw(["node", "peaceful.mjs"], project, tmp_path)
    assert re.fullmatch(r"connected to 127\.0\.0\.1:\d+ as anna, version 1", lines[0])
    assert lines[1:] in (["over: draw_agreed", "stopped"], ["over: draw_agreed", "over: draw_agreed", "stopped"])


def test_the_code_of_the_readme_has_the_types_of_the_package(project: Path) -> None:
    check_types(project, "bot.mjs", "peaceful.mts", "organiser-of-readme.mts")


def test_a_wrong_answer_is_an_error_of_types(project: Path) -> None:
    wrong = code_of_readme("typescript").replace("{ acceptDraw: true }", "{ acceptDraw: 7 }")
    (project / "wrong.mts").write_text(wrong)
    with pytest.raises(AssertionError, match=r"wrong\.mts.* error TS"):
        check_types(project, "wrong.mts")


def check_types(project: Path, *files: str, **options: str) -> None:
    """Compile files of the project, with all checks also of the declarations of the package."""
    checks = {
        "module": "nodenext",
        "target": "es2022",
        "strict": True,
        "noImplicitAny": False,  # The bot in JavaScript has no annotations.
        "exactOptionalPropertyTypes": True,
        "allowJs": True,
        "checkJs": True,
        "noEmit": not options,
        "typeRoots": [str(CLIENT / "node_modules" / "@types")],
        "types": ["node"],
        **options,
    }
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": checks, "files": files}))
    run_command([str(CLIENT / "node_modules" / ".bin" / "tsc")], project)


def test_declarations_of_the_package_mention_no_generated_type(project: Path) -> None:
    folder = project / "node_modules" / MANIFEST["name"] / "dist"
    waiting, seen = ["index.d.ts"], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            assert "@bufbuild" not in (folder / name).read_text(), name
            waiting += [f"{module}.d.ts" for module in re.findall(r'from "\./(\S*)\.js"', (folder / name).read_text())]
    assert "turn.d.ts" in seen


def test_the_package_has_its_licence_readme_and_changelog_and_no_tests(project: Path) -> None:
    installed = project / "node_modules" / MANIFEST["name"]
    files = {file.name for file in installed.iterdir()}
    assert files == {"LICENSE", "README.md", "CHANGELOG.md", "package.json", "dist"}
    assert (installed / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()
    unwanted = [file.name for file in (installed / "dist").rglob("*") if ".test." in file.name or file.name[0] == "."]
    assert unwanted == []


def test_the_installed_program_of_the_package_plays_a_match(project: Path, tmp_path: Path) -> None:
    bot = project / "node_modules" / ".bin" / "referee-bot"
    command = [sys.executable, "-m", "referee", "match", f"mine=grpc:{shlex.quote(str(bot))}", "random"]
    output = run_command([*command, "--game", "alquerque"], tmp_path)
    assert "matches played: 1" in output


def run_copy(project: Path, name: str, data: Path) -> list[str]:
    """Run a copy of a program of `organisers` in the project, and return the lines that it prints."""
    shutil.copy(Path(__file__).parent / "organisers" / name, project)
    return run_organiser(["node", name], project, data)


def test_an_organiser_runs_a_match_and_watches_it(project: Path, tmp_path: Path) -> None:
    assert run_copy(project, "organiser.mjs", tmp_path) == [
        "error NAME_TAKEN",
        "match alquerque test gopher gopher",
        "moves true true",
        "result played 2",
        "record true",
        "over true",
        "entry match_created",
        "cancelled true",
        "aborted aborted",
        "stopped",
    ]


def test_an_organiser_runs_a_tournament_and_a_ladder_and_watches_them(project: Path, tmp_path: Path) -> None:
    assert run_copy(project, "contests.mjs", tmp_path) == [
        "created The cup alquerque round_robin entry",
        "error NO_SUCH_BOT carl",
        "entrants 1 2",
        "watched created ended true",
        "later true ended",
        "standings 2 true",
        "pairings 2 done 1 done 2",
        "played cup",
        "list cup 2",
        "export true",
        "record true",
        "cancelled cancelled true",
        "joined anna bert",
        "challenge anna bert",
        "paused true false",
        "rated anna 1 bert 1",
        "aborted true",
        "open main",
        "closed true",
        "watched closed true",
        "standings 1 anna true",
        "record true",
        "list main alquerque true",
        "get Main",
        "stopped",
    ]


def test_no_version_of_a_dependency_is_pinned() -> None:
    """A program that uses the package could not get a fix of such a dependency."""
    assert {name: version for name, version in MANIFEST["dependencies"].items() if version[0] != "^"} == {}


def test_the_versions_of_package_and_client_agree() -> None:
    assert f'VERSION = "{MANIFEST["version"]}"' in (CLIENT / "src" / "version.ts").read_text()
