"""The log of a ladder contains everything that its pairings were planned from."""

from referee.contests.ladder.commands import JoinLadder, LeaveLadder, PairEntrants
from referee.contests.ladder.decide import decide
from referee.contests.ladder.events import EntrantAvailability, PairingPlanned, PlanningInput
from referee.contests.ladder.planning import command_from_input
from referee.contests.ladder.state import Ladder, evolve
from tests.contests.ladder_harness import TOC_PARTNERS, LadderHarness, entrant, new_ladder


def plannings(it: LadderHarness) -> list[PlanningInput | None]:
    return [event.planning for event in it.log if isinstance(event, PairingPlanned)]


def test_only_the_first_pairing_of_a_planning_says_what_all_were_planned_from() -> None:
    it = new_ladder()
    it.join("ann", "bob", "cat", "dan")
    it.do(PairEntrants(it.available, max_pairings=2))
    everybody = tuple(EntrantAvailability(name, ("",), 1) for name in ("ann", "bob", "cat", "dan"))
    assert plannings(it) == [PlanningInput(everybody, max_pairings=2), None]


def test_later_plannings_only_contain_what_has_changed() -> None:
    it = new_ladder()
    it.join("ann", "bob", "cat", "dan", room=3)
    it.pair_and_start()
    before = len(plannings(it))
    it.do(LeaveLadder("ann"))
    del it.slots["bob"]
    it.version["cat"] = "2"
    it.slots["cat"] = it.slots["dan"] = 5
    it.pair(allow_early_rematch=True)
    (planning,) = plannings(it)[before:]
    busy = [name for due in it.ladder.matches_in_play for name in due.pairing.entrants]
    assert planning == PlanningInput(
        tuple(
            EntrantAvailability(name, (version,), 5 - busy.count(name)) for name, version in (("cat", "2"), ("dan", ""))
        ),
        ("bob",),
        allow_early_rematch=True,
    )


def test_due_matches_that_cannot_start_are_recorded_if_the_ladder_has_them() -> None:
    it = new_ladder()
    it.join("ann", "bob", "cat", "dan")
    (first, *_) = it.pair_and_start()
    it.void(first)
    again = next(due for due in it.ladder.due_matches)
    it.do(PairEntrants(it.available, True, frozenset({again.id, "99/1.1"})))
    planning = plannings(it)[-1]
    assert planning
    assert planning.deferred == (again.id,)


def test_the_order_in_which_entrants_are_given_does_not_matter() -> None:
    it = new_ladder()
    it.join("ann", "bob", "cat", "dan", "eve")
    shuffled = PairEntrants(tuple(reversed(it.available)))
    assert decide(it.ladder, shuffled) == decide(it.ladder, PairEntrants(it.available))


def test_an_entrant_that_left_and_came_back_is_available_only_if_it_is_recorded_again() -> None:
    it = new_ladder()
    it.join("ann", "bob", "cat", "dan", room=2)
    it.pair_and_start()
    it.do(LeaveLadder("ann"))
    assert "ann" not in it.ladder.availability
    it.do(JoinLadder(entrant("ann")))
    it.slots["ann"] = 9
    it.pair(allow_early_rematch=True)
    planning = [one for one in plannings(it) if one][-1]
    assert "ann" in {one.name for one in planning.changed}


def test_every_planning_can_be_repeated_from_the_log() -> None:
    it = new_ladder(TOC_PARTNERS)
    it.join("ann", "bob", "cat", "dan", "eve", room=2)
    it.version = {"ann0": "1", "ann1": "2"}
    for _ in range(4):
        for due in it.pair_and_start():
            it.result(due, 1, 2)
    ladder, at, repeated = Ladder(TOC_PARTNERS), 0, 0
    while at < len(it.log):
        event = it.log[at]
        again = [event]
        if isinstance(event, PairingPlanned):
            assert event.planning
            again = decide(ladder, command_from_input(ladder, event.planning))
            repeated += len(again)
            assert again == it.log[at : at + len(again)]
        for one in again:
            ladder = evolve(ladder, one)
        at += len(again)
    assert repeated == ladder.planned_count >= 8
