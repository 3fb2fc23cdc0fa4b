"""Build HTML and SVG. Everything that is not `Markup` is escaped, which prevents injection by names."""

from html import escape

VOID = {"meta", "br", "col"}
"""Elements without an end tag."""


class Markup(str):
    """Text that is already markup."""

    __slots__ = ()


def tag(element: str, /, *inside: object, **attributes: object) -> Markup:
    """Build an element. Attributes that are None are omitted; `class_` is `class`, `stroke_width` is `stroke-width`."""
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{element}{named}>" if element in VOID else f"<{element}{named}>{joined(*inside)}</{element}>")


def joined(*parts: object) -> Markup:
    """Concatenate parts as markup."""
    return Markup("".join(part if isinstance(part, Markup) else escape(str(part), quote=False) for part in parts))
