"""Texts of moves: OpenSpiel's own, in printable ASCII without blanks, and different for all moves of a position."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

MAX_CHARS: Final = 100
WELL_FORMED: Final = re.compile(rf"[!->@-~]{{1,{MAX_CHARS}}}", re.ASCII)
"""Printable ASCII but `?`, which replaces hidden moves."""
GRAMMAR: Final = """\
What OpenSpiel's action_to_string returns, without the name of the player where it begins with it. A suit is
written as its letter, S, H, D or C; there is no blank beside a comma, colon, semicolon or equals sign, and
any other blank is written as _. If two moves of a position had the same text, ~ and the number of the action
follow it.
"""

_SUITS: Final = str.maketrans("♠♥♦♣?", "SHDC!")
_BESIDE: Final = re.compile(r"\s*([,:;=])\s*| +(-) +")
_OTHER: Final = re.compile(r"[^!-~]+")


def move_names(state: Any, seat: int, prefix: re.Pattern[str]) -> dict[str, int]:
    """Return the actions of a seat by the texts of its legal moves, sorted by these."""
    actions: Sequence[int] = state.legal_actions(seat)
    texts = [clean_name(prefix.sub("", state.action_to_string(seat, action), count=1)) for action in actions]
    named = dict(zip(texts, actions, strict=True))
    if len(named) < len(actions):
        counts = Counter(texts)
        distinct = [
            f"{text}~{action}" if counts[text] > 1 else text for text, action in zip(texts, actions, strict=True)
        ]
        named = dict(zip(distinct, actions, strict=True))
    return dict(sorted(named.items()))


@lru_cache(1 << 14)
def clean_name(text: str) -> str:
    """Return a text of OpenSpiel in the form of a move."""
    joined = _BESIDE.sub(lambda found: found[1] or found[2], text.strip().translate(_SUITS))
    return _OTHER.sub("_", joined)[: MAX_CHARS - 12].rstrip(";") or "_"
