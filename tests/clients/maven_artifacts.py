"""The artifacts of the Java and Kotlin clients: their models, and local repositories of Maven for tests."""

from pathlib import Path
from xml.etree import ElementTree

from tests.clients.client_builds import PROJECT
from tests.clients.commands import run_command
from tests.clients.languages import LANGUAGES

[JAVA] = [language for language in LANGUAGES if language.name == "java"]
NAMESPACE = "{http://maven.apache.org/POM/4.0.0}"
REQUIRED = (
    "name",
    "description",
    "url",
    "licenses/license/url",
    "developers/developer/name",
    "scm/connection",
    "scm/url",
)
"""What Maven Central requires of a model."""


def read_model(folder: Path, path: str) -> str:
    """Return the text of an element of a model or of their common parent, empty if there is none."""
    for model in (folder / "pom.xml", PROJECT / "clients" / "java" / "pom.xml"):
        elements = "/".join(NAMESPACE + name for name in path.split("/"))
        if text := ElementTree.parse(model).getroot().findtext(elements, ""):
            return text
    return ""


GROUP, VERSION = (read_model(JAVA.folder, name) for name in ("groupId", "version"))


def versions_folder(repository: Path, artifact: str) -> Path:
    """Return the folder of a repository that has the artifact."""
    return repository.joinpath(*GROUP.split("."), artifact, VERSION)


def link_other_artifacts(repository: Path) -> None:
    """Let the repository have all artifacts of other groups that the one of this machine has."""
    known = Path.home() / ".m2" / "repository"
    known.mkdir(parents=True, exist_ok=True)
    for entry in known.iterdir():
        if not (repository / entry.name).exists():
            (repository / entry.name).symlink_to(entry)


def run_maven(folder: Path, *arguments: str) -> None:
    """Run Maven in the folder. Raises AssertionError with its output if it fails."""
    run_command(["mvn", "-q", *arguments], folder, **JAVA.environment)
