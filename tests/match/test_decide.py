"""The effect of each command in each phase, and what happens when the rules of a game fail."""

from typing import get_args

import pytest
from referee_values import Policies

from engines.game_errors import DetailedError
from referee.match import commands
from referee.match.clock_charge import TurnMeasurement
from referee.match.decide import ALLOWED, HANDLERS, decide
from referee.match.match_errors import DrawNotClaimable, MatchOver, NotAllowedNow, TooLateToAbort
from referee.match.result import EndCause, EndKind
from referee.match.setup import Player
from referee.match.state import CHANGES, MatchPhase
from tests.match.games import BRITTLE, STONES
from tests.match.match_fixture import MatchFixture, kinds, match_setup, started_match

NOW = TurnMeasurement(0)
MOVED, NOTHING, ENDED = ["MovePlayed"], list[str](), ["PlayEnded"]
Seen = list[str] | type[DetailedError]

# Each line: a command, and its effect on a match that is waiting, playing and over.
GRID: list[tuple[commands.Command, Seen, Seen, Seen]] = [
    (commands.TakeSeat(0, Player("bot0", "1.0")), NOTHING, NotAllowedNow, MatchOver),
    (commands.AddNonce(0, b"salt"), ["NonceAdded"], NotAllowedNow, MatchOver),
    (commands.StartPlay(), ["PlayStarted"], NotAllowedNow, MatchOver),
    (commands.SubmitMove(0, "0.2.1", "1", NOW), NotAllowedNow, MOVED, MatchOver),
    (commands.FallFlag(0, NOW), NOTHING, NOTHING, NOTHING),
    (commands.WithdrawBot("bot0"), ["SeatVacated"], ["SeatForfeited", "PlayEnded"], MatchOver),
    (commands.Resign(0), NotAllowedNow, ["SeatResigned", "PlayEnded"], MatchOver),
    (commands.OfferDraw(0), NotAllowedNow, ["DrawOffered"], MatchOver),
    (commands.AcceptDraw(0), NotAllowedNow, DrawNotClaimable, MatchOver),
    (commands.DeclineDraw(0), NotAllowedNow, DrawNotClaimable, MatchOver),
    (commands.ClaimDraw(0), NotAllowedNow, ENDED, MatchOver),
    (commands.DisconnectSeat(0), NOTHING, ["SeatDisconnected"], NOTHING),
    (commands.ReconnectSeat(0), NOTHING, NOTHING, NOTHING),
    (commands.EndGracePeriod(0), NOTHING, NOTHING, NOTHING),
    (commands.ResumeMatch(5), ["RefereeRecovered"], ["RefereeRecovered"], NOTHING),
    (commands.AbortMatch(), ENDED, ENDED, MatchOver),
    (commands.AbortMatch(0), ENDED, TooLateToAbort, MatchOver),
    (commands.VoidMatch(EndCause.DECLARED), ENDED, ENDED, MatchOver),
    (commands.AdjudicateMatch((1, 2)), NotAllowedNow, ENDED, MatchOver),
]


def at(phase: MatchPhase) -> MatchFixture:
    """Return a match of stones in that phase: waiting; playing, and level after a move each; or over."""
    fixture = MatchFixture(match_setup(STONES, chosen={"seats": 2}, nonce_timeout_us=1_000_000))
    if phase is not MatchPhase.WAITING:
        fixture.do(commands.StartPlay())
        fixture.move(0, "2")
        fixture.move(1, "2")
    if phase is MatchPhase.OVER:
        fixture.do(commands.Resign(1))
    assert fixture.match.phase is phase
    return fixture


WALK = [(phase, line[0], seen) for line in GRID for phase, seen in zip(MatchPhase, line[1:], strict=True)]


@pytest.mark.parametrize(
    ("phase", "command", "seen"), WALK, ids=lambda cell: cell.value if isinstance(cell, MatchPhase) else None
)
def test_every_command_in_every_phase_does_what_the_grid_says(
    phase: MatchPhase, command: commands.Command, seen: Seen
) -> None:
    fixture = at(phase)
    if isinstance(seen, list):
        assert kinds(fixture.do(command)) == seen
    else:
        fixture.refuses(command, seen)


