"""Long computations in small pieces."""

import asyncio

from referee.live.watch import CooperativeYield
from tests.live.runner_harness import in_loop

MANY = 5
PIECES = 4


@in_loop
async def test_of_many_with_long_work_no_two_go_on_in_one_turn_of_the_loop() -> None:
    turns = CooperativeYield()
    turn = 0
    went_on: list[int] = []

    async def work() -> None:
        for _ in range(PIECES):
            await turns.pause()
            went_on.append(turn)

    working = asyncio.gather(*(work() for _ in range(MANY)))
    while not working.done():
        await asyncio.sleep(0)
        turn += 1
    assert len(went_on) == MANY * PIECES
    assert len(set(went_on)) == len(went_on)
