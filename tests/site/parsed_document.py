"""A page of the site, parsed."""

from tests.show.test_page import ParsedPage


class ParsedDocument(ParsedPage):
    """A parsed document; its `open` is empty if every element is closed."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "link":  # It has no end tag.
            self.open.pop()

    def attributes_of(self, name: str) -> list[str]:
        """Return the values of all attributes with this name."""
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


def check_inert(html: str) -> ParsedDocument:
    """Assert that every element is closed, and that nothing runs but the script of the site. Return the page."""
    parsed = ParsedDocument(html)
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
