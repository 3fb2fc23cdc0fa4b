"""Which command does what in which phase, and what happens when the rules of a game break."""

from typing import get_args

import pytest

from engines.refusals import Refusal
from referee.core.commands import (
    Abort,
    AcceptDraw,
    Adjudicate,
    Begin,
    ClaimDraw,
    Command,
    DeclineDraw,
    EndGrace,
    FallFlag,
    GiveNonce,
    Leave,
    OfferDraw,
    Resign,
    Resume,
    Return,
    SubmitMove,
    TakeSeat,
    Void,
)
from referee.core.deciding import ALLOWED, DECIDE, decide
from referee.core.errors import MatchOver, NoDraw, NotAllowedNow, TooLateToAbort
from referee.core.match import CHANGES, Phase
from referee.core.policy import Dropout, Late, Policies
from referee.core.result import Cause, Kind
from referee.core.row import Measured
from referee.core.setup import Player
from tests.core.games import BRITTLE, STONES, HeapFellOver
from tests.core.sitting import Sitting, begun, kinds, terms

NOW = Measured(0)
MOVED, NOTHING, ENDED = ["MovePlayed"], list[str](), ["PlayEnded"]
Seen = list[str] | type[Refusal]

# Each line: a command, and what it does to a match that waits, to one that is played, and to one that is over.
GRID: list[tuple[Command, Seen, Seen, Seen]] = [
    (TakeSeat(0, Player("bot0", "1.0")), NOTHING, NotAllowedNow, MatchOver),
    (GiveNonce(0, b"salt"), ["NonceGiven"], NotAllowedNow, MatchOver),
    (Begin(), ["PlayBegan"], NotAllowedNow, MatchOver),
    (SubmitMove(0, "0.2.1", "1", NOW), NotAllowedNow, MOVED, MatchOver),
    (FallFlag(0, NOW), NOTHING, NOTHING, NOTHING),
    (Resign(0), NotAllowedNow, ["SeatResigned", "PlayEnded"], MatchOver),
    (OfferDraw(0), NotAllowedNow, ["DrawOffered"], MatchOver),
    (AcceptDraw(0), NotAllowedNow, NoDraw, MatchOver),
    (DeclineDraw(0), NotAllowedNow, NoDraw, MatchOver),
    (ClaimDraw(0), NotAllowedNow, ENDED, MatchOver),
    (Leave(0), NOTHING, ["SeatGone"], NOTHING),
    (Return(0), NOTHING, NOTHING, NOTHING),
    (EndGrace(0), NOTHING, NOTHING, NOTHING),
    (Resume(5), ["RefereeBack"], ["RefereeBack"], NOTHING),
    (Abort(), ENDED, ENDED, MatchOver),
    (Abort(0), ENDED, TooLateToAbort, MatchOver),
    (Void(Cause.DECLARED), ENDED, ENDED, MatchOver),
    (Adjudicate((1, 2)), NotAllowedNow, ENDED, MatchOver),
]


def at(phase: Phase) -> Sitting:
    """A match of stones in that phase: waiting; level after a move each; or over."""
    sitting = Sitting(terms(STONES, chosen={"seats": 2}, nonce_within_us=1_000_000))
    if phase is not Phase.WAITING:
        sitting.do(Begin())
        sitting.move(0, "2")
        sitting.move(1, "2")
    if phase is Phase.OVER:
        sitting.do(Resign(1))
    assert sitting.match.phase is phase
    return sitting


WALK = [(phase, line[0], seen) for line in GRID for phase, seen in zip(Phase, line[1:], strict=True)]


@pytest.mark.parametrize(("phase", "command", "seen"), WALK, ids=lambda it: it.value if isinstance(it, Phase) else None)
def test_every_command_in_every_phase_does_what_the_grid_says(phase: Phase, command: Command, seen: Seen) -> None:
    sitting = at(phase)
    if isinstance(seen, list):
        assert kinds(sitting.do(command)) == seen
    else:
        assert type(sitting.refuses(command)) is seen


