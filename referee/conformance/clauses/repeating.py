"""Exactly once: what is asked again is answered the same, and what is over is left alone."""

from google.rpc.code_pb2 import Code
from referee_api.v1 import play_pb2, refusal_pb2

from referee.conformance.board import accepted
from referee.conformance.clause import ANY_GAME, answered, expect, first_board
from referee.conformance.stage import FIRST_VERSION, Stage, away
from referee.transport.refusals import Said, refusal_of


async def the_same_turn_twice(stage: Stage) -> None:
    """A turn that was asked before, with the same token, gets the very same answer again, or none."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=turn)
    await answered(visit, board, turn)
    for _ in range(8):
        visit.say(turn=board.turn(again=True))
    await visit.has_read_all()
    answers = visit.answers(turn)
    expect(len(set(answers)) == 1, f"one token got different answers: {', '.join(answers)}")


async def cut_off_before_it_answers(stage: Stage) -> None:
    """When the stream breaks under a turn, the bot comes back and answers the turn when it is asked again."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    visit.say(turn=board.turn())
    visit.end(away("cut off"))
    again = await stage.visit()
    turn = board.turn(again=True)
    again.say(turn=turn)
    await answered(again, board, turn)


async def cut_off_before_the_verdict(stage: Stage) -> None:
    """When the stream breaks before the verdict came, the turn that is asked again gets the very same answer."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=turn)
    first = await answered(visit, board, turn)
    for _ in range(2):
        visit.end(away("cut off"))
        visit = await stage.visit()
        visit.say(turn=board.turn(again=True))
        second = await answered(visit, board, turn)
        expect(second.move == first.move, f"one token got {first.move!r} and then {second.move!r}")


async def the_same_version_comes_back(stage: Stage) -> None:
    """After a break the bot says Hello with the same version as before, or with the one that its Welcome named."""
    visit = await stage.visit()
    before = (await visit.hello()).version
    visit.end(away("cut off"))
    visit = await stage.visit()
    after = (await visit.hello()).version
    expect(after in (before, before or FIRST_VERSION), f"it came as {before!r} and then as {after!r}")


async def a_refused_move(stage: Stage) -> None:
    """After a refusal that leaves an attempt, the new token is answered, and the old one no more."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    old = board.turn()
    visit.say(turn=old)
    move = await answered(visit, board, old)
    board.ask_anew()
    new = board.turn()
    why = Said("ILLEGAL_MOVE", Code.FAILED_PRECONDITION, "the kit refuses it once", {"move": move.move, "rule": "kit"})
    refused = play_pb2.Refused(refusal=refusal_of(why), attempts_left=2)
    verdict = play_pb2.Verdict(item_id=_item_id(visit.heard, old), match_id=old.match_id, token=old.token)
    verdict.refused.CopyFrom(refused)
    visit.say_all(play_pb2.FromReferee(verdict=verdict), play_pb2.FromReferee(turn=new))
    await answered(visit, board, new)
    await visit.has_read_all()
    expect(len(visit.answers(old)) == 1, "the old token was answered again")


async def a_stale_answer(stage: Stage) -> None:
    """An answer that comes out stale is borne, and the turn that follows is answered."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    old = board.turn()
    visit.say(turn=old)
    await answered(visit, board, old)
    board.ask_anew()
    new = board.turn()
    verdict = play_pb2.Verdict(match_id=old.match_id, token=old.token, stale=play_pb2.Stale(current_token=new.token))
    visit.say(verdict=verdict)
    visit.say(turn=new)
    await answered(visit, board, new)


async def a_verdict_twice(stage: Stage) -> None:
    """A verdict that comes twice is one verdict."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    turn = board.turn()
    visit.say(turn=turn)
    move = await answered(visit, board, turn)
    board.play(turn.seat, move.move)
    verdict = accepted(move, board.ply)
    visit.say(verdict=verdict)
    verdict.again = True
    following = board.turn()
    visit.say_all(play_pb2.FromReferee(verdict=verdict), play_pb2.FromReferee(turn=following))
    await answered(visit, board, following)


async def a_turn_that_lapsed(stage: Stage) -> None:
    """A turn that needs no answer any more is forgotten, and the next one answered."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    lapsed = board.turn()
    played = board.position.moves(lapsed.seat)[0]
    board.play(lapsed.seat, played)
    following = board.turn()
    lapse = play_pb2.TurnLapsed(match_id=lapsed.match_id, token=lapsed.token, played_instead=played)
    visit.say_all(
        play_pb2.FromReferee(turn=lapsed),
        play_pb2.FromReferee(turn_lapsed=lapse),
        play_pb2.FromReferee(turn=following),
    )
    await answered(visit, board, following)


async def an_end_under_a_turn(stage: Stage) -> None:
    """A match may end while the bot thinks, its end may be told twice, and other matches go on."""
    visit = await stage.visit()
    board = await first_board(visit, *ANY_GAME)
    visit.say_all(
        play_pb2.FromReferee(match_started=board.started()),
        play_pb2.FromReferee(turn=board.turn()),
        play_pb2.FromReferee(match_ended=board.ended()),
        play_pb2.FromReferee(match_ended=board.ended()),
    )
    other = await first_board(visit, *ANY_GAME)
    turn = other.turn()
    visit.say(turn=turn)
    await answered(visit, other, turn)


async def an_end_of_a_match_unheard_of(stage: Stage) -> None:
    """The end of a match of which this process never heard is no hindrance."""
    visit = await stage.visit()
    unknown, board = await first_board(visit, *ANY_GAME), await first_board(visit, *ANY_GAME)
    lapse = play_pb2.TurnLapsed(match_id=unknown.match_id, token="0.0.1")
    visit.say_all(play_pb2.FromReferee(match_ended=unknown.ended()), play_pb2.FromReferee(turn_lapsed=lapse))
    refusal = refusal_pb2.Refusal(reason=refusal_pb2.REFUSAL_REASON_MATCH_OVER, message="it is over")
    visit.say(verdict=play_pb2.Verdict(match_id=unknown.match_id, refused=play_pb2.Refused(refusal=refusal)))
    turn = board.turn()
    visit.say(turn=turn)
    await answered(visit, board, turn)


def _item_id(heard: list[play_pb2.FromBot], turn: play_pb2.Turn) -> int:
    return next(said.item_id for said in heard if said.move.token == turn.token and said.move.match_id == turn.match_id)


STORIES = (
    the_same_turn_twice,
    cut_off_before_it_answers,
    cut_off_before_the_verdict,
    the_same_version_comes_back,
    a_refused_move,
    a_stale_answer,
    a_verdict_twice,
    a_turn_that_lapsed,
    an_end_under_a_turn,
    an_end_of_a_match_unheard_of,
)
