"""Clauses about reconnecting, the token file, and exit statuses."""

from asyncio import get_running_loop

from google.rpc.code_pb2 import Code
from referee_api.v1 import play_pb2

from referee.conformance.bot_match import ANY_GAME, expect_legal_answer, new_match
from referee.conformance.clause import ClauseNotApplicable, require
from referee.conformance.kit_server import KitServer, unavailable
from referee.conformance.protocol_observer import EARLY_S
from referee.transport.wire.error_mapping import WireError

RETURN_AFTER_MS = 1_500
HEARTBEAT_TIMEOUT_MS = 1_500
PAUSES_S = (0.5, 1.0, 2.0)
JITTER = (0.5, 1.5)
DRAINING_JITTER_S = 0.5
NO_RECONNECT_S = 3.0
NO_CONNECTION_S = 5.0
"""Enough for a program to start and to try twice."""
INVALID_SETTING_STATUS = 2
TAKEN_OVER_STATUS = 3
NOT_ALLOWED_STATUS = 4
REJECTION = "invalid, expired or revoked token"


async def draining(kit: KitServer) -> None:
    """While the referee drains, the bot answers its turns, and reconnects after `reconnect_delay_ms`."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send_batch(
        play_pb2.RefereeItem(draining=play_pb2.Draining(grace_period_ms=5_000, reconnect_delay_ms=RETURN_AFTER_MS)),
        play_pb2.RefereeItem(turn=turn),
    )
    await expect_legal_answer(session, match, turn)
    session.end(unavailable("drained"))
    left = get_running_loop().time()
    await kit.session()
    away_s = get_running_loop().time() - left
    _require_pause(kit, away_s, RETURN_AFTER_MS / 1_000, RETURN_AFTER_MS / 1_000 + DRAINING_JITTER_S)


async def reconnect_backoff(kit: KitServer) -> None:
    """If streams break before or soon after the Welcome, the bot reconnects with growing pauses: about .5, 1, 2 s."""
    session = await kit.session()
    session.end(unavailable("broken"))
    gaps: list[float] = []
    for _ in PAUSES_S:
        left = get_running_loop().time()
        session = await kit.next_stream()
        gaps.append(get_running_loop().time() - left)
        if len(gaps) > 1:
            kit.send_welcome(session, await session.hello())
        session.end(unavailable("broken"))
    for gap, pause_s in zip(gaps, PAUSES_S, strict=True):
        _require_pause(kit, gap, pause_s * JITTER[0], pause_s * JITTER[1])


def _require_pause(kit: KitServer, pause_s: float, at_least_s: float, at_most_s: float) -> None:
    """Raise ClauseFailed unless the pause is within the limits. Connecting takes time too."""
    wanted = f"{at_least_s:g} to {at_most_s:g} s"
    fits = at_least_s - EARLY_S < pause_s < at_most_s + kit.promptness_s
    require(fits, f"it reconnected after {pause_s:.2f} s, and should after {wanted}")


async def heartbeat_timeout(kit: KitServer) -> None:
    """If nothing is received for `heartbeat_timeout_ms`, the bot closes the connection and opens a new one."""
    (await kit.session()).end(unavailable("the next Welcome has another heartbeat timeout"))
    session = await kit.next_stream()
    kit.send_welcome(session, await session.hello(), HEARTBEAT_TIMEOUT_MS)
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)
    session.go_silent()
    left = get_running_loop().time()
    again = await kit.session()
    silent_s = get_running_loop().time() - left
    timeout_s = HEARTBEAT_TIMEOUT_MS / 1_000
    _require_pause(kit, silent_s, timeout_s, timeout_s + PAUSES_S[0] * JITTER[1])
    again.send(turn=match.turn(repeated=True))
    await expect_legal_answer(again, match, turn)


async def token_file(kit: KitServer) -> None:
    """With BOT_TOKEN_FILE instead of BOT_TOKEN, the bot reads its token from that file, which may be a pipe."""
    await kit.session()  # Consume the session of the old program, so that it is not mistaken for the new one.
    await kit.program.restart_with_token_file()
    session = await kit.next_stream()
    kit.send_welcome(session, await session.hello())
    await kit.program.end()  # The next clause restarts it with the usual environment.


async def settings(kit: KitServer) -> None:
    """BOT_VERSION, BOT_MAX_MATCHES and BOT_VERDICTS_WITH_TURNS reach the Hello of the bot."""
    await kit.session()
    await kit.program.restart_with(BOT_VERSION="another", BOT_MAX_MATCHES="7", BOT_VERDICTS_WITH_TURNS="1")
    hello = await (await kit.next_stream()).hello()
    await kit.program.end()
    require(hello.version == "another", f"its version is {hello.version!r}, and BOT_VERSION is 'another'")
    require(hello.max_matches == 7, f"its max_matches is {hello.max_matches}, and BOT_MAX_MATCHES is 7")
    require(hello.verdicts_with_turns, "verdicts_with_turns is not set, and BOT_VERDICTS_WITH_TURNS is 1")


async def invalid_setting(kit: KitServer) -> None:
    """If BOT_MAX_MATCHES is no number, the program does not connect; it names the variable and exits with status 2."""
    await kit.session()
    await kit.program.restart_with(BOT_MAX_MATCHES="many")
    status = await kit.program.wait_for_exit(kit.patience_s)
    require(status == INVALID_SETTING_STATUS, f"its exit status was {status}, not {INVALID_SETTING_STATUS}")
    shown = kit.program.exit_summary()
    require("BOT_MAX_MATCHES" in shown, f"its last lines do not name the variable: {shown}")
    await kit.expect_no_stream(0)


async def untrusted_server(kit: KitServer) -> None:
    """The bot opens no stream if the authority in BOT_CA has not signed the server's certificate."""
    if kit.untrusted_ca is None:
        raise ClauseNotApplicable("requires --tls")
    await kit.session()
    await kit.program.restart_with(BOT_CA=str(kit.untrusted_ca))
    await kit.expect_no_stream(NO_CONNECTION_S)
    await kit.program.end()


