#include "conversion.h"

#include <gtest/gtest.h>

#include "error_details.pb.h"
#include "referee/options.h"
#include "utf8.h"

namespace referee {

TEST(Conversion, ATurnHasEverythingThatItsMessageHas) {
    api::Turn message;
    message.set_match_id("m1");
    message.set_seat(1);
    message.set_turn_token("t1");
    message.set_ply(7);
    message.set_position("position");
    message.set_view_json("{}");
    message.add_move_history()->set_move("c2-c3");
    message.add_legal_moves("d2-d3");
    message.set_legal_moves_truncated(true);
    api::Clock& clock = *message.add_clocks();
    clock.set_running(true);
    clock.set_time_left_us(5);
    clock.set_main_us(2);
    clock.set_period_us(3);
    clock.set_periods_left(4);
    clock.set_moves_left(6);
    message.add_clocks()->set_seat(1);
    message.set_time_left_ms(8);
    message.set_attempts_left(3);
    message.add_draw_offer_seats(2);
    message.set_simultaneous(true);
    message.set_repeated(true);
    api::Rules rules;
    rules.set_game("trox");
    (*rules.mutable_options())["size"] = "9";

    const Turn turn = to_turn(message, rules);
    EXPECT_EQ(turn.match_id, "m1");
    EXPECT_EQ(turn.seat, 1U);
    EXPECT_EQ(turn.token, "t1");
    EXPECT_EQ(turn.game, "trox");
    EXPECT_EQ(turn.options.at("size"), "9");
    EXPECT_EQ(turn.ply, 7U);
    EXPECT_EQ(turn.position, "position");
    EXPECT_EQ(turn.view, "{}");
    EXPECT_EQ(turn.history.at(0).move, "c2-c3");
    EXPECT_EQ(turn.legal_moves, std::vector<std::string>{"d2-d3"});
    EXPECT_TRUE(turn.legal_moves_truncated);
    EXPECT_TRUE(turn.clocks.at(0).running);
    EXPECT_EQ(turn.clocks[0].time_left, std::chrono::microseconds(5));
    EXPECT_EQ(turn.clocks[0].main.count(), 2);
    EXPECT_EQ(turn.clocks[0].period.count(), 3);
    EXPECT_EQ(turn.clocks[0].periods_left, 4U);
    EXPECT_EQ(turn.clocks[0].moves_left, 6U);
    EXPECT_EQ(turn.clocks.at(1).seat, 1U);
    EXPECT_EQ(turn.clocks[1].time_left, std::nullopt);
    EXPECT_EQ(turn.time_left, std::chrono::milliseconds(8));
    EXPECT_EQ(turn.attempts_left, 3U);
    EXPECT_EQ(turn.draw_offers, std::vector<unsigned>{2});
    EXPECT_TRUE(turn.simultaneous);
    EXPECT_TRUE(turn.repeated);
    EXPECT_FALSE(turn.rejection);
    EXPECT_EQ(to_turn({}, {}).time_left, std::nullopt);
}

TEST(Conversion, AResultHasItsKindAndReason) {
    api::Result played;
    played.mutable_played()->set_ending(api::ENDING_DRAW_AGREED);
    played.add_seats()->set_score(0.5);
    played.mutable_seats(0)->set_rank(1);
    EXPECT_EQ(to_result(played).kind, Result::Kind::played);
    EXPECT_EQ(to_result(played).reason, "draw_agreed");
    EXPECT_EQ(to_result(played).scores, std::vector{0.5});
    EXPECT_EQ(to_result(played).ranks, std::vector{1U});
    played.mutable_played()->set_reason("no_moves");
    EXPECT_EQ(to_result(played).reason, "no_moves");

    api::Result forfeited;
    forfeited.mutable_forfeited()->add_forfeits()->set_cause(api::FORFEIT_CAUSE_TIME);
    EXPECT_EQ(to_result(forfeited).kind, Result::Kind::forfeited);
    EXPECT_EQ(to_result(forfeited).reason, "time");

    api::Result voided;
    voided.mutable_voided()->set_cause(api::VOID_CAUSE_ABORTED);
    EXPECT_EQ(to_result(voided).kind, Result::Kind::voided);
    EXPECT_EQ(to_result(voided).reason, "aborted");
}

TEST(Conversion, AMatchHasItsSeatsAndContest) {
    api::Match message;
    message.set_id("m1");
    message.mutable_terms()->mutable_rules()->set_game("toc");
    message.mutable_seat_layout()->add_seat_names("north");
    message.mutable_seat_layout()->add_sides()->add_seats(0);
    message.add_seats()->set_bot("anna");
    message.set_title("final");
    message.set_ladder("ladder");
    message.set_tournament("cup");
    const Match match = to_match(message);
    EXPECT_EQ(match.id, "m1");
    EXPECT_EQ(match.game, "toc");
    EXPECT_EQ(match.seat_names, std::vector<std::string>{"north"});
    EXPECT_EQ(match.sides, std::vector<std::vector<unsigned>>{{0}});
    EXPECT_EQ(match.bots, std::vector<std::string>{"anna"});
    EXPECT_EQ(match.title, "final");
    EXPECT_EQ(match.ladder, "ladder");
    EXPECT_EQ(match.tournament, "cup");
}

TEST(Conversion, AReasonThatIsUnknownHereIsEmptyAndItsMessageIsKept) {
    api::ErrorDetail detail;
    detail.set_message("there is no c9");
    detail.set_reason(api::ERROR_REASON_ILLEGAL_MOVE);
    EXPECT_EQ(to_rejection(detail).reason, "ILLEGAL_MOVE");
    detail.set_reason(static_cast<api::ErrorReason>(999'999));
    EXPECT_EQ(to_rejection(detail).reason, "");
    EXPECT_EQ(to_rejection(detail).message, "there is no c9");
}

TEST(Conversion, AStatusHasTheReasonOfItsDetails) {
    referee_error::ErrorInfo info;
    info.set_reason("BAD_TOKEN");
    (*info.mutable_metadata())["why"] = "expired";
    referee_error::Status details;
    details.add_details()->set_type_url("type.googleapis.com/google.rpc.BadRequest");
    details.add_details()->set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
    details.mutable_details(1)->set_value(info.SerializeAsString());
    const grpc::Status status(grpc::UNAUTHENTICATED, "no", details.SerializeAsString());
    EXPECT_STREQ(RejectedError(to_rejection(status)).what(),
                 "the referee rejects this bot: no (BAD_TOKEN)");
    EXPECT_EQ(to_rejection(status).metadata.at("why"), "expired");
}

TEST(Conversion, AStatusWithoutUsableDetailsHasTheNameOfItsCode) {
    EXPECT_EQ(to_rejection(grpc::Status(grpc::UNAUTHENTICATED, "no")).reason, "UNAUTHENTICATED");
    EXPECT_EQ(to_rejection(grpc::Status(grpc::DATA_LOSS, "no", "\xff")).reason, "DATA_LOSS");
}

TEST(Utf8, BytesThatAreNoCharacterAreReplaced) {
    const std::string valid = "c\xC3\xBC\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF";
    EXPECT_EQ(utf8::read(valid, 9).prefix, valid);
    EXPECT_TRUE(utf8::read(valid, 9).valid);
    // A stray byte, an overlong form, a surrogate, a value beyond U+10FFFF, a truncated character.
    for (const std::string bad :
         {"\xFF", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
        const utf8::Text text = utf8::read("c" + bad, 9);
        EXPECT_FALSE(text.valid);
        EXPECT_EQ(text.prefix.size(), 1 + 3 * bad.size());
    }
}

}  // namespace referee
