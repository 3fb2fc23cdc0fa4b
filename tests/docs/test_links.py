"""Links between pages lead to existing files and headings, the glossary is sorted and linked, and numbers are right."""

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "clients/*/README.md", "engines/*.md", "proto/*.md", "proto/python/*.md")
    for page in ROOT.glob(pattern)
)
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


@cache
def text_of(page: Path) -> str:
    """Return the page without its code blocks."""
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that GitHub creates from the headings of a page, and its explicit anchors."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.strip().lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain} | set(re.findall(r'<a id="(\w+)"', text_of(page)))


def is_broken(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists():
        return True
    return bool(anchor) and target.suffix == ".md" and anchor not in anchors_of(target)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text_of(page))
    assert [link for link in links if "://" not in link and is_broken(page, link)] == []


@pytest.mark.parametrize("project", ["pyproject.toml", "clients/python/pyproject.toml", "proto/python/pyproject.toml"])
def test_the_description_of_a_distribution_needs_no_other_file(project: str) -> None:
    """A package index shows the page alone, so a link to another file of the repository would be dead."""
    folder = (ROOT / project).parent
    page = folder / tomllib.loads((ROOT / project).read_text(encoding="utf-8"))["project"]["readme"]
    targets = re.findall(r"\]\(([^)\s]+)\)|(?:href|src)=\"([^\"]+)\"|^\[[^]]+\]: (\S+)", text_of(page), re.MULTILINE)
    assert [target for target in targets if not re.match("https://|#", "".join(target))] == []


def test_the_glossary_is_sorted_and_each_term_is_there_once() -> None:
    terms = re.findall(r"^\| ([^|]+) \| [A-Z]", text_of(ROOT / "docs" / "glossary.md"), re.MULTILINE)
    assert terms
    assert terms == sorted(set(terms), key=str.lower)


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md", "docs/contributing.md"])
def test_the_first_pages_lead_to_the_glossary(page: str) -> None:
    assert "glossary.md)" in text_of(ROOT / page)
