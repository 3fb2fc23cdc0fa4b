"""Checks that a drawing is one SVG element that every page may contain."""

import re
from xml.etree import ElementTree

from engines.testing.failure import require

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
ATTRIBUTES = GEOMETRY | PAINT | LETTERS
NUMBERS = GEOMETRY - {"d", "points", "transform"}
ROOT = {"viewBox", "role", "aria-label", "font-family"}
COLOUR = re.compile("#[0-9a-f]{3}|#[0-9a-f]{6}|none", re.ASCII)
FAMILIES = ("sans-serif", "monospace")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]{1,2})?", re.ASCII)


def parse_svg(drawn: str) -> ElementTree.Element:
    """Return the root of a drawing, after all checks. Raises CheckFailure."""
    require(drawn.startswith("<svg "), "a drawing does not begin with '<svg '")
    require(len(drawn.encode()) <= MAX_BYTES, f"a drawing has more than {MAX_BYTES} bytes")
    root = ElementTree.fromstring(drawn)
    require(root.tag == f"{NAMESPACE}svg", "a drawing is not in the namespace of SVG")
    require(set(root.attrib) == ROOT, f"the attributes of a drawing are {sorted(root.attrib)}, not {sorted(ROOT)}")
    require(root.get("role") == "img", "the role of a drawing is not 'img'")
    label = root.attrib["aria-label"]
    require(label.isprintable() and 0 < len(label) < 400, f"the label of a drawing is {label!r}")
    left, top, width, height = map(float, root.attrib["viewBox"].split())
    for inner in list(root.iter())[1:]:
        _check_element(inner)
        for x, y in places_of(inner):
            inside = left <= x <= left + width and top <= y <= top + height
            require(inside, f"a drawing has the point {x:g}, {y:g} outside of its view box")
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


def _check_element(inner: ElementTree.Element) -> None:
    tag = inner.tag.removeprefix(NAMESPACE)
    require(tag in ELEMENTS, f"a drawing contains the element {tag}")
    unknown = inner.attrib.keys() - ATTRIBUTES
    require(not unknown, f"an element of a drawing has the attributes {sorted(unknown)}")
    for name in ("fill", "stroke"):
        require(COLOUR.fullmatch(inner.get(name, "none")), f"{name} of a drawing is {inner.get(name)!r}")
    for name in NUMBERS & inner.attrib.keys():
        require(NUMBER.fullmatch(inner.attrib[name]), f"{name} of a drawing is {inner.attrib[name]!r}")
    require(inner.get("font-family", "monospace") in FAMILIES, "a font of a drawing is not a generic one")
    require(not inner.text or tag == "text", f"the element {tag} of a drawing contains text")
