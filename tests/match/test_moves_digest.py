"""Digests of moves: equal for the same game, whatever the seed, and for no other."""

from msgspec.structs import replace

from referee.match.events import MatchCreated
from referee.match.moves_digest import DIGEST_CHARS, digest_moves, digest_of_events
from tests.cli.test_explain import MATCH, alquerque_match

(CREATED, *OTHERS) = alquerque_match(*MATCH)
assert isinstance(CREATED, MatchCreated)
SETUP = CREATED.setup
MOVES = [(0, "c2-c3"), (1, "c4xc2")]


def test_the_same_moves_from_the_same_start_have_the_same_digest() -> None:
    digest = digest_moves(SETUP, MOVES)

    assert len(digest) == DIGEST_CHARS
    assert digest == digest_of_events([CREATED, *OTHERS])
    assert digest == digest_moves(replace(SETUP, match_id="another", seed=bytes(range(32))), iter(MOVES))
    others = [
        digest_moves(SETUP, MOVES[:1]),
        digest_moves(SETUP, [(0, "c2-c3"), (0, "c4xc2")]),
        digest_moves(SETUP, [(0, "c4xc2"), (1, "c2-c3")]),
        digest_moves(replace(SETUP, opening="9"), MOVES),
    ]
    assert len({digest, *others}) == 5


def test_without_moves_there_is_no_digest() -> None:
    assert digest_moves(SETUP, []) == digest_of_events([]) == ""
