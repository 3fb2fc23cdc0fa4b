"""Converts bots, versions, tokens and quotas."""

from collections.abc import Sequence

from referee_api.v1 import bot_pb2, quota_pb2, token_pb2

from referee.accounts.account_errors import BadField
from referee.accounts.bots import Bot, BotPause, PauseCause, Version
from referee.accounts.quotas import Quota
from referee.accounts.tokens import Role, Token
from referee.live.sessions import Session
from referee.wire.basic_types import maybe_timestamp, timestamp

ROLES = {
    token_pb2.ROLE_SPECTATOR: Role.SPECTATOR,
    token_pb2.ROLE_BOT: Role.BOT,
    token_pb2.ROLE_ORGANISER: Role.ORGANISER,
    token_pb2.ROLE_ADMIN: Role.ADMIN,
}
_ROLES = {role: number for number, role in ROLES.items()}

MAX_STORED_BYTES = 2**63 - 1
"""Largest integer of a database column."""

PAUSES = {PauseCause.FAULTS: bot_pb2.PAUSE_CAUSE_FAULTS, PauseCause.ADMIN: bot_pb2.PAUSE_CAUSE_ADMIN}


def bot_of(bot: Bot, sessions: Sequence[Session], since_ms: int, matches_in_play: int) -> bot_pb2.Bot:
    return bot_pb2.Bot(
        name=bot.name,
        owner=bot.owner,
        description=bot.description,
        latest_version=bot.latest_version,
        presence=bot_pb2.Presence(
            sessions=map(_session_of, sessions),
            change_time=timestamp(since_ms) if since_ms else None,
            matches_in_play=matches_in_play,
        ),
        pause=_pause_of(bot.pause) if bot.pause else None,
        create_time=timestamp(bot.created_ms),
    )


def version_of(version: Version) -> bot_pb2.BotVersion:
    return bot_pb2.BotVersion(version=version.version, note=version.note, create_time=timestamp(version.created_ms))


def token_of(token: Token) -> token_pb2.Token:
    return token_pb2.Token(
        id=token.id,
        role=_ROLES[token.role],
        holder=token.holder,
        bot=token.bot,
        label=token.label,
        create_time=timestamp(token.created_ms),
        expire_time=maybe_timestamp(token.expires_ms),
        last_use_time=maybe_timestamp(token.used_ms),
        revoked=token.revoked,
    )


def read_quota(quota: quota_pb2.Quota) -> Quota:
    """Raises BadField."""
    if quota.max_stored_bytes > MAX_STORED_BYTES:
        raise BadField("quota.max_stored_bytes", f"the limit is {MAX_STORED_BYTES}")
    return Quota(
        quota.max_matches,
        quota.max_streams,
        quota.max_calls_per_minute,
        quota.max_bots,
        quota.max_tokens,
        quota.max_stored_bytes,
    )


def quota_of(quota: Quota) -> quota_pb2.Quota:
    return quota_pb2.Quota(
        max_matches=quota.matches_at_most,
        max_streams=quota.streams_at_most,
        max_calls_per_minute=quota.calls_per_minute,
        max_bots=quota.bots_at_most,
        max_tokens=quota.tokens_at_most,
        max_stored_bytes=quota.stored_bytes_at_most,
    )


def _session_of(session: Session) -> bot_pb2.Session:
    return bot_pb2.Session(
        id=session.id,
        version=session.player.version,
        games=sorted(session.hello.games),
        max_matches=session.hello.max_matches,
        round_trip_us=session.round_trip_us,
        open_time=timestamp(session.opened_ms),
    )


def _pause_of(pause: BotPause) -> bot_pb2.Pause:
    return bot_pb2.Pause(cause=PAUSES[pause.cause], message=pause.message, pause_time=timestamp(pause.since_ms))
