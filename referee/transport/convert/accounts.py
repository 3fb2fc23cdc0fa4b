"""Bots, versions, tokens and quotas."""

from collections.abc import Sequence

from referee_api.v1 import bot_pb2, quota_pb2, token_pb2

from referee.app.accounts import Bot, Pause, PauseCause, Version
from referee.app.quotas import Quota
from referee.app.refusals import BadField
from referee.app.sessions import Session
from referee.app.tokens import Role, Token
from referee.transport.convert.times import maybe_timestamp, timestamp

ROLES = {
    token_pb2.ROLE_SPECTATOR: Role.SPECTATOR,
    token_pb2.ROLE_BOT: Role.BOT,
    token_pb2.ROLE_ORGANISER: Role.ORGANISER,
    token_pb2.ROLE_ADMIN: Role.ADMIN,
}
_ROLES = {ours: theirs for theirs, ours in ROLES.items()}

MAX_STORED_BYTES = 2**63 - 1
"""The largest integer that a database holds."""

PAUSES = {PauseCause.FAULTS: bot_pb2.PAUSE_CAUSE_FAULTS, PauseCause.ADMIN: bot_pb2.PAUSE_CAUSE_ADMIN}


def bot_of(bot: Bot, sessions: Sequence[Session], since_ms: int, matches_in_play: int) -> bot_pb2.Bot:
    return bot_pb2.Bot(
        name=bot.name,
        owner=bot.owner,
        description=bot.description,
        latest_version=bot.latest_version,
        presence=bot_pb2.Presence(
            sessions=map(_session_of, sessions),
            since=timestamp(since_ms) if since_ms else None,
            matches_in_play=matches_in_play,
        ),
        pause=_pause_of(bot.pause) if bot.pause else None,
        created_at=timestamp(bot.created_ms),
    )


def version_of(version: Version) -> bot_pb2.BotVersion:
    return bot_pb2.BotVersion(version=version.version, note=version.note, created_at=timestamp(version.created_ms))


def token_of(token: Token) -> token_pb2.Token:
    return token_pb2.Token(
        id=token.id,
        role=_ROLES[token.role],
        holder=token.holder,
        bot=token.bot,
        label=token.label,
        created_at=timestamp(token.created_ms),
        expires_at=maybe_timestamp(token.expires_ms),
        last_used_at=maybe_timestamp(token.used_ms),
        revoked=token.revoked,
    )


def read_quota(quota: quota_pb2.Quota) -> Quota:
    """Raises BadField."""
    if quota.stored_bytes_at_most > MAX_STORED_BYTES:
        raise BadField("quota.stored_bytes_at_most", f"up to {MAX_STORED_BYTES} are right")
    return Quota(
        quota.matches_at_most,
        quota.streams_at_most,
        quota.calls_per_minute,
        quota.bots_at_most,
        quota.tokens_at_most,
        quota.stored_bytes_at_most,
    )


def quota_of(quota: Quota) -> quota_pb2.Quota:
    return quota_pb2.Quota(
        matches_at_most=quota.matches_at_most,
        streams_at_most=quota.streams_at_most,
        calls_per_minute=quota.calls_per_minute,
        bots_at_most=quota.bots_at_most,
        tokens_at_most=quota.tokens_at_most,
        stored_bytes_at_most=quota.stored_bytes_at_most,
    )


def _session_of(session: Session) -> bot_pb2.Session:
    return bot_pb2.Session(
        id=session.id,
        version=session.player.version,
        games=sorted(session.hello.games),
        matches_at_most=session.hello.matches_at_most,
        path_us=session.path_us,
        opened_at=timestamp(session.opened_ms),
    )


def _pause_of(pause: Pause) -> bot_pb2.Pause:
    return bot_pb2.Pause(cause=PAUSES[pause.cause], message=pause.message, since=timestamp(pause.since_ms))