async def stop_on_sigterm(kit: KitServer) -> None:
    """The program exits with status 0 on SIGTERM."""
    await kit.session()
    kit.program.terminate()
    status = await kit.program.wait_for_exit(kit.patience_s)
    require(status == 0, f"its exit status was {status}")


async def session_taken_over(kit: KitServer) -> None:
    """After a newer session has taken over, the bot does not reconnect; the program exits with status 3."""
    session = await kit.session()
    session.send(session_taken_over=play_pb2.SessionTakenOver(new_session_id="a-newer-one"))
    why = {"bot": "bot-on-trial", "version": "1", "session_id": "a-newer-one"}
    session.end(WireError("SESSION_TAKEN_OVER", Code.ABORTED, "a newer session owns the seats", why))
    await _expect_final_exit(kit, TAKEN_OVER_STATUS)


async def rejected_token(kit: KitServer) -> None:
    """If its token is rejected, the bot does not reconnect; the program prints why and exits with status 4."""
    session = await kit.session()
    session.end(WireError("BAD_TOKEN", Code.UNAUTHENTICATED, REJECTION))
    await _expect_final_exit(kit, NOT_ALLOWED_STATUS)
    shown = kit.program.exit_summary()
    require(not shown or REJECTION in shown, f"its last lines do not have the reason: {shown}")


async def _expect_final_exit(kit: KitServer, wanted: int) -> None:
    await kit.expect_no_stream(NO_RECONNECT_S)
    try:
        status = await kit.program.wait_for_exit(kit.patience_s)
    except ClauseNotApplicable:
        return  # Its exit status is unknown; it did not reconnect.
    require(status == wanted, f"its exit status was {status}, not {wanted}")


CLAUSES = (
    draining,
    reconnect_backoff,
    heartbeat_timeout,
    token_file,
    settings,
    invalid_setting,
    untrusted_server,
    stop_on_sigterm,
    session_taken_over,
    rejected_token,
)
