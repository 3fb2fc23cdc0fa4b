"""Who it is, and that it answers."""

from referee_api.v1 import play_pb2

from referee.conformance.board import Board, accepted
from referee.conformance.clause import ANY_GAME, answered, expect, first_board
from referee.conformance.stage import Stage

NAME_CHARS = 64
PONGS = 64
LARGE_ID = (1 << 64) - 1
FREE_TILES = (
    "BNR@0.0u/0.-1d,BRN@-2.1d/-2.1u,BRN@1.-1d/2.-1u,NRB@-3.2u/-3.2d,NRB@1.1u/0.1d,RBN@-2.0d/-2.0u,"
    "RNB@-3.0d/-3.0u -2.0u,-2.2u,0.0u,1.1u -1.0u,-4.2d,1.0u - BB/NBR square 7 0"
)
"""A position of Trox with more than a thousand moves."""


async def hello_comes_first(stage: Stage) -> None:
    """The first item of a stream is a Hello, with the token in the metadata and names that are not too long."""
    visit = await stage.visit()
    hello = await visit.hello()
    expect(visit.heard[0].HasField("hello"), f"the first item was {visit.heard[0].WhichOneof('item')}")
    expect(visit.metadata.get("authorization", "").startswith("Bearer "), "no `authorization: Bearer …` came with it")
    for name in ("version", "client"):
        expect(len(getattr(hello, name)) <= NAME_CHARS, f"its {name} has more than {NAME_CHARS} characters")


async def a_turn_is_answered(stage: Stage) -> None:
    """A turn is answered by a legal move, with the turn's own match and token."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    visit.say(match_started=board.started())
    turn = board.turn()
    visit.say(turn=turn)
    await answered(visit, board, turn)


async def pings_are_answered(stage: Stage) -> None:
    """Each ping is answered by a pong of the same id, however many come in one message and however large it is."""
    visit = await stage.visit()
    numbers = [*range(1, PONGS), LARGE_ID]
    visit.say_all(*(play_pb2.FromReferee(ping=play_pb2.Ping(id=number)) for number in numbers))
    pongs = [(await visit.hears("pong")).pong.id for _ in numbers]
    expect(sorted(pongs) == numbers, f"the pongs were {pongs}")


async def pings_are_answered_while_it_thinks(stage: Stage) -> None:
    """A ping that comes behind a turn is answered, whether the turn's answer is ready or not."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=turn)
    visit.say(ping=play_pb2.Ping(id=7))
    pong = await visit.hears("pong")
    expect(pong.pong.id == 7, f"the pong was for {pong.pong.id}")
    await answered(visit, board, turn)


async def several_matches_at_once(stage: Stage) -> None:
    """Turns of several matches in one message are all answered, each with its own token."""
    visit = await stage.visit()
    hello = await visit.hello()
    boards = [await first_board(visit, *ANY_GAME) for _ in range(max(1, hello.matches_at_most))]
    turns = [board.turn() for board in boards]
    visit.say_all(*(play_pb2.FromReferee(turn=turn) for turn in turns))
    for board, turn in zip(boards, turns, strict=True):
        await answered(visit, board, turn)


async def two_seats_of_one_match(stage: Stage) -> None:
    """A bot that holds two seats of a match answers for the one that is asked."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    visit.say_all(*(play_pb2.FromReferee(match_started=board.started(seat)) for seat in (0, 1)))
    for _ in range(4):
        turn = board.turn()
        visit.say(turn=turn)
        move = await answered(visit, board, turn)
        board.play(turn.seat, move.move)


async def a_match_from_beginning_to_end(stage: Stage) -> None:
    """A whole match, each verdict in one message with what comes next, until its end is told."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say_all(play_pb2.FromReferee(match_started=board.started()), play_pb2.FromReferee(turn=turn))
    moves_at_most = 60
    while board.ply < moves_at_most:
        move = await answered(visit, board, turn)
        board.play(turn.seat, move.move)
        verdict = play_pb2.FromReferee(verdict=accepted(move, board.ply))
        if board.position.outcome or board.ply == moves_at_most:
            visit.say_all(verdict, play_pb2.FromReferee(match_ended=board.ended()))
            break
        turn = board.turn()
        visit.say_all(verdict, play_pb2.FromReferee(turn=turn))
    await visit.has_read_all()


async def every_game_it_plays(stage: Stage) -> None:
    """Every game that its Hello names, or every game there is, is played by its rules."""
    visit = await stage.visit()
    hello = await visit.hello()
    for name in hello.games or ANY_GAME:
        board = Board(name, hello)
        for _ in range(3):
            turn = board.turn()
            visit.say(turn=turn)
            move = await answered(visit, board, turn)
            board.play(turn.seat, move.move)


async def a_sealed_exchange(stage: Stage) -> None:
    """Where several choose at the same time and unseen, each seat that is asked chooses (Toc)."""
    visit = await stage.visit()
    board = await first_board(visit, "toc")
    turns = [board.turn(seat) for seat in board.position.owing]
    visit.say_all(*(play_pb2.FromReferee(turn=turn) for turn in turns))
    for turn in turns:
        expect(turn.sealed, "this kit is wrong: the turn should be sealed")
        await answered(visit, board, turn)


async def a_large_turn(stage: Stage) -> None:
    """A turn as large as they come, with more than a thousand legal moves, is read and answered (Trox)."""
    visit = await stage.visit()
    await first_board(visit, "trox")
    board = Board("trox", await visit.hello(), {"tileset": "free"}, FREE_TILES)
    turn = board.turn()
    visit.say(turn=turn)
    await answered(visit, board, turn)


async def an_offer_is_no_hindrance(stage: Stage) -> None:
    """While an offer of a draw stands, a turn is answered by a move, or the offer by an answer and then the turn."""
    visit = await stage.visit()
    board = await first_board(visit, "alquerque", "trox", "troke")
    turn = board.turn()
    turn.draw_offers.append(1)
    visit.say(turn=turn)
    await answered(visit, board, turn)


STORIES = (
    hello_comes_first,
    pings_are_answered,
    a_turn_is_answered,
    pings_are_answered_while_it_thinks,
    several_matches_at_once,
    two_seats_of_one_match,
    a_match_from_beginning_to_end,
    every_game_it_plays,
    a_sealed_exchange,
    a_large_turn,
    an_offer_is_no_hindrance,
)
