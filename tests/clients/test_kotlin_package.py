"""The Kotlin extensions of the Java client as a project outside of this repository uses them: both are installed."""

import os
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from tests.clients.client_builds import PROJECT
from tests.clients.maven_artifacts import (
    GROUP,
    JAVA,
    REQUIRED,
    VERSION,
    link_other_artifacts,
    read_model,
    run_maven,
    versions_folder,
)
from tests.clients.package_checks import pass_conformance_kit, play_match

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "kotlin"
README = (CLIENT / "README.md").read_text(encoding="utf-8")
ARTIFACT = read_model(CLIENT, "artifactId")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A local repository of Maven in which both clients are installed. Installing runs the tests in Kotlin."""
    if missing := [tool for tool in JAVA.tools if not shutil.which(tool)]:
        reason = f"the client in Kotlin needs {' and '.join(missing)}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    folder = tmp_path_factory.mktemp("kotlin")
    # Copies, because other tests may be using the build of this checkout.
    for part in ("clients/java", "clients/kotlin", "proto"):
        shutil.copytree(PROJECT / part, folder / "checkout" / part, ignore=shutil.ignore_patterns("target"))
    repository = folder / "repository"
    repository.joinpath(*GROUP.split(".")).mkdir(parents=True)
    link_other_artifacts(repository)
    local = f"-Dmaven.repo.local={repository}"
    run_maven(folder / "checkout/clients/java", local, "-Dmaven.test.skip=true", "install")
    run_maven(folder / "checkout/clients/kotlin", local, "-Prelease", "install")
    return repository


@pytest.fixture(scope="module")
def class_path(repository: Path) -> str:
    """The classes of a project that depends on the artifact: the bot of the README."""
    project = repository.parent / "mybot"
    sources = project / "src" / "main" / "kotlin"
    sources.mkdir(parents=True)
    bot, *_ = re.findall(r"^```kotlin\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    [model] = re.findall(r"^```xml\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    (sources / "MyBot.kt").write_text(bot, encoding="utf-8")
    (project / "pom.xml").write_text(model, encoding="utf-8")
    run_maven(project, f"-Dmaven.repo.local={repository}", "--offline", "-Dkotlin.compiler.daemon=false", "compile")
    return f"{project}/target/classes:{project}/target/lib/*"


@pytest.fixture(scope="module")
def bot(class_path: str) -> list[str]:
    """The command that starts the bot of the README."""
    [main] = re.findall(r"mine=grpc:java -cp target/classes:target/lib/\* (\w+)\"", README)
    return ["java", "-cp", class_path, main]


def test_the_bot_of_the_readme_plays_a_match(bot: list[str], tmp_path: Path) -> None:
    play_match(bot, tmp_path, environment=JAVA.environment)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: list[str]) -> None:
    pass_conformance_kit(bot, "--tls", BOT_MAX_MATCHES="8", **JAVA.environment)


def test_the_sources_have_the_style_that_ktlint_checks(repository: Path) -> None:
    checkout = repository.parent / "checkout" / "clients" / "kotlin"
    run_maven(checkout, f"-Dmaven.repo.local={repository}", "spotless:check")


def test_the_artifact_has_its_licence_module_name_sources_and_documentation(repository: Path) -> None:
    versions = versions_folder(repository, ARTIFACT)
    with zipfile.ZipFile(versions / f"{ARTIFACT}-{VERSION}.jar") as jar:
        assert b"Automatic-Module-Name: referee.client.kotlin\r\n" in jar.read("META-INF/MANIFEST.MF")
        assert jar.read("META-INF/LICENSE") == (PROJECT / "LICENSE").read_bytes()
        assert "referee/client/kotlin/PlayKt.class" in jar.namelist()
    with zipfile.ZipFile(versions / f"{ARTIFACT}-{VERSION}-sources.jar") as jar:
        assert "referee/client/kotlin/Play.kt" in jar.namelist()
    with zipfile.ZipFile(versions / f"{ARTIFACT}-{VERSION}-javadoc.jar") as jar:
        documented = {name for name in jar.namelist() if name.endswith("/index.html")}
    assert f"{ARTIFACT}/referee.client.kotlin/-coroutine-seat-bot/index.html" in documented
    assert not any("-blocking-seat-bot" in name for name in documented)


@pytest.mark.parametrize("path", REQUIRED)
def test_the_model_has_what_maven_central_requires(path: str) -> None:
    assert read_model(CLIENT, path)


def test_the_licence_is_that_of_the_project() -> None:
    assert (CLIENT / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_versions_of_both_clients_and_the_readme_agree() -> None:
    assert (read_model(CLIENT, "parent/groupId"), read_model(CLIENT, "parent/version")) == (GROUP, VERSION)
    assert f"<artifactId>{ARTIFACT}</artifactId>\n      <version>{VERSION}</version>" in README
