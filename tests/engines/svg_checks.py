"""Checks that a drawing is one SVG element that every page may contain."""

import re
from xml.etree import ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"
MAX_BYTES = 40_000
ELEMENTS = {"g", "path", "line", "polyline", "polygon", "rect", "circle", "ellipse", "text"}
GEOMETRY = {
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "d",
    "points",
    "width",
    "height",
    "transform",
}
PAINT = {
    "fill",
    "fill-opacity",
    "fill-rule",
    "opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
}
LETTERS = {"font-family", "font-size", "font-weight", "text-anchor"}
ROOT = {"viewBox", "role", "aria-label", "font-family"}
COLOUR = re.compile("#[0-9a-f]{3}|#[0-9a-f]{6}|none", re.ASCII)
FAMILIES = ("sans-serif", "monospace")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?", re.ASCII)


def parse_svg(drawn: str) -> ElementTree.Element:
    """Return the root of a drawing, after all checks."""
    assert drawn.startswith("<svg ")
    assert len(drawn.encode()) <= MAX_BYTES
    root = ElementTree.fromstring(drawn)
    assert root.tag == f"{NAMESPACE}svg"
    assert set(root.attrib) == ROOT
    assert root.get("role") == "img"
    assert (root.get("aria-label") or "").isprintable()
    assert 0 < len(root.get("aria-label") or "") < 400
    left, top, width, height = map(float, (root.get("viewBox") or "").split())
    for inner in list(root.iter())[1:]:
        _check_element(inner)
        for x, y in places_of(inner):
            assert left <= x <= left + width
            assert top <= y <= top + height
    return root


def places_of(drawn: ElementTree.Element) -> list[tuple[float, float]]:
    """Return the points that an element names, without those of paths."""
    pairs = [point.split(",") for point in drawn.get("points", "").split()]
    pairs += [
        [drawn.attrib[x], drawn.attrib[y]]
        for x, y in (("x", "y"), ("cx", "cy"), ("x1", "y1"), ("x2", "y2"))
        if x in drawn.attrib
    ]
    return [(float(x), float(y)) for x, y in pairs]


def shapes_in(drawn: ElementTree.Element, fill: str, tag: str = "circle") -> list[ElementTree.Element]:
    """Return the elements with this tag that get this fill from the group that they are in."""
    groups = (inner for inner in drawn.iter(f"{NAMESPACE}g") if inner.get("fill") == fill)
    return [inner for parent in groups for inner in parent.findall(f"{NAMESPACE}{tag}") if "fill" not in inner.attrib]


def texts_of(drawn: ElementTree.Element) -> list[str]:
    return [inner.text or "" for inner in drawn.iter(f"{NAMESPACE}text")]


def _check_element(inner: ElementTree.Element) -> None:
    assert inner.tag.removeprefix(NAMESPACE) in ELEMENTS
    assert set(inner.attrib) <= GEOMETRY | PAINT | LETTERS
    for name in ("fill", "stroke"):
        assert COLOUR.fullmatch(inner.get(name, "none"))
    for name in (GEOMETRY - {"d", "points", "transform"}) & set(inner.attrib):
        assert NUMBER.fullmatch(inner.attrib[name])
    assert inner.get("font-family", "monospace") in FAMILIES
    assert not inner.text or inner.tag == f"{NAMESPACE}text"
