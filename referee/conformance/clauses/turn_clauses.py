"""Clauses about Hello, pings, turns and matches."""

from referee_api.v1 import play_pb2

from referee.conformance.bot_match import (
    ANY_GAME,
    LEFT_MS,
    BotMatch,
    accepted,
    expect_legal_answer,
    later_field,
    new_match,
)
from referee.conformance.clause import ClauseNotApplicable, require
from referee.conformance.kit_server import KitServer

PONGS = 64
MAX_TURN_MESSAGE_BYTES = (64 << 20) - 64
"""Not all of the 64 MiB, because the size of the rest of the message varies."""
LARGE_ID = (1 << 64) - 1
FREE_TILES = (
    "BNR@0.0u/0.-1d,BRN@-2.1d/-2.1u,BRN@1.-1d/2.-1u,NRB@-3.2u/-3.2d,NRB@1.1u/0.1d,RBN@-2.0d/-2.0u,"
    "RNB@-3.0d/-3.0u -2.0u,-2.2u,0.0u,1.1u -1.0u,-4.2d,1.0u - BB/NBR square 7 0"
)
"""A position of Trox with more than a thousand moves."""


async def hello_comes_first(kit: KitServer) -> None:
    """The first item of a stream is a Hello that names its client, and the metadata has the token."""
    session = await kit.session()
    await session.hello()


async def turn_is_answered(kit: KitServer) -> None:
    """A turn is answered by a legal move with the match id and the token of the turn."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send(match_started=match.started())
    turn = match.turn()
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)


async def pings_are_answered(kit: KitServer) -> None:
    """Each ping is answered by a pong with its id, in order, also if the id is large; those of one message together."""
    session = await kit.session()
    numbers = [*range(1, PONGS), LARGE_ID]
    session.send_batch(*(play_pb2.RefereeItem(ping=play_pb2.Ping(id=number)) for number in numbers))
    pongs = [(await session.receive("pong")).pong.id for _ in numbers]
    require(pongs == numbers, f"the pongs were {pongs}")
    messages = sum(any(item.HasField("pong") for item in items) for items in session.messages)
    # A thread that sends may take some of what is ready before the rest has been queued.
    require(messages <= PONGS // 4, f"the pongs for one message came in {messages} messages")


async def pings_are_answered_during_a_turn(kit: KitServer) -> None:
    """A ping after a turn is answered even while the answer to the turn is not ready."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send(turn=turn)
    session.send(ping=play_pb2.Ping(id=7))
    pong = await session.receive("pong")
    require(pong.pong.id == 7, f"the pong was for {pong.pong.id}")
    await expect_legal_answer(session, match, turn)


async def concurrent_matches(kit: KitServer) -> None:
    """Turns of several matches in one message are each answered with their own tokens."""
    session = await kit.session()
    hello = await session.hello()
    matches = [await new_match(session, *ANY_GAME) for _ in range(max(1, hello.max_matches))]
    turns = [match.turn() for match in matches]
    session.send_batch(*(play_pb2.RefereeItem(turn=turn) for turn in turns))
    for match, turn in zip(matches, turns, strict=True):
        await expect_legal_answer(session, match, turn)


async def two_seats_of_one_match(kit: KitServer) -> None:
    """A bot that holds two seats of a match answers each turn for its seat."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    session.send_batch(*(play_pb2.RefereeItem(match_started=match.started(seat)) for seat in (0, 1)))
    for _ in range(4):
        turn = match.turn()
        session.send(turn=turn)
        move = await expect_legal_answer(session, match, turn)
        match.play(turn.seat, move.move)


async def whole_match(kit: KitServer) -> None:
    """The bot plays a whole match in which each message has a verdict and the next turn or the end."""
    session = await kit.session()
    match = await new_match(session, *ANY_GAME)
    turn = match.turn()
    session.send_batch(play_pb2.RefereeItem(match_started=match.started()), play_pb2.RefereeItem(turn=turn))
    max_moves = 60
    while match.ply < max_moves:
        move = await expect_legal_answer(session, match, turn)
        match.play(turn.seat, move.move)
        verdict = play_pb2.RefereeItem(verdict=accepted(move, match.ply))
        if match.position.outcome or match.ply == max_moves:
            session.send_batch(verdict, play_pb2.RefereeItem(match_ended=match.ended()))
            break
        turn = match.turn()
        session.send_batch(verdict, play_pb2.RefereeItem(turn=turn))
    await session.wait_until_read()


async def every_game(kit: KitServer) -> None:
    """The bot plays legal moves in every game of its Hello, or in all games if it names none."""
    session = await kit.session()
    hello = await session.hello()
    for name in hello.games or ANY_GAME:
        match = BotMatch(name, hello)
        for _ in range(3):
            turn = match.turn()
            session.send(turn=turn)
            move = await expect_legal_answer(session, match, turn)
            match.play(turn.seat, move.move)


async def simultaneous_turns(kit: KitServer) -> None:
    """Simultaneous turns of several seats are each answered (Toc)."""
    session = await kit.session()
    match = await new_match(session, "toc")
    turns = [match.turn(seat) for seat in match.position.owing]
    session.send_batch(*(play_pb2.RefereeItem(turn=turn) for turn in turns))
    for turn in turns:
        require(turn.simultaneous, "error in the kit: the turn should be simultaneous")
        await expect_legal_answer(session, match, turn)


async def large_turn(kit: KitServer) -> None:
    """A very large turn, with more than a thousand legal moves, in a message of almost 64 MiB is answered (Trox)."""
    session = await kit.session()
    await new_match(session, "trox")
    match = BotMatch("trox", await session.hello(), {"tileset": "free"}, FREE_TILES)
    turn = match.turn()
    padding = later_field(MAX_TURN_MESSAGE_BYTES - turn.ByteSize())
    session.send_batch(play_pb2.RefereeItem.FromString(padding), play_pb2.RefereeItem(turn=turn))
    await expect_legal_answer(session, match, turn)


async def turn_with_a_draw_offer(kit: KitServer) -> None:
    """A turn with an open draw offer is answered by a move, before or after an answer to the offer."""
    session = await kit.session()
    match = await new_match(session, "alquerque", "trox", "troke")
    turn = match.turn()
    turn.draw_offer_seats.append(1)
    session.send(turn=turn)
    await expect_legal_answer(session, match, turn)


async def nonce_request(kit: KitServer) -> None:
    """No request for a nonce is answered, or each: the same 16 to 64 bytes if repeated, others in another match."""
    session = await kit.session()
    matches = [(await new_match(session, *ANY_GAME)).match_id for _ in range(2)]
    session.send_batch(*(_nonce_request(match_id) for match_id in (*matches, matches[0])))
    await session.wait_until_read()
    nonces = [item.nonce for item in session.received if item.HasField("nonce")]
    if not nonces:
        raise ClauseNotApplicable("the bot sends no nonces, so that others choose what is dealt to it")
    answered = sorted(nonce.match_id for nonce in nonces)
    require(answered == sorted((*matches, matches[0])), "some requests for a nonce were not answered")


def _nonce_request(match_id: str) -> play_pb2.RefereeItem:
    request = play_pb2.NonceRequest(match_id=match_id, commitment=bytes(32), time_left_ms=LEFT_MS)
    return play_pb2.RefereeItem(nonce_request=request)


CLAUSES = (
    hello_comes_first,
    pings_are_answered,
    turn_is_answered,
    pings_are_answered_during_a_turn,
    concurrent_matches,
    two_seats_of_one_match,
    whole_match,
    every_game,
    simultaneous_turns,
    large_turn,
    turn_with_a_draw_offer,
    nonce_request,
)
