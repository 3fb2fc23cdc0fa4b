"""Unbiased randomness, recomputed with nothing but hashlib and hmac."""

import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from engines.chance import Chance
from referee.match import seed_commitment as fair
from referee.match.commands import AddNonce, StartPlay
from referee.match.events import MovePlayed, MoveSource
from referee.match.setup import LatePolicy, Player, Policies
from tests.match.games import STONES
from tests.match.match_fixture import SEED, Sitting, begun, terms
from tests.strangers_games.strangers_games import FINGERS, NIM


def seed_of_match(seed: bytes, nonces: list[bytes]) -> bytes:
    message = b""
    for nonce in nonces:
        message += len(nonce).to_bytes(1, "big") + nonce
    return hmac.new(seed, message, hashlib.sha256).digest()


def forked(seed: bytes, purpose: str) -> bytes:
    return hmac.new(seed, purpose.encode("utf-8"), hashlib.sha256).digest()


class Draws:
    """The algorithm of docs/chance.md, written again."""

    def __init__(self, seed: bytes) -> None:
        self.seed, self.k = seed, 0

    def below(self, n: int) -> int:
        while True:
            draw = int.from_bytes(hashlib.sha256(self.seed + self.k.to_bytes(4, "big")).digest()[:4], "big")
            self.k += 1
            if draw < 2**32 - 2**32 % n:
                return draw % n

    def shuffled(self, things: list[Player]) -> list[Player]:
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]
        return things


seeds = st.binary(min_size=32, max_size=32)
nonces = st.lists(st.binary(max_size=fair.MAX_NONCE_BYTES), min_size=2, max_size=4)


@given(seeds, nonces)
def test_the_seed_of_a_match_mixes_the_seed_with_every_nonce(seed: bytes, given_nonces: list[bytes]) -> None:
    assert fair.match_chance(seed, given_nonces) == Chance(seed_of_match(seed, given_nonces))


def test_where_one_nonce_ends_and_the_next_begins_matters() -> None:
    assert fair.match_chance(SEED, [b"ab", b""]) != fair.match_chance(SEED, [b"a", b"b"])


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert terms().commitment == hashlib.sha256(SEED).digest()


@given(seeds, st.lists(st.binary(max_size=64), min_size=3, max_size=3))
def test_the_lot_of_seats_and_the_games_own_seed_can_be_computed_again(seed: bytes, given_nonces: list[bytes]) -> None:
    setup = terms(FINGERS, seed=seed, by_lot=True, nonce_within_us=1_000_000)
    sitting = Sitting(setup)
    for seat, nonce in enumerate(given_nonces):
        sitting.do(AddNonce(seat, nonce))
    sitting.do(StartPlay())
    mixed = seed_of_match(seed, given_nonces)
    assert list(sitting.match.players) == Draws(forked(mixed, "seats")).shuffled(list(setup.players))
    assert sitting.match.position == FINGERS.start(setup.settings, forked(mixed, "game"))


def test_a_seat_that_gave_no_nonce_counts_as_an_empty_one() -> None:
    sitting = Sitting(terms(FINGERS, nonce_within_us=1_000_000))
    sitting.do(AddNonce(1, b"one"))
    sitting.do(StartPlay())
    assert sitting.match.require_chance().seed == seed_of_match(SEED, [b"", b"one", b""])


def test_without_a_lot_everybody_keeps_the_seat() -> None:
    sitting = begun(STONES)
    assert sitting.match.players == terms(STONES).players


def test_a_lot_gives_every_seat_to_everybody_somewhere() -> None:
    firsts = set()
    for number in range(20):
        firsts.add(begun(STONES, seed=bytes([number]) * 32, by_lot=True).match.players[0])
    assert len(firsts) == 3


@given(seeds)
def test_a_move_drawn_for_a_seat_can_be_computed_again(seed: bytes) -> None:
    sitting = begun(FINGERS, seed=seed, policies=Policies(late=LatePolicy.RANDOM_MOVE))
    mixed = seed_of_match(seed, [b"", b"", b""])
    for ply, seat in enumerate([2, 0, 1, 1, 2]):
        sitting.now_us += 10_000_001
        *_, played = sitting.flag(seat)
        moves = ["1", "2", "3"]
        move = moves[Draws(forked(mixed, f"policy {ply} {seat}")).below(3)]
        assert isinstance(played, MovePlayed)
        assert (played.seat, played.move, played.source) == (seat, move, MoveSource.RANDOM)


def test_every_legal_move_is_drawn_somewhere() -> None:
    position = NIM.start(NIM.settings(), b"")
    drawn = {fair.draw_move(Chance(bytes([number])), position, 0, 0) for number in range(30)}
    assert drawn == {"1", "2", "3"}
    assert len({fair.draw_move(Chance(b""), position, 0, ply) for ply in range(30)}) == 3
