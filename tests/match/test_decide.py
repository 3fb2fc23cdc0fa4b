"""The effect of each command in each phase, and what happens when the rules of a game fail."""

from typing import get_args

import pytest

from engines.refusals import Refusal
from referee.match.clock_charge import TurnMeasurement
from referee.match.commands import (
    AbortMatch,
    AcceptDraw,
    AddNonce,
    AdjudicateMatch,
    ClaimDraw,
    Command,
    DeclineDraw,
    DisconnectSeat,
    EndGracePeriod,
    FallFlag,
    OfferDraw,
    ReconnectSeat,
    Resign,
    ResumeMatch,
    StartPlay,
    SubmitMove,
    TakeSeat,
    VoidMatch,
)
from referee.match.decide import ALLOWED, HANDLERS, decide
from referee.match.match_errors import MatchOver, NoDraw, NotAllowedNow, TooLateToAbort
from referee.match.result import EndCause, EndKind
from referee.match.setup import DropoutPolicy, LatePolicy, Player, Policies
from referee.match.state import CHANGES, MatchPhase
from tests.match.games import BRITTLE, STONES, HeapFellOver
from tests.match.match_fixture import Sitting, begun, kinds, terms

NOW = TurnMeasurement(0)
MOVED, NOTHING, ENDED = ["MovePlayed"], list[str](), ["PlayEnded"]
Seen = list[str] | type[Refusal]

# Each line: a command, and its effect on a match that is waiting, playing and over.
GRID: list[tuple[Command, Seen, Seen, Seen]] = [
    (TakeSeat(0, Player("bot0", "1.0")), NOTHING, NotAllowedNow, MatchOver),
    (AddNonce(0, b"salt"), ["NonceAdded"], NotAllowedNow, MatchOver),
    (StartPlay(), ["PlayStarted"], NotAllowedNow, MatchOver),
    (SubmitMove(0, "0.2.1", "1", NOW), NotAllowedNow, MOVED, MatchOver),
    (FallFlag(0, NOW), NOTHING, NOTHING, NOTHING),
    (Resign(0), NotAllowedNow, ["SeatResigned", "PlayEnded"], MatchOver),
    (OfferDraw(0), NotAllowedNow, ["DrawOffered"], MatchOver),
    (AcceptDraw(0), NotAllowedNow, NoDraw, MatchOver),
    (DeclineDraw(0), NotAllowedNow, NoDraw, MatchOver),
    (ClaimDraw(0), NotAllowedNow, ENDED, MatchOver),
    (DisconnectSeat(0), NOTHING, ["SeatDisconnected"], NOTHING),
    (ReconnectSeat(0), NOTHING, NOTHING, NOTHING),
    (EndGracePeriod(0), NOTHING, NOTHING, NOTHING),
    (ResumeMatch(5), ["MatchResumed"], ["MatchResumed"], NOTHING),
    (AbortMatch(), ENDED, ENDED, MatchOver),
    (AbortMatch(0), ENDED, TooLateToAbort, MatchOver),
    (VoidMatch(EndCause.DECLARED), ENDED, ENDED, MatchOver),
    (AdjudicateMatch((1, 2)), NotAllowedNow, ENDED, MatchOver),
]


def at(phase: MatchPhase) -> Sitting:
    """Return a match of stones in that phase: waiting; playing, and level after a move each; or over."""
    sitting = Sitting(terms(STONES, chosen={"seats": 2}, nonce_within_us=1_000_000))
    if phase is not MatchPhase.WAITING:
        sitting.do(StartPlay())
        sitting.move(0, "2")
        sitting.move(1, "2")
    if phase is MatchPhase.OVER:
        sitting.do(Resign(1))
    assert sitting.match.phase is phase
    return sitting


WALK = [(phase, line[0], seen) for line in GRID for phase, seen in zip(MatchPhase, line[1:], strict=True)]


@pytest.mark.parametrize(
    ("phase", "command", "seen"), WALK, ids=lambda it: it.value if isinstance(it, MatchPhase) else None
)
def test_every_command_in_every_phase_does_what_the_grid_says(phase: MatchPhase, command: Command, seen: Seen) -> None:
    sitting = at(phase)
    if isinstance(seen, list):
        assert kinds(sitting.do(command)) == seen
    else:
        assert type(sitting.refuses(command)) is seen


