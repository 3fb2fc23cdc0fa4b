"""Pages, parsed: what is on them, and whether all of it is inert."""

from html.parser import HTMLParser

from referee.show.markup import VOID


class ParsedPage(HTMLParser):
    """The parsed page: its open elements, tags with attributes, texts, and rows of tables."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.rows: list[list[str]] = []
        """The text of each cell of each row."""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag not in {*VOID, "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def classes_of(self, *kinds: str) -> list[str]:
        """Return the classes of the elements with one of these tags."""
        return [attributes.get("class") or "" for tag, attributes in self.tags if tag in kinds]

    def attributes_of(self, name: str) -> list[str]:
        """Return the values of all attributes with this name."""
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


def check_inert(html: str) -> ParsedPage:
    """Assert that every element is closed, and that nothing runs but the script of the site. Return the page."""
    parsed = ParsedPage(html)
    assert parsed.open == []
    scripts = [attributes.get("src") for tag, attributes in parsed.tags if tag == "script"]
    assert scripts in ([], ["/static/site.js"])
    for tag, attributes in parsed.tags:
        assert tag not in {"style", "iframe", "object", "embed", "base", "form"}, tag
        assert not [name for name in attributes if name.startswith("on") or name == "style"], attributes
    for address in [*parsed.attributes_of("href"), *parsed.attributes_of("src")]:
        assert address.startswith(("/", "#")), address
        assert not address.startswith("//"), address
    return parsed
