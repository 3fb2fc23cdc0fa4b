"""The Java client as a project outside of this repository uses it: the artifact is packed and installed elsewhere."""

import re
import zipfile
from pathlib import Path
from shutil import copy
from xml.etree import ElementTree

import pytest

from tests.clients.client_builds import PROJECT, ClientBuilder
from tests.clients.commands import run_command
from tests.clients.maven_artifacts import (
    GROUP,
    JAVA,
    NAMESPACE,
    REQUIRED,
    VERSION,
    link_other_artifacts,
    read_model,
    run_maven,
    versions_folder,
)
from tests.clients.package_checks import agree_on_a_draw, pass_conformance_kit, play_match

pytestmark = [pytest.mark.slow, pytest.mark.toolchain]

CLIENT = JAVA.folder
README = (CLIENT / "README.md").read_text()
ARTIFACTS = {"referee-parent": ".", "referee-bom": "bom", "referee-api": "api", "referee-client": "client"}
"""Folders of the artifacts, relative to that of the client."""
CLASS_PATH = "client/target/classes:client/target/test-classes:client/target/lib/*"


def java(class_path: str, main: str) -> list[str]:
    return ["java", "-cp", class_path, main]


@pytest.fixture(scope="module")
def repository(client_builder: ClientBuilder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A local repository of Maven, with nothing of this project but its artifacts as they would be published."""
    client_builder.build(JAVA)
    run_maven(CLIENT, "-Prelease", "-DskipTests", "package")
    repository = tmp_path_factory.mktemp("java") / "repository"
    for artifact, folder in ARTIFACTS.items():
        versions = versions_folder(repository, artifact)
        versions.mkdir(parents=True)
        copy(CLIENT / folder / "pom.xml", versions / f"{artifact}-{VERSION}.pom")
        for jar in (CLIENT / folder / "target").glob(f"{artifact}-{VERSION}*.jar"):
            copy(jar, versions)
    link_other_artifacts(repository)
    return repository


@pytest.fixture(scope="module")
def bot(repository: Path) -> list[str]:
    """The command that starts the bot of the README, built in a project that depends on the artifact."""
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


def test_a_bot_plays_and_stops_without_the_module_jdk_unsupported(bot: list[str], tmp_path: Path) -> None:
    program, *rest = bot
    without_unsupported = ("--limit-modules", "java.logging,java.naming")
    play_match([program, *without_unsupported, *rest], tmp_path, environment=JAVA.environment)


def test_a_bot_plays_with_the_next_major_version_of_protobuf(bot: list[str], tmp_path: Path) -> None:
    copy_goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
    artifact = "com.google.protobuf:protobuf-java:4.36.2"
    run_maven(CLIENT, "-N", copy_goal, f"-Dartifact={artifact}", f"-DoutputDirectory={tmp_path}/protobuf")
    program, option, class_path, main = bot
    first = f"{tmp_path}/protobuf/protobuf-java-4.36.2.jar"
    play_match([program, option, f"{first}:{class_path}", main], tmp_path, environment=JAVA.environment)


def test_the_bot_of_the_readme_passes_the_conformance_kit(bot: list[str]) -> None:
    pass_conformance_kit(bot, **JAVA.environment)


def test_a_bot_in_a_program_of_its_own_agrees_on_a_draw_and_is_closed(
    client_builder: ClientBuilder, tmp_path: Path
) -> None:
    client_builder.build(JAVA)
    command = java(CLASS_PATH, "referee.samples.OneMatch")
    lines = agree_on_a_draw(command, CLIENT, tmp_path, JAVA.environment)
    assert sorted(lines[:2]) == ["started alquerque as black", "started alquerque as white"]
    assert "ended: draw_agreed, after 2 turns" in lines
    assert lines[-1] == "stopped"


def read_jar(repository: Path, artifact: str, kind: str = "") -> dict[str, bytes]:
    """Return the files of a jar of an artifact, by name."""
    with zipfile.ZipFile(versions_folder(repository, artifact) / f"{artifact}-{VERSION}{kind}.jar") as jar:
        return {name: jar.read(name) for name in jar.namelist()}


@pytest.mark.parametrize(
    ("artifact", "module", "file"),
    [
        ("referee-client", "referee.client", "referee/client/Client"),
        ("referee-api", "referee.api", "referee/api/v1/Turn"),
    ],
)
def test_each_artifact_has_its_licence_module_name_sources_and_documentation(
    repository: Path, artifact: str, module: str, file: str
) -> None:
    jar = read_jar(repository, artifact)
    assert jar["META-INF/LICENSE"] == (PROJECT / "LICENSE").read_bytes()
    assert f"Automatic-Module-Name: {module}\r\n".encode() in jar["META-INF/MANIFEST.MF"]
    classes = {name for name in jar if name.endswith(".class")}
    assert f"{file}.class" in classes
    package = file.rpartition("/")[0]
    assert {name.rpartition("/")[0] for name in classes} == {package}
    assert f"{file}.java" in read_jar(repository, artifact, "-sources")
    documented = {name for name in read_jar(repository, artifact, "-javadoc") if name.endswith("package-summary.html")}
    assert documented == {f"{module}/{package}/package-summary.html"}


def test_the_contract_is_in_the_artifact_with_its_types(repository: Path) -> None:
    contract = PROJECT / "proto"
    packed = {name: text for name, text in read_jar(repository, "referee-api").items() if name.endswith(".proto")}
    assert packed == {
        str(file.relative_to(contract)): file.read_bytes() for file in contract.glob("referee_api/**/*.proto")
    }


def test_only_the_organiser_has_types_of_other_libraries_in_its_public_signatures(repository: Path) -> None:
    names = [name for name in read_jar(repository, "referee-client") if name.endswith(".class")]
    jars = [versions_folder(repository, artifact) / f"{artifact}-{VERSION}.jar" for artifact in ARTIFACTS]
    class_path = ":".join([*map(str, jars), str(CLIENT / "client" / "target" / "lib" / "*")])
    classes = [name.removesuffix(".class").replace("/", ".") for name in names]
    shown = run_command(["javap", "-protected", "-cp", class_path, *classes], CLIENT)
    public = re.findall(r"^public .*?^}", shown, re.MULTILINE | re.DOTALL)
    bots = [text for text in public if "class referee.client.Organiser " not in text]
    assert len(bots) == len(public) - 1 > 20
    types = set(re.findall(r"\b(?:[a-z]\w*\.)+[A-Z]\w*", "\n".join(bots)))
    assert {name for name in types if not name.startswith(("java.", "referee.client."))} == set()


@pytest.mark.parametrize("folder", ARTIFACTS.values())
@pytest.mark.parametrize("path", REQUIRED)
def test_the_models_have_what_maven_central_requires(folder: str, path: str) -> None:
    assert read_model(CLIENT / folder, path)


def test_the_licence_is_that_of_the_project() -> None:
    assert (CLIENT / "LICENSE").read_bytes() == (PROJECT / "LICENSE").read_bytes()


def test_the_versions_of_all_models_the_readme_and_the_client_agree() -> None:
    for folder in set(ARTIFACTS.values()) - {"."}:
        assert (read_model(CLIENT / folder, "parent/groupId"), read_model(CLIENT / folder, "parent/version")) == (
            GROUP,
            VERSION,
        )
    settings = (CLIENT / "client/src/main/java/referee/client/Settings.java").read_text()
    assert f'String VERSION = "{VERSION}"' in settings
    assert f"<artifactId>referee-client</artifactId>\n      <version>{VERSION}</version>" in README


def test_the_list_of_versions_has_every_artifact_with_classes() -> None:
    managed = ElementTree.parse(CLIENT / "bom" / "pom.xml").getroot().iter(f"{NAMESPACE}dependency")
    names = {dependency.findtext(f"{NAMESPACE}artifactId", "") for dependency in managed}
    assert names == {"referee-api", "referee-client", "referee-client-kotlin"}
