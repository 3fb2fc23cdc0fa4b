"""Ladders on which many come at once: they are paired a few at a time, so that nobody's clock waits for it."""

from referee.app.sessions import Hello
from referee.contest.finish import Finish
from referee.contest.ladder_events import Paired, Rated
from referee.contest.rated import changes
from referee.core.setup import Player
from tests.app.contests.ladder_stage import CONTEST, events, ladder_terms, opened, until
from tests.app.contests.stage import Fuse, Stage, Store, killed
from tests.app.scene import in_loop

MANY = 40
NEW = [f"new-{number}" for number in range(MANY)]
KNOWN = [f"known-{number}" for number in range(MANY)]
TWO = Hello(matches_at_most=2)


async def crowd() -> Store:
    """A ladder with many, half of whom are provisional, and nobody is there."""
    stage = await opened(ladder_terms(provisional_matches=1), *NEW, *KNOWN)
    await stage.close()
    written = len(await events(stage.store)) + 1
    await stage.store.matches.contests.append(CONTEST, written, [met(*pair) for pair in pairs(KNOWN)])
    return stage.store


def pairs(names: list[str]) -> list[tuple[str, str]]:
    return list(zip(names[::2], names[1::2], strict=True))


def met(winner: str, loser: str) -> Rated:
    finish = Finish(((Player(winner, "1"),), (Player(loser, "1"),)), (1, 2))
    return Rated(f"{winner}-{loser}", finish, (), changes({}, finish))


async def paired(store: Store) -> list[str]:
    """Everybody who was, in the order of pairing."""
    return [name for event in await events(store) if isinstance(event, Paired) for name in event.pairing.entrants]


@in_loop
async def test_each_gets_one_opponent_before_anybody_gets_a_second_one_new_or_not() -> None:
    store = await crowd()
    stage = Stage(store)
    stage.choose = lambda *_: ""
    await stage.open()
    stage.come(*NEW, *KNOWN, hello=TWO)
    await until(stage, lambda held: held.ladder.planned > MANY)
    first = (await paired(store))[: 2 * MANY]
    assert sorted(first) == sorted([*NEW, *KNOWN])
    await stage.close()


@in_loop
async def test_they_are_paired_a_few_at_a_time() -> None:
    store = await crowd()
    stage = Stage(store, Fuse(1))
    await stage.open()
    stage.come(*NEW, *KNOWN, hello=TWO)
    await stage.fuse.blown.wait()
    assert 0 < len(await paired(store)) <= MANY / 2
    await killed()
