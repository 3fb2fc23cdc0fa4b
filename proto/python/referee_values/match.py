"""Matches: terms, seats and current state.

Terms never change. The state of a match is numbered by the entries of its log, so that a watcher can continue after
any number.
"""

from typing import Literal

from referee_values.clock import Clock, TimeControl
from referee_values.game import Opening, Rules, SeatLayout
from referee_values.policy import Adjudication, Policies, Visibility
from referee_values.rating import RatingChange
from referee_values.record import RecordInfo
from referee_values.result import Result
from referee_values.seed import SeedCommitment
from referee_values.value import Count, Count64, Int64, Timestamp, Value

MatchPhase = Literal["", "waiting", "playing", "over"]
"""Phase of a match.

- `""`: Not used in responses; as a filter: all.
- `"waiting"`: Waiting for open seats or offline bots.
- `"playing"`: Being played.
- `"over"`: Ended with a result.
"""


class Seat(Value, frozen=True, kw_only=True):
    """A seat of a match."""

    bot: str = ""
    """The bot that has the seat. Empty: open."""
    version: str = ""
    """The version that the seat was given to and that the result is rated for. Empty until the start if none was
    requested.
    """
    online: bool = False
    """Whether a session is open that can play it."""


class BotRef(Value, frozen=True, kw_only=True):
    """A bot, and optionally one version of it."""

    bot: str = ""
    """Name of the bot."""
    version: str = ""
    """Version that has to play. Default empty: any."""


class MatchTerms(Value, frozen=True, kw_only=True):
    """Terms of a match. Ladders and tournaments create matches with them."""

    rules: Rules = Rules()
    """The game and its options. Required."""
    time_control: TimeControl = TimeControl()
    """Time control. Default: untimed."""
    policies: Policies = Policies()
    """Consequences of faults. Default: the default of each policy."""
    visibility: Visibility = Visibility()
    """Visibility for spectators. Default: live."""
    start_timeout_ms: Int64 = 0
    """Time to wait for all seats to be taken and all bots to be online before the match becomes void, in
    milliseconds. Default 0: the server's setting.
    """
    random_seats: bool = False
    """Whether seats are assigned at random from the seed. Default: in the given order. Must be false in contests,
    which balance seats themselves.
    """
    nonce_timeout_ms: Int64 = 0
    """Time that each seat can take to add a nonce to the seed, in milliseconds. Default 0: no nonces in a match; in
    a contest 1000 if the seed matters in its matches and these form no sets, otherwise no nonces.
    """
    without_nonces: bool = False
    """Whether the matches of a contest use no nonces, instead of the default of `nonce_timeout_ms`. Default false.
    It is true in responses if `nonce_timeout_ms` is 0.
    """
    adjudication: Adjudication | None = None
    """When the match ends although its game is not over. Default: never."""


class MatchState(Value, frozen=True, kw_only=True):
    """State of a match as one viewer can see it."""

    entry_number: Count64 = 0
    """Number of the last entry that is included."""
    ply: Count = 0
    """Number of moves played."""
    position: str = ""
    """The position in the game's notation, with `?` for hidden information."""
    view_json: str = ""
    """The position as JSON in the game's view schema. Empty unless requested."""
    seats_to_move: tuple[Count, ...] = ()
    """Seats that have to move, in order. Empty before the start and after the end."""
    clocks: tuple[Clock, ...] = ()
    """Clocks of all seats in order: at the time of the call if this is the current state, otherwise at the time of
    the entry. Empty before the start.
    """
    draw_offer_seats: tuple[Count, ...] = ()
    """Seats with an open draw offer."""
    dropped_out_seats: tuple[Count, ...] = ()
    """Seats that dropped out while the game continued, in order."""


class Match(Value, frozen=True, kw_only=True):
    """A match."""

    id: str = ""
    """Id, assigned by the server."""
    terms: MatchTerms = MatchTerms()
    """Terms with all defaults filled in."""
    seat_layout: SeatLayout = SeatLayout()
    """Names of the seats, and sides."""
    seats: tuple[Seat, ...] = ()
    """Seats and their bots, in seat order."""
    opening: Opening = Opening()
    """Start other than the game's initial position, as the viewer can see it."""
    title: str = ""
    """Title by its creator. Can be empty."""
    ladder: str = ""
    """Ladder that rates it. Empty: unrated."""
    tournament: str = ""
    """Tournament that it belongs to. Empty: none."""
    pairing_id: str = ""
    """Pairing that it belongs to. Empty: none."""
    phase: MatchPhase = ""
    """Waiting, playing or over."""
    seed_commitment: SeedCommitment = SeedCommitment()
    """Commitment to the seed."""
    result: Result | None = None
    """Result. Not set until it is over."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty until it is over, and if it is unrated or void."""
    record: RecordInfo | None = None
    """The record. Not set in lists, until the match is over, and with duplicate play until its whole set is over."""
    create_time: Timestamp | None = None
    """Time when it was created."""
    start_time: Timestamp | None = None
    """When play started. Not set before."""
    end_time: Timestamp | None = None
    """Time when it ended. Not set before."""