def test_the_grid_has_every_command_and_agrees_with_the_table() -> None:
    every = set(get_args(commands.Command))
    assert {type(command) for command, *_ in GRID} == every == set(HANDLERS)
    assert frozenset().union(*ALLOWED.values()) == every
    for phase, command, seen in WALK:
        allowed = seen not in (NotAllowedNow, MatchOver)
        repeated = (
            isinstance(command, commands.SubmitMove) and phase is MatchPhase.OVER
        )  # Only a move may be a repetition.
        assert (type(command) in ALLOWED[phase]) == (allowed or repeated)


def test_the_error_for_a_command_in_a_wrong_phase_names_the_phase() -> None:
    error = at(MatchPhase.PLAYING).refuses(commands.StartPlay(), NotAllowedNow)
    assert str(error) == "StartPlay is not possible while the match is playing"


@pytest.mark.parametrize(("players", "waits_for"), [(("ada", ""), "1"), (("", ""), "0, 1"), (("ada", "bob"), "bots")])
def test_the_error_before_the_start_says_for_which_seats_the_match_waits(
    players: tuple[str, ...], waits_for: str
) -> None:
    setup = match_setup(STONES, chosen={"seats": 2}, players=tuple(map(Player, players)))
    MatchFixture(setup).refuses(commands.Resign(0), NotAllowedNow, command="Resign", waiting_for=waits_for)


def test_every_event_can_be_applied() -> None:
    from referee.match.events import Event, MatchCreated, MovePlayed  # noqa: PLC0415

    assert set(CHANGES) == set(get_args(Event)) - {MatchCreated, MovePlayed}


def test_deciding_twice_gives_the_same_events() -> None:
    fixture = started_match(policies=Policies(timeout="random_move"))
    late = commands.FallFlag(0, TurnMeasurement(10_000_001))
    assert decide(fixture.match, late, 10_000_001) == decide(fixture.match, late, 10_000_001)


# Bots are not to blame for errors in the rules of a game.


def brittle(breaks: str, policies: Policies = Policies()) -> MatchFixture:  # noqa: B008  # A frozen value.
    return started_match(BRITTLE, chosen={"breaks": breaks}, policies=policies)


@pytest.mark.parametrize(
    ("breaks", "move", "reason"),
    [
        pytest.param("playing", "2", "BrokenGame: two were too many", id="during a move"),
        pytest.param("outcome", "1", "BrokenGame: the winner is not known", id="after a move, which is discarded"),
        pytest.param(
            "whose_turn", "2", "NotYourTurn: it is not the turn of seat 0; to move: seat 1", id="about the seat to move"
        ),
    ],
)
def test_an_engine_exception_voids_the_match_whatever_the_policies(breaks: str, move: str, reason: str) -> None:
    for policies in (Policies(), Policies(forfeit_effect="random_moves", timeout="random_move")):
        fixture = brittle(breaks, policies)
        assert kinds(fixture.move(0, move)) == ["PlayEnded"]
        assert (fixture.result.kind, fixture.result.cause) == (EndKind.VOID, EndCause.ENGINE_FAULT)
        assert fixture.result.reason == reason
        assert type(fixture.fault).__name__ == reason.partition(":")[0]


def test_an_outcome_that_no_log_can_hold_voids_the_match() -> None:
    fixture = started_match(BRITTLE, chosen={"breaks": "score", "heap": 1})
    assert kinds(fixture.move(0, "1")) == ["PlayEnded"]
    assert (fixture.result.kind, fixture.result.cause) == (EndKind.VOID, EndCause.ENGINE_FAULT)
    assert fixture.result.reason.startswith("InvalidOutcome: a score of the outcome is not a number from ")


def test_an_engine_exception_at_the_start_voids_the_match() -> None:
    fixture = MatchFixture(match_setup(BRITTLE, chosen={"breaks": "starting"}))
    assert kinds(fixture.do(commands.StartPlay())) == ["PlayEnded"]
    assert (fixture.result.kind, fixture.match.phase) == (EndKind.VOID, MatchPhase.OVER)


def test_an_illegal_default_move_voids_the_match() -> None:
    """The bot was late, but only the game is to blame for rejecting its own default move."""
    fixture = brittle("own_default", Policies(timeout="default_move"))
    assert kinds(fixture.flag(0, 10_000_001)) == ["PlayEnded"]
    assert fixture.result.cause is EndCause.ENGINE_FAULT
    assert fixture.result.reason.startswith("IllegalMove: 9 is not legal")
