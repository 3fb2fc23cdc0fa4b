"""Tells which form a module has, for the few places where one way to compute is fast only in one of the two forms."""


def is_compiled(file: str) -> bool:
    """Return whether the module with this `__file__` is compiled."""
    return not file.endswith(".py")
