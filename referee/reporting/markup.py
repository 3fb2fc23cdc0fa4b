"""HTML and SVG as values: what is no markup yet is escaped as it goes in, so that no name can become some."""

from html import escape

VOID = {"meta", "br", "col"}
"""Elements without an end."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(element: str, /, *inside: object, **attributes: object) -> Markup:
    """An element. An attribute that is None is left out; `class_` is `class`, and `stroke_width` `stroke-width`."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{named}>" if element in VOID else f"<{element}{named}>{joined(*inside)}</{element}>")


def joined(*parts: object) -> Markup:
    """One after the other, as markup."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part), quote=False) for part in parts))
