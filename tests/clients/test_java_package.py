"""The Java client as a project outside of this repository uses it: the artifact is packed and installed elsewhere."""

import re
import zipfile
from pathlib import Path
from shutil import copy
from xml.etree import ElementTree

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import run_command
from tests.clients.languages import LANGUAGES
from tests.clients.package_checks import agree_on_a_draw, pass_conformance_kit, play_match, run_organiser

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = PROJECT / "clients" / "java"
README = (CLIENT / "README.md").read_text()
[JAVA] = [language for language in LANGUAGES if language.name == "java"]
NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"
MODEL = ElementTree.parse(CLIENT / "pom.xml").getroot()


def read_model(path: str) -> str:
    """Return the text of an element of the model, empty if there is none."""
    return MODEL.findtext("/".join(NAMESPACE + name for name in path.split("/")), "")


GROUP, ARTIFACT, VERSION = read_model("groupId"), read_model("artifactId"), read_model("version")


def run_maven(folder: Path, *arguments: str) -> None:
    """Run Maven in the folder. Raises AssertionError with its output if it fails."""
    run_command(["mvn", "-q", *arguments], folder, **JAVA.environment)


def java(class_path: str, main: str) -> list[str]:
    return ["java", "-cp", class_path, main]


@pytest.fixture(scope="module")
def packed(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in the layout of a repository, with nothing but the artifact as it would be published."""
    client_builder.build(JAVA)
    run_maven(CLIENT, "-Prelease", "-DskipTests", "package")
    folder = tmp_path_factory.mktemp("java") / "repository"
    versions = folder.joinpath(*GROUP.split("."), ARTIFACT, VERSION)
    versions.mkdir(parents=True)
    for kind in ("", "-sources", "-javadoc"):
        copy(CLIENT / "target" / f"{ARTIFACT}-{VERSION}{kind}.jar", versions)
    copy(CLIENT / "pom.xml", versions / f"{ARTIFACT}-{VERSION}.pom")
    return versions


@pytest.fixture(scope="module")
def bot(packed: Path) -> list[str]:
    """The command that starts the bot of the README, built in a project that depends on the artifact."""
    repository = packed.parents[len(GROUP.split(".")) + 1]
    # Everything else comes from the repository of this machine, into which the build has put it.
    for known in (Path.home() / ".m2" / "repository").iterdir():
        if not (repository / known.name).exists():
            (repository / known.name).symlink_to(known)
    project = repository.parent / "mybot"
    sources = project / "src" / "main" / "java"
    sources.mkdir(parents=True)
    for kind, file in (("java", sources / "MyBot.java"), ("xml", project / "pom.xml")):
        [text] = re.findall(rf"^```{kind}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
        file.write_text(text)
    run_maven(project, "--offline", f"-Dmaven.repo.local={repository}", "compile")
    [class_path, main] = re.findall(r"mine=grpc:java -cp (\S+) (\w+)\"", README)[0]
    return java(":".join(f"{project}/{part}" for part in class_path.split(":")), main)


def test_the_bot_of_the_readme_plays_a_match(bot: list[str], tmp_path: Path) -> None:
    play_match(bot, tmp_path, environment=JAVA.environment)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: list[str]) -> None:
    pass_conformance_kit(bot, **JAVA.environment)


def test_a_bot_in_a_program_of_its_own_agrees_on_a_draw_and_is_closed(
    client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(JAVA)
    command = java("target/classes:target/test-classes:target/lib/*", "referee.samples.OneMatch")
    lines = agree_on_a_draw(command, CLIENT, tmp_path, JAVA.environment)
    assert sorted(lines[:2]) == ["started alquerque as black", "started alquerque as white"]
    assert "ended: draw_agreed, after 2 turns" in lines
    assert lines[-1] == "stopped"


def run_source(client_builder: ClientBuilder, name: str, data: Path) -> list[str]:
    """Run a program of `organisers` with the client, and return the lines that it prints."""
    client_builder.build(JAVA)
    source = PROJECT / "tests" / "clients" / "organisers" / name
    return run_organiser(java("target/classes:target/lib/*", str(source)), CLIENT, data, environment=JAVA.environment)


def test_an_organiser_runs_a_match_and_watches_it(client_builder: ClientBuilder, tmp_path: Path) -> None:
    assert run_source(client_builder, "MatchOrganiser.java", tmp_path) == [
        "error NAME_TAKEN",
        "match alquerque test [duke, duke]",
        "numbers true",
        "moves true",
        "later 6",
        "result PLAYED 2",
        "record true",
        "over true",
        "aborted aborted",
        "stopped",
    ]


def test_an_organiser_runs_a_tournament_and_a_ladder_and_watches_them(
    client_builder: ClientBuilder, tmp_path: Path
) -> None:
    assert run_source(client_builder, "ContestOrganiser.java", tmp_path) == [
        "created The cup round_robin ENTRY",
        "error NO_SUCH_BOT {bot=carl}",
        "entrants 1 2",
        "numbers true",
        "watched created ended",
        "later true",
        "standings 2.0 true",
        "first round 2",
        "pairings [DONE, DONE]",
        "second round 1",
        "played cup",
        "listed cup",
        "export true",
        "record true",
        "cancelled CANCELLED",
        "ended true",
        "joined anna",
        "joined bert",
        "challenge [anna, bert]",
        "paused true",
        "resumed true",
        "rated [1, 1]",
        "open main",
        "closed true",
        "numbers true",
        "watched closed",
        "standing 1 anna",
        "record true",
        "listed main [alquerque]",
        "get Main",
        "stopped",
    ]


def test_the_artifact_has_its_licence_stubs_sources_and_documentation(packed: Path) -> None:
    with zipfile.ZipFile(packed / f"{ARTIFACT}-{VERSION}.jar") as jar:
        names = set(jar.namelist())
        assert jar.read("META-INF/LICENSE") == (PROJECT / "LICENSE").read_bytes()
    assert {"referee/client/Client.class", "referee/api/v1/PlayServiceGrpc.class"} <= names
    assert not any(name.endswith("RandomBot.class") for name in names)
    with zipfile.ZipFile(packed / f"{ARTIFACT}-{VERSION}-sources.jar") as jar:
        assert {"referee/client/Client.java", "referee/api/v1/PlayServiceGrpc.java"} <= set(jar.namelist())
    with zipfile.ZipFile(packed / f"{ARTIFACT}-{VERSION}-javadoc.jar") as jar:
        documented = {name for name in jar.namelist() if name.endswith("package-summary.html")}
    assert documented == {"referee/client/package-summary.html"}


@pytest.mark.parametrize(
    "path",
    ["name", "description", "url", "licenses/license/url", "developers/developer/name", "scm/connection", "scm/url"],
)
def test_the_model_has_what_maven_central_requires(path: str) -> None:
    assert read_model(path)


def test_the_licence_is_that_of_the_project() -> None:
    assert (CLIENT / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_versions_of_model_readme_and_client_agree() -> None:
    settings = (CLIENT / "src/main/java/referee/client/Settings.java").read_text()
    assert f'String VERSION = "{VERSION}"' in settings
    assert f"<artifactId>{ARTIFACT}</artifactId>\n      <version>{VERSION}</version>" in README
