"""Responses that organisers get whole. The values of the contract are their parts, without responses."""

from referee_values import (
    ClockCharge,
    Count,
    Count64,
    Invitation,
    Result,
    Rules,
    SeatLayout,
    SeatToMove,
    SprtState,
    Token,
    TournamentStanding,
    Value,
)


class NewToken(Value, frozen=True, kw_only=True):
    """A new token with its secret, which cannot be read again later."""

    secret: str = ""
    token: Token = Token()
    """The token without its secret."""


class NewInvitation(Value, frozen=True, kw_only=True):
    """A new invitation with its code, which cannot be read again later."""

    invitation: Invitation = Invitation()
    """The invitation without its code."""
    code: str = ""
    """Empty if an earlier attempt of the same call created the invitation."""


class DrainState(Value, frozen=True, kw_only=True):
    """Number of matches and streams that a server waits for when it shuts down."""

    matches_in_play: Count = 0
    """They continue after the next start."""
    streams: Count = 0


class PositionReading(Value, frozen=True, kw_only=True):
    """A position, read by the rules."""

    rules: Rules = Rules()
    """The rules with the values of all options."""
    seat_layout: SeatLayout = SeatLayout()
    position: str = ""
    """The position in canonical form, as the viewer can see it."""
    view_json: str = ""
    """The position as JSON in the game's view schema. Empty unless requested."""
    seats_to_move: tuple[SeatToMove, ...] = ()
    """Seats that have to move, in order, with their legal moves. Empty if the game is over."""
    result: Result | None = None
    """None while the game continues."""


class SubmittedMove(Value, frozen=True, kw_only=True):
    """A move that was accepted."""

    entry_number: Count64 = 0
    """Number of the last entry of the match after the move; with `validate_only`, the current one."""
    ply: Count = 0
    """Ply of the move, from 0."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. None with `validate_only`."""
    result: Result | None = None
    """Result of the match, if the move ended it."""
    repeated: bool = False
    """Whether the answer was a repetition, and this is its original result."""


class TournamentTable(Value, frozen=True, kw_only=True):
    """Standings of a tournament, and the state of its sequential test."""

    standings: tuple[TournamentStanding, ...] = ()
    """The standings, best first."""
    sprt: SprtState | None = None
    """State of the test. None unless the format is SPRT."""
