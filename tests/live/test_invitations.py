"""Invitations as values: their limits, and when they end."""

from typing import Any

import pytest
from msgspec.structs import replace

from referee.accounts.account_errors import BadField, BadInvitation
from referee.accounts.invitations import MAX_USES, Invitation
from referee.accounts.tokens import mint_secret, sha256_of

ONE = Invitation(sha256_of("code"), "ann", 1_000, 2_000, 2, "cup")


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("label", {"label": "x" * 201}),
        ("label", {"label": "a\nb"}),
        ("max_uses", {"max_uses": 0}),
        ("max_uses", {"max_uses": MAX_USES + 1}),
        ("expire_time", {"expires_ms": 1_000}),
    ],
)
def test_an_invalid_field_is_rejected(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(BadField) as raised:
        replace(ONE, **changes)
    assert raised.value.details["field"] == field


def test_the_id_does_not_contain_the_code() -> None:
    assert ONE.id == f"in_{sha256_of('code').hex()[:16]}"


@pytest.mark.parametrize(
    ("changes", "now_ms", "end"),
    [
        ({}, 1_999, ""),
        ({}, 2_000, "expired"),
        ({"uses": 1}, 1_999, ""),
        ({"uses": 2}, 1_999, "used_up"),
        ({"uses": 2, "revoked": True}, 2_000, "revoked"),
    ],
)
def test_an_invitation_ends_when_it_is_revoked_expired_or_used_up(
    changes: dict[str, Any], now_ms: int, end: str
) -> None:
    assert replace(ONE, **changes).end_at(now_ms) == end


def test_the_sentence_of_the_error_is_plain() -> None:
    assert str(BadInvitation("used_up")) == "the invitation is used up"
    assert str(BadInvitation("unknown")) == "there is no invitation with this code"


def test_a_code_has_a_prefix_of_its_own() -> None:
    assert mint_secret(bytes(32), "rf_invite_").secret.startswith("rf_invite_a")
