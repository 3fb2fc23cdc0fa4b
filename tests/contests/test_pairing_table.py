"""The table of pairings, compared with a plain dictionary."""

import pickle
import random

from referee.contests.pairing import MatchScore, Pairing
from referee.contests.pairing_progress import PairingProgress
from referee.contests.tournament.pairing_table import CHUNK_SIZE, PairingTable

NAMES = "abcdef"


def changed(progress: PairingProgress, rng: random.Random) -> PairingProgress:
    number = len(progress.scores) + 1
    return rng.choice(
        [
            progress.with_match_started(number, progress.current_attempt(number), f"{progress.pairing.id} {number}"),
            progress.with_void(number),
            progress.with_score(1, MatchScore((1, 2))),
        ]
    )


def test_the_table_behaves_like_a_dictionary(rng: random.Random) -> None:
    plain: dict[str, PairingProgress] = {}
    pairings = PairingTable()
    for number in range(1, 6):
        new = [
            PairingProgress(Pairing(f"{number}.{board}", number, board, tuple(rng.sample(NAMES, 2))))
            for board in range(1, rng.randint(2, CHUNK_SIZE))
        ]
        plain |= {progress.pairing.id: progress for progress in new}
        pairings = pairings.with_new(new)
        for progress in rng.choices(new, k=40):
            after = changed(plain[progress.pairing.id], rng)
            plain[progress.pairing.id] = after
            pairings = pairings.with_changed(after)
        departed = rng.choice(NAMES)
        if rng.random() < 0.5:
            pairings = pairings.with_departure(departed)
            plain = {
                key: progress
                if progress.is_done or departed not in progress.pairing.entrants
                else progress.with_departure(departed)
                for key, progress in plain.items()
            }
        for table in (pairings, pickle.loads(pickle.dumps(pairings))):
            same(table, plain)


def test_a_chunk_is_pickled_once() -> None:
    [part] = PairingTable().with_new([PairingProgress(Pairing("1.1", 1, 1, ("a", "b")))]).chunks
    assert part.pickle() is part.pickle()


def same(pairings: PairingTable, plain: dict[str, PairingProgress]) -> None:
    still = [progress for progress in plain.values() if not progress.is_done]
    assert pairings == plain
    assert list(pairings) == list(plain)
    assert list(pairings.values()) == list(plain.values())
    assert "7.1" not in pairings
    assert pairings.open_pairings == still
    assert pairings.open_count == len(still)
    assert pairings.matches_in_play == [due for progress in still for due in progress.matches_in_play]
    assert pairings.waiting_matches == [
        due for progress in still for due in progress.due_matches if (due.number, due.attempt) not in progress.match_ids
    ]
    assert pairings.last_round == max(progress.pairing.round for progress in plain.values())
    assert pairings.first_open_round == min((progress.pairing.round for progress in still), default=None)


def test_a_change_shares_all_other_chunks() -> None:
    pairings = [Pairing(f"1.{board}", 1, board, ("a", "b")) for board in range(3 * CHUNK_SIZE)]
    before = PairingTable().with_new(map(PairingProgress, pairings))
    after = before.with_changed(before[pairings[0].id].with_score(1, MatchScore((1, 2))))
    assert after.chunks[0] is not before.chunks[0]
    assert after.chunks[1:] == before.chunks[1:]
    assert len(before.open_pairings) == len(after.open_pairings) + 1