def test_the_grid_forgets_no_command_and_agrees_with_the_table() -> None:
    every = set(get_args(Command))
    assert {type(command) for command, *_ in GRID} == every == set(DECIDE)
    assert frozenset().union(*ALLOWED.values()) == every
    for phase, command, seen in WALK:
        allowed = seen not in (NotAllowedNow, MatchOver)
        repeated = isinstance(command, SubmitMove) and phase is Phase.OVER  # Only that one can be answered.
        assert (type(command) in ALLOWED[phase]) == (allowed or repeated)


def test_a_command_out_of_its_phase_hears_which_phase_it_is() -> None:
    refusal = at(Phase.PLAYING).refuses(Begin())
    assert refusal.details == {"command": "Begin", "phase": "playing"}
    assert str(refusal) == "Begin is not possible while the match is playing"


def test_every_event_can_be_folded() -> None:
    from referee.core.events import Event, Opened  # noqa: PLC0415

    assert set(CHANGES) == set(get_args(Event)) - {Opened}


def test_a_refusal_changes_nothing() -> None:
    sitting = at(Phase.PLAYING)
    before = sitting.match
    sitting.refuses(Begin())
    assert sitting.match == before
    assert kinds(sitting.move(0, "1")) == MOVED


def test_deciding_twice_gives_the_same_events() -> None:
    sitting = begun(policies=Policies(late=Late.RANDOM_MOVE))
    late = FallFlag(0, Measured(10_000_001))
    assert decide(sitting.match, late, 10_000_001) == decide(sitting.match, late, 10_000_001)


# What breaks in the rules of a game is not the bots' doing.


def brittle(breaks: str, policies: Policies = Policies()) -> Sitting:  # noqa: B008  # A frozen value.
    return begun(BRITTLE, chosen={"breaks": breaks}, policies=policies)


def test_a_game_that_breaks_while_a_move_is_played_is_void() -> None:
    sitting = brittle("playing")
    sitting.move(0, "1")
    assert kinds(sitting.move(1, "2")) == ["PlayEnded"]
    assert (sitting.result.kind, sitting.result.cause) == (Kind.VOID, Cause.ENGINE_FAULT)
    assert sitting.result.reason == "HeapFellOver: two were too many"
    assert isinstance(sitting.fault, HeapFellOver)


def test_a_game_that_breaks_after_a_move_leaves_no_half_of_it() -> None:
    sitting = brittle("outcome")
    assert kinds(sitting.move(0, "1")) == ["PlayEnded"]
    assert sitting.result.reason == "HeapFellOver: who has won is not known"


def test_a_game_that_cannot_start_is_void() -> None:
    sitting = Sitting(terms(BRITTLE, chosen={"breaks": "starting"}))
    assert kinds(sitting.do(Begin())) == ["PlayEnded"]
    assert (sitting.result.kind, sitting.match.phase) == (Kind.VOID, Phase.OVER)


def test_a_game_that_refuses_its_own_default_move_is_void() -> None:
    """The bot was late; that its game then refuses the game's own move is nobody's but the game's fault."""
    sitting = brittle("own_default", Policies(late=Late.DEFAULT_MOVE))
    assert kinds(sitting.flag(0, 10_000_001)) == ["PlayEnded"]
    assert sitting.result.cause is Cause.ENGINE_FAULT
    assert sitting.result.reason.startswith("IllegalMove: 9 is not legal")


def test_a_game_that_asks_a_seat_and_then_knows_no_turn_of_it_is_void() -> None:
    sitting = brittle("whose_turn")
    assert kinds(sitting.move(0, "2")) == ["PlayEnded"]
    assert sitting.result.cause is Cause.ENGINE_FAULT


def test_no_policy_changes_that() -> None:
    sitting = brittle("playing", Policies(dropout=Dropout.RANDOM_MOVES, late=Late.RANDOM_MOVE))
    assert kinds(sitting.move(0, "2")) == ["PlayEnded"]
    assert sitting.result.kind is Kind.VOID


def test_what_went_well_has_no_fault() -> None:
    assert decide(begun().match, Resign(0), 0).fault is None
