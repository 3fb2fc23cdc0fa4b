"""Converts between enums of the contract and enums of the domain, by dictionaries from the former to the latter."""

from enum import Enum
from typing import TypeVar

from referee.accounts.account_errors import BadField

DomainEnum = TypeVar("DomainEnum", bound=Enum)
WireEnum = TypeVar("WireEnum", bound=int)


def parse_enum(members: dict[WireEnum, DomainEnum], value: int, field: str) -> DomainEnum:
    """Return the domain value of a wire value. Raises BadField, with this field, if it is unknown."""
    known: dict[int, DomainEnum] = {int(number): member for number, member in members.items()}
    if value not in known:
        raise BadField(field, f"{value} is unknown; known: {', '.join(map(str, known))}")
    return known[value]


def parse_enum_or_default(members: dict[WireEnum, DomainEnum], value: int, field: str) -> DomainEnum:
    """Like `parse_enum`, but 0 stands for the first member. Raises BadField."""
    return parse_enum(members, value or next(iter(members)), field)


def enum_value(members: dict[WireEnum, DomainEnum], member: DomainEnum) -> WireEnum:
    """Return the wire value of a domain value."""
    return next(number for number, known in members.items() if known is member)
