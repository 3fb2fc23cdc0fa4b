"""Quotas: limits on the resources of a holder. They never affect a move that is on its clock."""

from referee_values.value import Count, Count64, Value


class Quota(Value, frozen=True, kw_only=True):
    """Limits of a holder. Calls, received bytes and streams are counted for each of its bots by itself (the calls
    with tokens of this bot), and for all its other tokens together; so no bot is refused anything for what another
    one did. In requests, 0 is the server's default; in responses all numbers are set.
    """

    max_matches: Count = 0
    """Maximum number of matches in play."""
    max_streams: Count = 0
    """Maximum number of open streams of the holder's own tokens, which are those of Watch methods."""
    max_calls_per_minute: Count = 0
    """Maximum number of calls in a minute, evenly spaced, with bursts of up to a tenth of it: of the holder's own
    tokens, and the same of each bot.
    """
    max_bots: Count = 0
    """Maximum number of registered bots."""
    max_tokens: Count = 0
    """Maximum number of active tokens."""
    max_stored_bytes: Count64 = 0
    """Maximum stored size of the matches and contests that the holder created, in bytes: whole logs of finished
    matches, and the terms (options, openings, entrants) of all others. Archived matches, and matches created by
    contests, do not count.
    """
    max_authors: Count = 0
    """Maximum number of authors that the holder has invited, or can still invite with invitations that are not
    revoked, expired or used up.
    """
    max_bot_streams: Count = 0
    """Maximum number of open Play streams of each bot, and the same of Watch streams."""
    max_contests: Count = 0
    """Maximum number of ladders and tournaments that the holder created and that are not over."""
    max_received_bytes: Count64 = 0
    """Maximum size of the request messages received in a minute, in bytes: of the holder's own tokens, and the same
    of each bot. Play streams are not counted, and a move is never refused.
    """


class QuotaUsage(Value, frozen=True, kw_only=True):
    """Resources that a holder uses."""

    matches: Count = 0
    """Number of matches in play."""
    streams: Count = 0
    """Number of open streams of its own tokens."""
    calls: Count = 0
    """Number of calls of its own tokens in the last minute, without rejected ones."""
    bots: Count = 0
    """Number of registered bots."""
    tokens: Count = 0
    """Number of active tokens."""
    stored_bytes: Count64 = 0
    """Stored size of matches and contests, in bytes. 0 on a server without storage."""
    authors: Count = 0
    """Number of authors that redeemed invitations of the holder, and of further uses of its open invitations."""
    bot_streams: Count = 0
    """Number of open streams of one kind, Play or Watch, of the bot that has the most."""
    bot_calls: Count = 0
    """Number of calls in the last minute of the bot that made the most, without rejected ones and moves."""
    contests: Count = 0
    """Number of ladders and tournaments that are not over."""
    received_bytes: Count64 = 0
    """Size of the request messages received in the last minute, in bytes: of its own tokens, or of the bot that sent
    the most, whichever is greater.
    """


class HolderQuota(Value, frozen=True, kw_only=True):
    """A holder with its limits, and how much of them it uses."""

    holder: str = ""
    """The holder."""
    quota: Quota = Quota()
    """The limits."""
    own_quota: Quota = Quota()
    """The limits that were set for this holder; 0 for those that were not. Not set: none was."""
    usage: QuotaUsage = QuotaUsage()
    """Current usage."""
