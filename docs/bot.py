import asyncio
import contextlib
import itertools
import os
import random
import signal
import sys
import time
from pathlib import Path

import grpc
from referee_api.v1 import play_pb2 as play
from referee_api.v1.play_service_pb2 import PlayRequest
from referee_api.v1.play_service_pb2_grpc import PlayServiceStub

Code = grpc.StatusCode
EXIT_STATUS = {Code.ABORTED: 3, Code.UNAUTHENTICATED: 4, Code.PERMISSION_DENIED: 4, Code.INVALID_ARGUMENT: 4}
OPTIONS = [("grpc.max_receive_message_length", 64 << 20), ("grpc.use_local_subchannel_pool", 1)]
ENDS = (grpc.aio.AioRpcError, asyncio.InvalidStateError, TimeoutError)
answers = {}  # (match, seat) -> the answer to its open turn
item_ids = itertools.count(1)
writing = asyncio.Lock()


def answer(turn):
    seat = turn.match_id, turn.seat
    if seat not in answers or answers[seat].move.turn_token != turn.turn_token:  # Otherwise repeat the answer.
        move = random.choice(turn.legal_moves)  # Your strategy goes here; see turn.position.
        move = play.Move(match_id=turn.match_id, turn_token=turn.turn_token, move=move)
        answers[seat] = play.BotItem(item_id=next(item_ids), move=move)


def seats_of(match_id, token=None):
    return [seat for seat in answers if seat[0] == match_id and token in (None, answers[seat].move.turn_token)]


async def send(stream, items):
    async with writing:
        await stream.write(PlayRequest(items=items))


async def retry(stream, seat, wait):
    rejected = answers[seat]
    await asyncio.sleep(int(wait) / 1000 if wait.isascii() and wait.isdecimal() and int(wait) <= 60000 else 1)
    with contextlib.suppress(*ENDS):
        if answers.get(seat) is rejected:
            await send(stream, [rejected])


async def handle(stream, items):
    pongs, due = [], {}
    for item in items:
        match item.WhichOneof("item"):
            case "ping":
                pongs.append(play.BotItem(pong=play.Pong(id=item.ping.id)))
            case "turn":
                answer(item.turn)
                due[item.turn.match_id, item.turn.seat] = True
            case "verdict":
                wait = item.verdict.rejected.error.metadata.get("retry_after_ms")
                for seat in seats_of(item.verdict.match_id, item.verdict.turn_token):
                    if item.verdict.HasField("stale"):
                        del answers[seat]
                    elif wait is not None:
                        asyncio.create_task(retry(stream, seat, wait))
            case "turn_expired":
                for seat in seats_of(item.turn_expired.match_id, item.turn_expired.turn_token):
                    del answers[seat]
            case "match_ended":
                for seat in seats_of(item.match_ended.match_id):
                    del answers[seat]
    if ready := pongs + [answers[seat] for seat in due if seat in answers]:  # Nothing for turns that have ended.
        await send(stream, ready)


async def session(address, secret, hello):
    """Play until the stream ends. Return the pause before the next one in seconds, or None after a failure."""
    timeout_s, wait_s, connected_at = 5, None, float("inf")
    async with grpc.aio.insecure_channel(address, OPTIONS) as channel:
        stream = PlayServiceStub(channel).Play(metadata=[("authorization", f"Bearer {secret}")])
        try:
            await send(stream, [play.BotItem(hello=hello)])
            while (response := await asyncio.wait_for(stream.read(), timeout_s)) is not grpc.aio.EOF:
                for item in response.items:
                    if item.HasField("welcome"):
                        timeout_s = item.welcome.heartbeat_timeout_ms / 1000 or timeout_s
                        connected_at, hello.version = time.monotonic(), item.welcome.version
                        print(f"connected to {address} as {item.welcome.bot}, version {hello.version}", file=sys.stderr)
                    elif item.HasField("draining"):
                        wait_s = item.draining.reconnect_delay_ms / 1000 + random.random() / 2
                await handle(stream, response.items)
        except ENDS:
            stream.cancel()  # The stream has ended, or was silent for too long.
        if await stream.code() in EXIT_STATUS:
            print(await stream.details(), file=sys.stderr)
            sys.exit(EXIT_STATUS[await stream.code()])
    lasted = wait_s is None and time.monotonic() - connected_at > 10
    return random.uniform(0.25, 0.75) if lasted else wait_s


async def keep_playing(address, secret):
    max_matches = os.environ.get("BOT_MAX_MATCHES") or "1"
    if not max_matches.isdecimal():
        print(f"BOT_MAX_MATCHES is no number: {max_matches}", file=sys.stderr)
        sys.exit(2)
    options = play.TurnOptions(max_legal_moves=5000)
    hello = play.Hello(version=os.environ.get("BOT_VERSION", ""), max_matches=int(max_matches), turn_options=options)
    hello.client = "bot.py/1"
    hello.verdicts_with_turns = os.environ.get("BOT_VERDICTS_WITH_TURNS") == "1"
    pause_s = 0.75
    while True:
        wait_s = await session(address, secret, hello)
        if wait_s is None:
            wait_s, pause_s = pause_s * random.uniform(1 / 3, 1), min(2 * pause_s, 3)
        else:
            pause_s = 0.75
        await asyncio.sleep(wait_s)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    token = os.environ.get("BOT_TOKEN") or Path(os.environ["BOT_TOKEN_FILE"]).read_text().strip()
    asyncio.run(keep_playing(os.environ["BOT_REFEREE"], token))
