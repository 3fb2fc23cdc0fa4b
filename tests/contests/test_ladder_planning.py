"""The log of a ladder contains everything that its pairings were planned from."""

from referee.contests.ladder.commands import PairEntrants
from referee.contests.ladder.decide import command_from_input, decide
from referee.contests.ladder.events import EntrantAvailability, PairingPlanned, PlanningInput
from referee.contests.ladder.state import Ladder, evolve
from tests.contests.ladder_harness import TOC_PARTNERS, LadderHarness, new_ladder


def plannings(play: LadderHarness) -> list[PlanningInput | None]:
    return [event.planning for event in play.log if isinstance(event, PairingPlanned)]


def test_only_the_first_pairing_of_a_planning_says_what_all_were_planned_from() -> None:
    play = new_ladder().join("ann", "bob", "cat", "dan")
    play.do(PairEntrants(play.available, max_pairings=2))
    everybody = tuple(EntrantAvailability(name, ("",), 1) for name in ("ann", "bob", "cat", "dan"))
    assert plannings(play) == [PlanningInput(everybody, max_pairings=2), None]


def test_later_plannings_only_contain_what_has_changed() -> None:
    play = new_ladder().join("ann", "bob", "cat", "dan", room=3)
    play.pair_and_start()
    before = len(plannings(play))
    play.leave("ann")
    del play.slots["bob"]
    play.version["cat"] = "2"
    play.slots["cat"] = play.slots["dan"] = 5
    play.pair(allow_early_rematch=True)
    (planning,) = plannings(play)[before:]
    busy = [name for due in play.ladder.matches_in_play for name in due.pairing.entrants]
    assert planning == PlanningInput(
        tuple(
            EntrantAvailability(name, (version,), 5 - busy.count(name)) for name, version in (("cat", "2"), ("dan", ""))
        ),
        ("bob",),
        allow_early_rematch=True,
    )


def test_due_matches_that_cannot_start_are_recorded_if_the_ladder_has_them() -> None:
    play = new_ladder().join("ann", "bob", "cat", "dan")
    (first, *_) = play.pair_and_start()
    play.void(first)
    again = next(due for due in play.ladder.due_matches)
    play.do(PairEntrants(play.available, True, frozenset({again.id, "99/1.1"})))
    planning = plannings(play)[-1]
    assert planning
    assert planning.deferred == (again.id,)


def test_the_order_in_which_entrants_are_given_does_not_matter() -> None:
    play = new_ladder().join("ann", "bob", "cat", "dan", "eve")
    shuffled = PairEntrants(tuple(reversed(play.available)))
    assert decide(play.ladder, shuffled) == decide(play.ladder, PairEntrants(play.available))


def test_an_entrant_that_left_and_came_back_is_available_only_if_it_is_recorded_again() -> None:
    play = new_ladder().join("ann", "bob", "cat", "dan", room=2)
    play.pair_and_start()
    play.leave("ann")
    assert "ann" not in play.ladder.availability
    play.join("ann", room=9)
    play.pair(allow_early_rematch=True)
    planning = [recorded for recorded in plannings(play) if recorded][-1]
    assert "ann" in {availability.name for availability in planning.changed}


def test_every_planning_can_be_repeated_from_the_log() -> None:
    play = new_ladder(TOC_PARTNERS).join("ann", "bob", "cat", "dan", "eve", room=2)
    play.version = {"ann0": "1", "ann1": "2"}
    for _ in range(4):
        for due in play.pair_and_start():
            play.result(due, 1, 2)
    ladder, at, repeated = Ladder(TOC_PARTNERS), 0, 0
    while at < len(play.log):
        event = play.log[at]
        again = [event]
        if isinstance(event, PairingPlanned):
            assert event.planning
            again = decide(ladder, command_from_input(ladder, event.planning))
            repeated += len(again)
            assert again == play.log[at : at + len(again)]
        for repetition in again:
            ladder = evolve(ladder, repetition)
        at += len(again)
    assert repeated == ladder.planned_count >= 8
