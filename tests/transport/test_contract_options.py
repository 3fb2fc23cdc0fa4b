"""The options of the contract: rules of methods, and limits of fields and messages."""

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FileDescriptorProto,
    MethodDescriptorProto,
    ServiceDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool
from referee_api.v1 import bot_service_pb2, game_pb2

from referee.accounts.tokens import Role
from referee.transport.contract_options import CALL_RULES, CallRule, max_bytes, max_chars, max_count, read_rules
from referee.transport.forwarding.routes import Route

METHOD = MethodDescriptorProto(name="Do", input_type=".new.Request", output_type=".new.Request")
WITHOUT_CALLERS = FileDescriptorProto(
    name="new_service.proto",
    package="new",
    message_type=[DescriptorProto(name="Request")],
    service=[ServiceDescriptorProto(name="NewService", method=[METHOD])],
)


def test_a_method_without_callers_is_an_error() -> None:
    pool = DescriptorPool()
    pool.AddSerializedFile(WITHOUT_CALLERS.SerializeToString())
    with pytest.raises(ValueError, match=r"new\.NewService\.Do has no callers"):
        read_rules(pool.FindServiceByName("new.NewService").methods)


def test_rules_are_the_options_of_each_method() -> None:
    everybody, bots = frozenset(Role), frozenset({Role.BOT})
    assert CALL_RULES["MatchService/SubmitMove"] == CallRule("SubmitMove", bots, True, Route.BOT, is_move=True)
    assert CALL_RULES["MatchService/WatchMatch"] == CallRule("WatchMatch", everybody, True, Route.MATCH, is_stream=True)
    assert CALL_RULES["MatchService/GetRecord"] == CallRule("GetRecord", everybody, True, Route.MATCH)
    assert CALL_RULES["GameService/ListGames"] == CallRule("ListGames", everybody, True, Route.LOCAL)
    redeem = CALL_RULES["InvitationService/RedeemInvitation"]
    assert redeem == CallRule("RedeemInvitation", everybody, False, Route.COORDINATOR)


def test_administrators_do_everything_but_play() -> None:
    forbidden = {rule.method for rule in CALL_RULES.values() if Role.ADMIN not in rule.callers}
    assert forbidden == {"Play", "ListTurns", "SubmitMove", "Resign", "OfferDraw", "AnswerDraw", "ClaimDraw"}


def test_limits_are_the_options_of_each_field_and_message() -> None:
    opening = game_pb2.Opening.DESCRIPTOR
    assert (max_bytes(opening), max_bytes(game_pb2.SeatMove.DESCRIPTOR)) == (32_768, None)
    assert max_chars(opening.fields_by_name["position"]) == 4_000
    assert max_count(opening.fields_by_name["moves"]) == 2_000
    assert max_chars(bot_service_pb2.GetBotRequest.DESCRIPTOR.fields_by_name["name"]) == 128
