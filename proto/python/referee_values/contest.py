"""Entrants and pairings, which ladders and tournaments share.

A pairing has a stable id from the moment it is planned. A void match of a pairing is replayed and never counted.
"""

from typing import Literal

from referee_values.game import Opening
from referee_values.match import BotRef
from referee_values.value import Count, Timestamp, Value

PartnerRule = Literal["", "individual", "fixed"]
"""Assignment of partners in games whose sides have several seats.

- `""`: Default: individual.
- `"individual"`: Each seat is an entrant of its own, and partners change.
- `"fixed"`: An entrant has one bot for each seat of its side.
"""
CorrectionKind = Literal["", "struck", "corrected", "restored"]
"""Kind of a correction of a finished match.

- `""`: Not used.
- `"struck"`: The match does not count, and is not played again.
- `"corrected"`: Another result counts.
- `"restored"`: The result that was played counts again.
"""
PairingPhase = Literal["", "planned", "playing", "done"]
"""Phase of a pairing.

- `""`: Not used in responses; as a filter: all.
- `"planned"`: Waiting for capacity or for its bots.
- `"playing"`: One of its matches is in play.
- `"done"`: Finished, with points.
"""


class AbsentBoard(Value, frozen=True, kw_only=True):
    """A board of two teams that was lost by absence."""

    board: Count = 0
    """Number of the board, from 1."""
    entrants: tuple[str, ...] = ()
    """Names of the teams that lost it."""


class EntrantLeft(Value, frozen=True, kw_only=True):
    """An entrant left."""

    entrant: str = ""
    """Name of the entrant."""
    message: str = ""
    """Reason in one sentence. Can be empty."""


class Entrant(Value, frozen=True, kw_only=True):
    """A participant in a contest: a bot, or several bots that play as partners."""

    name: str = ""
    """Name in tables, with the syntax of bot names, and not the name of a bot outside of this entrant. Default: the
    name of its only bot.
    """
    bots: tuple[BotRef, ...] = ()
    """Its bots: one, or with fixed partners one for each seat of a side, in seat order, or of a team one for each
    board.
    """


class DuplicatePlay(Value, frozen=True, kw_only=True):
    """Duplicate play: each pairing is a set of matches with the same start and seed and exchanged seats, which
    reduces the influence of luck and of the first move.

    Whatever would give away the rest of a set (seed, record) is hidden until all its matches are over, including
    replays of void ones. Terms with nonces, and games with hidden hands, are rejected.
    """

    arrangements: Count = 0
    """Number of seat arrangements for each start; with more than two seats they rotate. Default 0: the number of
    sides.
    """
    openings: tuple[Opening, ...] = ()
    """Starting positions, used in turn. Default: the game's initial position, with a new seed for each set. Visible
    to the organiser only until the contest is over.
    """


class MatchCorrection(Value, frozen=True, kw_only=True):
    """A correction of a finished match by staff. What was played stays in the record of the match."""

    match_id: str = ""
    """Id of the match."""
    kind: CorrectionKind = ""
    """Kind of correction."""
    ranks: tuple[Count, ...] = ()
    """Rank of each side, in the order of `SeatLayout.sides`, if the result was corrected; otherwise empty. Sides
    that share a rank are followed by skipped ranks.
    """
    message: str = ""
    """Reason in one sentence."""
    by: str = ""
    """Holder of the token of the caller."""


class EntrantJoined(Value, frozen=True, kw_only=True):
    """An entrant joined."""

    entrant: Entrant = Entrant()
    """The entrant."""


class Pairing(Value, frozen=True, kw_only=True):
    """Entrants that play each other."""

    id: str = ""
    """Id of the pairing."""
    round: Count = 0
    """The round, from 1. 0 on a ladder."""
    board: Count = 0
    """Number of the board within the round, from 1. 0 on a ladder."""
    entrants: tuple[str, ...] = ()
    """Names of the entrants, in the seat order of the first match. Only one: a bye. Of two teams, the first one has
    the first seat on odd boards, the other one on even boards.
    """
    phase: PairingPhase = ""
    """Planned, playing or done."""
    match_ids: tuple[str, ...] = ()
    """Ids of its matches in order, including void ones."""
    points: tuple[float, ...] = ()
    """Points of each entrant, in the order of `entrants`; of teams, their match points. Empty until it is done."""
    void_matches: Count = 0
    """Number of its matches that were void and replayed."""
    absent_entrants: tuple[str, ...] = ()
    """Names of entrants that lost it by absence."""
    not_before: Timestamp | None = None
    """When its first match may start. Not set: at once."""
    board_points: tuple[float, ...] = ()
    """Of teams, the points of each on its boards, in the order of `entrants`. Empty until it is done."""
    absent_boards: tuple[AbsentBoard, ...] = ()
    """Boards that teams lost by absence, by number."""
    corrections: tuple[MatchCorrection, ...] = ()
    """Corrections of its matches by staff that count, in the order of matches. `points` include them."""
    no_show_time: Timestamp | None = None
    """When an entrant that is absent now loses it, or of teams a board of it, by `no_show_ms`, unless it comes
    before. Only in `ListPairings`. Not set: it waits for no absent entrant.
    """
