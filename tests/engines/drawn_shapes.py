"""What a drawing contains, for the tests of drawings."""

from xml.etree import ElementTree

from engines.api import SPECTATOR, Position, Viewer
from engines.drawing import MARK
from engines.registry import find
from engines.testing.svg_checks import NAMESPACE, parse_svg


def draw(
    name: str, position: Position, last_move: str | None = None, viewer: Viewer = SPECTATOR
) -> ElementTree.Element:
    """Return the drawing of a position of this game."""
    return parse_svg(find(name).svg(position.settings, position.view(viewer), last_move))


def marks_in(drawn: ElementTree.Element) -> list[str]:
    """Return the elements that mark the last move."""
    groups = [inner for inner in drawn.iter(f"{NAMESPACE}g") if inner.get("stroke") == MARK]
    return [inner.tag.removeprefix(NAMESPACE) for group in groups for inner in group.iter() if inner is not group]


def shapes_in(drawn: ElementTree.Element, fill: str, tag: str = "circle") -> list[ElementTree.Element]:
    """Return the elements with this tag that get this fill from the group that they are in."""
    groups = (inner for inner in drawn.iter(f"{NAMESPACE}g") if inner.get("fill") == fill)
    return [inner for parent in groups for inner in parent.findall(f"{NAMESPACE}{tag}") if "fill" not in inner.attrib]


def texts_of(drawn: ElementTree.Element) -> list[str]:
    return [inner.text or "" for inner in drawn.iter(f"{NAMESPACE}text")]
