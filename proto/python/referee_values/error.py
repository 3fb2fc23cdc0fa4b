"""Errors: why the server rejected a call or an item, and what would have been right.

A rejected call or item changes nothing, except that an invalid move counts as an attempt. A call fails with a
google.rpc.Status whose ErrorInfo has the reason, the domain `referee`, and the variables of the message as metadata.
That reason is the name of the ErrorReason without its prefix: ERROR_REASON_ILLEGAL_MOVE is sent as ILLEGAL_MOVE. In
the Play stream, which continues after an error, it is an ErrorDetail.
"""

from collections.abc import Mapping
from typing import Literal

from referee_values.value import EMPTY, Value

ErrorReason = Literal[
    "",
    "MALFORMED_MOVE",
    "MALFORMED_POSITION",
    "UNKNOWN_GAME",
    "UNKNOWN_OPTION",
    "UNKNOWN_PRESET",
    "BAD_OPTION",
    "BAD_TIME_CONTROL",
    "BAD_POLICY",
    "BAD_SEATS",
    "BAD_NAME",
    "BAD_FIELD",
    "BAD_PAGE_TOKEN",
    "REQUEST_ID_REUSED",
    "HELLO_EXPECTED",
    "NUMBER_AHEAD",
    "ILLEGAL_MOVE",
    "MATCH_OVER",
    "CLOCK_EXPIRED",
    "MATCH_NOT_STARTED",
    "MATCH_NOT_OVER",
    "NO_DRAWS_HERE",
    "NO_DRAW_OFFERED",
    "DRAW_NOT_CLAIMABLE",
    "SEAT_TAKEN",
    "BOT_PAUSED",
    "BOT_NOT_PAUSED",
    "LADDER_CLOSED",
    "NOT_A_MEMBER",
    "SAME_OWNER",
    "NOT_AN_ENTRANT",
    "TOURNAMENT_STARTED",
    "TOURNAMENT_NOT_STARTED",
    "TOURNAMENT_OVER",
    "WRONG_ENTRANT_COUNT",
    "NOT_EXPORTABLE",
    "CONTEST_NOT_OVER",
    "DRAW_OFFERED_BEFORE",
    "CONSENT_MISSING",
    "NOT_WITHDRAWABLE",
    "BAD_INVITATION",
    "ENTRIES_CLOSED",
    "PAIRING_NOT_CHANGEABLE",
    "BYE_NOT_POSSIBLE",
    "NOT_YOUR_TURN",
    "STALE_TURN",
    "SESSION_TAKEN_OVER",
    "NO_SUCH_MATCH",
    "NO_SUCH_BOT",
    "NO_SUCH_VERSION",
    "NO_SUCH_LADDER",
    "NO_SUCH_TOURNAMENT",
    "NO_SUCH_TOKEN",
    "MATCH_ARCHIVED",
    "NO_SUCH_PAIRING",
    "NO_SUCH_INVITATION",
    "NAME_TAKEN",
    "ALREADY_IN",
    "SLOW_CONSUMER",
    "TOO_MANY_MATCHES",
    "TOO_MANY_STREAMS",
    "TOO_MANY_CALLS",
    "TOO_MANY_NAMES",
    "MESSAGE_TOO_LARGE",
    "TOO_EXPENSIVE",
    "TOO_MANY_CALLS_IN_FLIGHT",
    "TOO_MUCH_STORED",
    "TOO_MANY_BYTES",
    "NO_TOKEN",
    "BAD_TOKEN",
    "NOT_YOURS",
    "DRAINING",
    "STORE_UNAVAILABLE",
    "MATCH_MOVING",
    "HEARTBEAT_LOST",
    "NODE_UNAVAILABLE",
    "ENGINE_FAULT",
    "REFEREE_FAULT",
]
"""Reason of an error.

The comment of each value ends with its gRPC status code, the second detail of the Status if there is one (every
INVALID_ARGUMENT has a BadRequest that names the field), and the names of its metadata. Numbers are grouped by code.

- `""`: Not used.
- `"MALFORMED_MOVE"`: The text is not a move of this game in any position. INVALID_ARGUMENT; move, right.
- `"MALFORMED_POSITION"`: The text is not a position of this game under these options. INVALID_ARGUMENT; position,
  wrong.

- `"UNKNOWN_GAME"`: The server has no game of that name. INVALID_ARGUMENT; game, known.
- `"UNKNOWN_OPTION"`: The game has no option of that name. INVALID_ARGUMENT; option, known.
- `"UNKNOWN_PRESET"`: The game has no preset of that name. INVALID_ARGUMENT; preset, known.
- `"BAD_OPTION"`: The value of an option is invalid, alone or together with other options. INVALID_ARGUMENT; option,
  value, known.

- `"BAD_TIME_CONTROL"`: The time control is invalid. INVALID_ARGUMENT; field, wrong.
- `"BAD_POLICY"`: A policy, or a combination of policies, is invalid for this game. INVALID_ARGUMENT; field, wrong.
- `"BAD_SEATS"`: More or fewer seats than the game has under these options. INVALID_ARGUMENT; given, wanted.
- `"BAD_NAME"`: The name does not have the required syntax. INVALID_ARGUMENT; name, wrong.
- `"BAD_FIELD"`: Any other field that is missing or invalid. INVALID_ARGUMENT; field, wrong.
- `"BAD_PAGE_TOKEN"`: The page token is invalid, or belongs to another request. INVALID_ARGUMENT; no metadata.
- `"REQUEST_ID_REUSED"`: The request id was used before with another request. INVALID_ARGUMENT; request_id.
- `"HELLO_EXPECTED"`: The first item of a Play stream was not a Hello. INVALID_ARGUMENT; item.
- `"NUMBER_AHEAD"`: The number to continue after is greater than that of the last entry. OUT_OF_RANGE; after, last.
- `"ILLEGAL_MOVE"`: The move is well-formed, but illegal in this position. FAILED_PRECONDITION; move, rule, why, ply,
  attempts_left.

- `"MATCH_OVER"`: The match has ended. FAILED_PRECONDITION; match_id, result.
- `"CLOCK_EXPIRED"`: The flag fell before the answer arrived. FAILED_PRECONDITION; match_id, seat, ply, and every
  field of the ClockCharge.

- `"MATCH_NOT_STARTED"`: The match is waiting for its seats. FAILED_PRECONDITION; match_id, waiting_for.
- `"MATCH_NOT_OVER"`: Not available before the match, and with duplicate play its whole set, is over.
  FAILED_PRECONDITION; match_id.

- `"NO_DRAWS_HERE"`: The game has no draw by agreement. FAILED_PRECONDITION; game.
- `"NO_DRAW_OFFERED"`: There is no open draw offer. FAILED_PRECONDITION; match_id.
- `"DRAW_NOT_CLAIMABLE"`: The rules do not let this seat claim a draw now. FAILED_PRECONDITION; match_id, why.
- `"SEAT_TAKEN"`: The seat is not open. FAILED_PRECONDITION; match_id, seat.
- `"BOT_PAUSED"`: The bot is paused and gets no new matches. FAILED_PRECONDITION; bot, cause.
- `"BOT_NOT_PAUSED"`: The bot is not paused. FAILED_PRECONDITION; bot.
- `"LADDER_CLOSED"`: The ladder is closed. FAILED_PRECONDITION; ladder.
- `"NOT_A_MEMBER"`: The bot has not joined the ladder. FAILED_PRECONDITION; ladder, bot.
- `"SAME_OWNER"`: The bots have the same owner, so they play no rated match. FAILED_PRECONDITION; ladder, entrants.
- `"NOT_AN_ENTRANT"`: The bot has not entered the tournament. FAILED_PRECONDITION; tournament, entrant.
- `"TOURNAMENT_STARTED"`: Not possible after the start of a tournament of this format. FAILED_PRECONDITION;
  tournament.

- `"TOURNAMENT_NOT_STARTED"`: The tournament has not started. FAILED_PRECONDITION; tournament.
- `"TOURNAMENT_OVER"`: The tournament is finished or cancelled. FAILED_PRECONDITION; tournament.
- `"WRONG_ENTRANT_COUNT"`: Too few or too many entrants for the format. FAILED_PRECONDITION; tournament, entrants,
  wanted.

- `"NOT_EXPORTABLE"`: The export format does not support this tournament. FAILED_PRECONDITION; tournament, format,
  why.

- `"CONTEST_NOT_OVER"`: The record of a ladder or tournament is written when it is over. FAILED_PRECONDITION; contest
  (such as ladder/main).

- `"DRAW_OFFERED_BEFORE"`: The seat's draw offer is open already, or was declined in this position.
  FAILED_PRECONDITION; match_id, why.

- `"CONSENT_MISSING"`: The bot does not take such matches from this caller. FAILED_PRECONDITION; bot, condition (a
  field of its Consent, or ladder), why.

- `"NOT_WITHDRAWABLE"`: The bot cannot be withdrawn from the match, which is rated, belongs to a contest or does not
  have it. The match ends otherwise: by a resignation, or by leaving the contest. FAILED_PRECONDITION; match_id, bot,
  why.

- `"BAD_INVITATION"`: The code of an invitation is unknown, or the invitation is expired, revoked or used up.
  FAILED_PRECONDITION; why.

- `"ENTRIES_CLOSED"`: The entries of the tournament are closed. FAILED_PRECONDITION; tournament, closed_at (RFC
  3339).

- `"PAIRING_NOT_CHANGEABLE"`: The pairing is finished, being played, or fixed by what followed from it.
  FAILED_PRECONDITION; pairing, why.

- `"BYE_NOT_POSSIBLE"`: The entrant cannot have a bye in this round. FAILED_PRECONDITION; entrant, round, why.
- `"NOT_YOUR_TURN"`: It is not this seat's turn to move. ABORTED; seat, owing.
- `"STALE_TURN"`: The token belongs to a turn that is over. ABORTED; match_id, current (empty if the seat has no
  pending turn).

- `"SESSION_TAKEN_OVER"`: A newer session of the same bot version has taken over its seats. ABORTED; bot, version,
  session_id.

- `"NO_SUCH_MATCH"`: There is no such match. NOT_FOUND; match_id.
- `"NO_SUCH_BOT"`: There is no such bot. NOT_FOUND; bot.
- `"NO_SUCH_VERSION"`: The bot has no such version. NOT_FOUND; bot, version.
- `"NO_SUCH_LADDER"`: There is no such ladder. NOT_FOUND; ladder.
- `"NO_SUCH_TOURNAMENT"`: There is no such tournament. NOT_FOUND; tournament.
- `"NO_SUCH_TOKEN"`: There is no such token. NOT_FOUND; token_id.
- `"MATCH_ARCHIVED"`: The match was archived: only its record is kept, by the operator of the server. NOT_FOUND;
  match_id.

- `"NO_SUCH_PAIRING"`: The tournament has no such pairing, or it was replaced. NOT_FOUND; pairing.
- `"NO_SUCH_INVITATION"`: There is no such invitation, or it belongs to another organiser. NOT_FOUND; invitation_id.
- `"NAME_TAKEN"`: The name is in use. ALREADY_EXISTS; name.
- `"ALREADY_IN"`: The bot has joined already. ALREADY_EXISTS; bot.
- `"SLOW_CONSUMER"`: The watcher fell too far behind. RESOURCE_EXHAUSTED; resume_after (the number to continue
  after).

- `"TOO_MANY_MATCHES"`: The holder has too many matches in play. RESOURCE_EXHAUSTED with QuotaFailure and RetryInfo;
  limit.

- `"TOO_MANY_STREAMS"`: The holder, or the bot, has too many open streams. RESOURCE_EXHAUSTED with QuotaFailure and
  RetryInfo; limit.

- `"TOO_MANY_CALLS"`: The holder, or the bot, calls too often, or the holder has too many computations waiting.
  RESOURCE_EXHAUSTED with QuotaFailure and RetryInfo; limit, retry_after_ms. Never returned for a move that is on its
  clock.

- `"TOO_MANY_NAMES"`: The holder has too many bots, tokens or contests, or has invited too many authors; or the
  holder, or the bot, has changed contests too often today. RESOURCE_EXHAUSTED with QuotaFailure; what, limit.

- `"MESSAGE_TOO_LARGE"`: The message exceeds the maximum size. RESOURCE_EXHAUSTED; size_bytes, limit_bytes.
- `"TOO_EXPENSIVE"`: The computation exceeds the CPU time of a call. RESOURCE_EXHAUSTED; limit_ms.
- `"TOO_MANY_CALLS_IN_FLIGHT"`: The holder, the bot, or without a valid token the caller's address, has too many
  concurrent calls, not counting streams and moves. RESOURCE_EXHAUSTED with QuotaFailure and RetryInfo; limit.

- `"TOO_MUCH_STORED"`: The terms of the holder's matches and contests exceed the maximum stored size.
  RESOURCE_EXHAUSTED with QuotaFailure; limit_bytes.

- `"TOO_MANY_BYTES"`: The holder, or the bot, has sent too many bytes. RESOURCE_EXHAUSTED with QuotaFailure and
  RetryInfo; limit_bytes, retry_after_ms. Never returned for a move.

- `"NO_TOKEN"`: The call has no token. UNAUTHENTICATED; no metadata.
- `"BAD_TOKEN"`: The token is unknown, expired or revoked. UNAUTHENTICATED; no metadata.
- `"NOT_YOURS"`: The token's role does not permit the call, or the object belongs to somebody else, or does not exist
  and the caller must not know that. PERMISSION_DENIED; method.

- `"DRAINING"`: The server is about to shut down and starts nothing new. UNAVAILABLE with RetryInfo; retry_after_ms.
- `"STORE_UNAVAILABLE"`: The log cannot be written at the moment; the match continues when it can. UNAVAILABLE with
  RetryInfo; retry_after_ms.

- `"MATCH_MOVING"`: The match is not running here at the moment: the server is stopping or resuming it. UNAVAILABLE
  with RetryInfo; match_id, retry_after_ms.

- `"HEARTBEAT_LOST"`: No pong arrived within the heartbeat timeout, so the stream was closed. UNAVAILABLE; silent_ms.
- `"NODE_UNAVAILABLE"`: In a cluster: the node that answers this call is not known at the moment, cannot be reached
  or has just changed, or the connection to it broke. The call may have been carried out; repeat it with the same
  request id. UNAVAILABLE with RetryInfo; retry_after_ms.

- `"ENGINE_FAULT"`: The implementation of the game failed; the match is void. INTERNAL; match_id, fault_id (also in
  the server's log).

- `"REFEREE_FAULT"`: The server has a bug, or a log is damaged. INTERNAL; fault_id (also in the server's log).
"""


class ErrorDetail(Value, frozen=True, kw_only=True):
    """An error within a stream or a log."""

    reason: ErrorReason = ""
    """The reason. Clients that do not know the value can rely on the message."""
    message: str = ""
    """A sentence in English that says what was wrong and what would have been right."""
    metadata: Mapping[str, str] = EMPTY
    """The variables of the message by name, as text. Each reason lists its own."""