def test_the_grid_forgets_no_command_and_agrees_with_the_table() -> None:
    every = set(get_args(Command))
    assert {type(command) for command, *_ in GRID} == every == set(HANDLERS)
    assert frozenset().union(*ALLOWED.values()) == every
    for phase, command, seen in WALK:
        allowed = seen not in (NotAllowedNow, MatchOver)
        repeated = isinstance(command, SubmitMove) and phase is MatchPhase.OVER  # Only a move may be a repetition.
        assert (type(command) in ALLOWED[phase]) == (allowed or repeated)


def test_a_command_out_of_its_phase_hears_which_phase_it_is() -> None:
    refusal = at(MatchPhase.PLAYING).refuses(StartPlay())
    assert refusal.details == {"command": "StartPlay", "phase": "playing"}
    assert str(refusal) == "StartPlay is not possible while the match is playing"


def test_every_event_can_be_folded() -> None:
    from referee.match.events import Event, MatchCreated  # noqa: PLC0415

    assert set(CHANGES) == set(get_args(Event)) - {MatchCreated}


def test_a_refusal_changes_nothing() -> None:
    sitting = at(MatchPhase.PLAYING)
    before = sitting.match
    sitting.refuses(StartPlay())
    assert sitting.match == before
    assert kinds(sitting.move(0, "1")) == MOVED


def test_deciding_twice_gives_the_same_events() -> None:
    sitting = begun(policies=Policies(late=LatePolicy.RANDOM_MOVE))
    late = FallFlag(0, TurnMeasurement(10_000_001))
    assert decide(sitting.match, late, 10_000_001) == decide(sitting.match, late, 10_000_001)


# Bots are not to blame for errors in the rules of a game.


def brittle(breaks: str, policies: Policies = Policies()) -> Sitting:  # noqa: B008  # A frozen value.
    return begun(BRITTLE, chosen={"breaks": breaks}, policies=policies)


def test_a_game_that_breaks_while_a_move_is_played_is_void() -> None:
    sitting = brittle("playing")
    sitting.move(0, "1")
    assert kinds(sitting.move(1, "2")) == ["PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause) == (EndKind.VOID, EndCause.ENGINE_FAULT)
    assert sitting.result.reason == "HeapFellOver: two were too many"
    assert isinstance(sitting.fault, HeapFellOver)


def test_a_game_that_breaks_after_a_move_leaves_no_half_of_it() -> None:
    sitting = brittle("outcome")
    assert kinds(sitting.move(0, "1")) == ["PlayEnded"]
    assert sitting.result.reason == "HeapFellOver: who has won is not known"


def test_a_game_that_cannot_start_is_void() -> None:
    sitting = Sitting(terms(BRITTLE, chosen={"breaks": "starting"}))
    assert kinds(sitting.do(StartPlay())) == ["PlayEnded"]
    assert (sitting.result.kind, sitting.match.phase) == (EndKind.VOID, MatchPhase.OVER)


def test_a_game_that_refuses_its_own_default_move_is_void() -> None:
    """The bot was late, but only the game is to blame for rejecting its own default move."""
    sitting = brittle("own_default", Policies(late=LatePolicy.DEFAULT_MOVE))
    assert kinds(sitting.flag(0, 10_000_001)) == ["PlayEnded"]
    assert sitting.result.cause is EndCause.ENGINE_FAULT
    assert sitting.result.reason.startswith("IllegalMove: 9 is not legal")


def test_a_game_that_asks_a_seat_and_then_knows_no_turn_of_it_is_void() -> None:
    sitting = brittle("whose_turn")
    assert kinds(sitting.move(0, "2")) == ["PlayEnded"]
    assert sitting.result.cause is EndCause.ENGINE_FAULT


def test_no_policy_changes_that() -> None:
    sitting = brittle("playing", Policies(dropout=DropoutPolicy.RANDOM_MOVES, late=LatePolicy.RANDOM_MOVE))
    assert kinds(sitting.move(0, "2")) == ["PlayEnded"]
    assert sitting.result.kind is EndKind.VOID


def test_what_went_well_has_no_fault() -> None:
    assert decide(begun().match, Resign(0), 0).fault is None
