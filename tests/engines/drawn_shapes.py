"""What a drawing contains, for the tests of drawings."""

from xml.etree import ElementTree

from engines.testing.svg_checks import NAMESPACE


def shapes_in(drawn: ElementTree.Element, fill: str, tag: str = "circle") -> list[ElementTree.Element]:
    """Return the elements with this tag that get this fill from the group that they are in."""
    groups = (inner for inner in drawn.iter(f"{NAMESPACE}g") if inner.get("fill") == fill)
    return [inner for parent in groups for inner in parent.findall(f"{NAMESPACE}{tag}") if "fill" not in inner.attrib]


def texts_of(drawn: ElementTree.Element) -> list[str]:
    return [inner.text or "" for inner in drawn.iter(f"{NAMESPACE}text")]
