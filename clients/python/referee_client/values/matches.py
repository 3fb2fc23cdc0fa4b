"""Matches, what they are played by, and their state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from referee_client.clocks import Clock
from referee_client.values.games import Opening, Rules, SeatLayout
from referee_client.values.policies import Adjudication, Policies, Visibility
from referee_client.values.ratings import RatingChange
from referee_client.values.results import Result
from referee_client.values.time_controls import ClockCharge, TimeControl

MatchPhase: TypeAlias = Literal["", "waiting", "playing", "over"]
"""Phase of a match.

Not used in responses; as a filter: all.
`waiting`: waiting for open seats or offline bots.
`playing`: being played.
`over`: ended with a result.
"""


@dataclass(frozen=True, kw_only=True)
class MatchTerms:
    """Terms of a match. Ladders and tournaments create matches with them."""

    rules: Rules = field(default_factory=Rules)
    """The game and its options. Required."""
    time_control: TimeControl = field(default_factory=TimeControl)
    """Time control. Default: untimed."""
    policies: Policies = field(default_factory=Policies)
    """Consequences of faults. Default: the default of each policy."""
    visibility: Visibility = field(default_factory=Visibility)
    """Visibility for spectators. Default: live."""
    start_timeout_ms: int = 0
    """Time to wait for all seats to be taken and all bots to be online before the match becomes void, in milliseconds.

    Default 0: the server's setting.
    """
    random_seats: bool = False
    """Whether seats are assigned at random from the seed.

    Default: in the given order. Must be false in contests, which balance seats themselves.
    """
    nonce_timeout_ms: int = 0
    """Time that each seat can take to add a nonce to the seed, in milliseconds.

    Default 0: no nonces in a match; in a contest 1000 if the seed matters in its matches and these form no sets,
    otherwise no nonces.
    """
    without_nonces: bool = False
    """Whether the matches of a contest use no nonces, instead of the default of `nonce_timeout_ms`.

    Default false. It is true in responses if `nonce_timeout_ms` is 0.
    """
    adjudication: Adjudication | None = None
    """When the match ends although its game is not over. Default: never."""


@dataclass(frozen=True, kw_only=True)
class SeatNonce:
    """Contribution of a seat to the seed."""

    seat: int = 0
    """The seat, from 0."""
    nonce: bytes = b""
    """The nonce. Empty if the seat sent none in time."""


@dataclass(frozen=True, kw_only=True)
class SeedCommitment:
    """Published facts about the seed of a match. Set by the server."""

    commitment: bytes = b""
    """SHA-256 of the server's seed: 32 bytes, published before the start."""
    nonces: tuple[SeatNonce, ...] = ()
    """Nonces of the seats, in seat order. Empty before the start, and if the match does not use nonces."""
    seed: bytes = b""
    """The server's seed. Empty until the match is over, and with duplicate play until its whole set is over."""
    seed_provided: bool = False
    """Whether the creator of the match provided the seed, and so knew it."""


@dataclass(frozen=True, kw_only=True)
class RecordInfo:
    """Hash, size and URL of the record of a match. Set by the server."""

    sha256: bytes = b""
    """SHA-256 of the file: 32 bytes.

    The file contains the version of the server that wrote it, so the hash changes with upgrades.
    """
    size_bytes: int = 0
    """Size of the file, in bytes."""
    url: str = ""
    """URL on the server's HTTP port. Empty if it does not serve records; MatchService.GetRecord always does."""


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A seat of a match."""

    bot: str = ""
    """The bot that has the seat. Empty: open."""
    version: str = ""
    """The version that the seat was given to and that the result is rated for.

    Empty until the start if none was requested.
    """
    online: bool = False
    """Whether a session is open that can play it."""


@dataclass(frozen=True, kw_only=True)
class BotRef:
    """A bot, and optionally one version of it."""

    bot: str = ""
    """Name of the bot."""
    version: str = ""
    """Version that has to play. Default empty: any."""


@dataclass(frozen=True, kw_only=True)
class Match:
    """A match."""

    id: str = ""
    """Id, assigned by the server."""
    terms: MatchTerms = field(default_factory=MatchTerms)
    """Terms with all defaults filled in."""
    seat_layout: SeatLayout = field(default_factory=SeatLayout)
    """Names of the seats, and sides."""
    seats: tuple[Seat, ...] = ()
    """Seats and their bots, in seat order."""
    opening: Opening = field(default_factory=Opening)
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
    seed_commitment: SeedCommitment = field(default_factory=SeedCommitment)
    """Commitment to the seed."""
    result: Result | None = None
    """Result. None until it is over."""
    ratings: tuple[RatingChange, ...] = ()
    """Rating changes in seat order. Empty until it is over, and if it is unrated or void."""
    record: RecordInfo | None = None
    """The record. None in lists, until the match is over, and with duplicate play until its whole set is over."""
    create_time: datetime | None = None
    """Time when it was created."""
    start_time: datetime | None = None
    """When play started. None before."""
    end_time: datetime | None = None
    """Time when it ended. None before."""

    @property
    def game(self) -> str:
        return self.terms.rules.game

    @property
    def options(self) -> Mapping[str, str]:
        """Every option of the game, with its value as text."""
        return self.terms.rules.options

    @property
    def bots(self) -> tuple[str, ...]:
        """The bot of each seat. Empty: the seat is open."""
        return tuple(seat.bot for seat in self.seats)

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side."""
        return tuple(side.seats for side in self.seat_layout.sides)


@dataclass(frozen=True, kw_only=True)
class MatchState:
    """State of a match as one viewer can see it."""

    entry_number: int = 0
    """Number of the last entry that is included."""
    ply: int = 0
    """Number of moves played."""
    position: str = ""
    """The position in the game's notation, with `?` for hidden information."""
    view_json: str = ""
    """The position as JSON in the game's view schema. Empty unless requested."""
    seats_to_move: tuple[int, ...] = ()
    """Seats that have to move, in order. Empty before the start and after the end."""
    clocks: tuple[Clock, ...] = ()
    """Clocks of all seats in order: at the time of the call if this is the current state, otherwise at the time of
    the entry. Empty before the start.
    """
    draw_offer_seats: tuple[int, ...] = ()
    """Seats with an open draw offer."""
    dropped_out_seats: tuple[int, ...] = ()
    """Seats that dropped out while the game continued, in order."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A match and its current state, as the caller may see it."""

    match: Match = field(default_factory=Match)
    """The match."""
    state: MatchState = field(default_factory=MatchState)
    """Its state. If nothing may be seen yet, `entry_number` is 0."""

    @property
    def phase(self) -> MatchPhase:
        return self.match.phase

    @property
    def result(self) -> Result | None:
        return self.match.result


@dataclass(frozen=True, kw_only=True)
class SubmittedMove:
    """A move that was accepted."""

    entry_number: int = 0
    """Number of the last entry of the match after the move; with `validate_only`, the current one."""
    ply: int = 0
    """Ply of the move, from 0."""
    clock_charge: ClockCharge | None = None
    """Time charged for the move. None with `validate_only`."""
    result: Result | None = None
    """Result of the match, if the move ended it."""
    repeated: bool = False
    """Whether the answer was a repetition, and this is its original result."""
