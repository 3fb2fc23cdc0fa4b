#include "open_turns.h"

#include <gtest/gtest.h>

namespace referee {

api::Turn turn(const std::string& match_id, unsigned seat, const std::string& token) {
    api::Turn result;
    result.set_match_id(match_id);
    result.set_seat(seat);
    result.set_turn_token(token);
    return result;
}

TurnId id(const std::string& token) {
    return TurnId(turn("m1", 0, token));
}

api::BotItem move(const std::string& text) {
    api::BotItem result;
    result.mutable_move()->set_move(text);
    return result;
}

api::Verdict verdict(const std::string& token) {
    api::Verdict result;
    result.set_match_id("m1");
    result.set_turn_token(token);
    return result;
}

api::Verdict accepted(const std::string& token) {
    api::Verdict result = verdict(token);
    result.mutable_accepted();
    return result;
}

api::Verdict rejected(const std::string& token) {
    api::Verdict result = verdict(token);
    result.mutable_rejected()->mutable_error()->set_message("there is no c9");
    return result;
}

api::Verdict rejected_temporarily(const std::string& token) {
    api::Verdict result = verdict(token);
    (*result.mutable_rejected()->mutable_error()->mutable_metadata())["retry_after_ms"] = "250";
    return result;
}

bool is_empty(const Action& action) {
    return std::holds_alternative<std::monostate>(action);
}

std::string sent(const Action& action) {
    return std::get<api::BotItem>(action).ShortDebugString();
}

DelayedResend delayed(const Action& action) {
    return std::get<DelayedResend>(action);
}

std::string rejection(const Action& action) {
    const auto& error = std::get<TurnRequest>(action).rejection;
    return error ? error->message() : "";
}

class OpenTurnsTest : public testing::Test {
  protected:
    TurnRequest request(const api::Turn& turn) {
        return std::get<TurnRequest>(open_turns.on_turn(turn));
    }

    // Answers turn t1 with c2-c3, and returns what was sent.
    std::string answer_first_turn() {
        request(turn("m1", 0, "t1"));
        return sent(open_turns.set_answer(id("t1"), move("c2-c3")));
    }

    OpenTurns open_turns;
};

TEST_F(OpenTurnsTest, ARepeatedTurnGetsTheSameAnswer) {
    const std::string first = answer_first_turn();
    open_turns.on_verdict(accepted("t1"));
    EXPECT_EQ(sent(open_turns.on_turn(turn("m1", 0, "t1"))), first);
}

TEST_F(OpenTurnsTest, ATurnThatIsRepeatedWhileTheBotThinksIsNotPassedToItAgain) {
    const TurnRequest first = request(turn("m1", 0, "t1"));
    EXPECT_TRUE(is_empty(open_turns.on_turn(turn("m1", 0, "t1"))));
    EXPECT_FALSE(first.cancelled());
}

TEST_F(OpenTurnsTest, AnAnswerIsSentAgainWhenItsTurnIsRepeated) {
    request(turn("m1", 0, "t1"));
    const std::string answer = sent(open_turns.set_answer(id("t1"), move("c2-c3")));
    EXPECT_EQ(sent(open_turns.on_turn(turn("m1", 0, "t1"))), answer);
}

TEST_F(OpenTurnsTest, OnlyTheFirstAnswerToATurnIsSent) {
    const std::string first = answer_first_turn();
    EXPECT_TRUE(is_empty(open_turns.set_answer(id("t1"), move("d2-d3"))));
    EXPECT_EQ(sent(open_turns.on_turn(turn("m1", 0, "t1"))), first);
}

TEST_F(OpenTurnsTest, TheTurnAfterARejectionHasItsError) {
    answer_first_turn();
    open_turns.on_verdict(rejected("t1"));
    EXPECT_EQ(rejection(open_turns.on_turn(turn("m1", 0, "t2"))), "there is no c9");
    EXPECT_EQ(rejection(open_turns.on_turn(turn("m1", 0, "t3"))), "");
}

TEST_F(OpenTurnsTest, AnAnswerThatWasRejectedTemporarilyIsSentAgainAfterTheDelay) {
    const std::string first = answer_first_turn();
    EXPECT_EQ(delayed(open_turns.on_verdict(rejected_temporarily("t1"))).delay,
              std::chrono::milliseconds(250));
    EXPECT_EQ(sent(open_turns.resend(id("t1"))), first);
}

TEST_F(OpenTurnsTest, AResignationThatWasRejectedTemporarilyIsSentAgain) {
    request(turn("m1", 0, "t1"));
    api::BotItem resignation;
    resignation.mutable_resignation()->set_seat(0);
    const Action first = open_turns.set_answer(id("t1"), resignation);
    api::Verdict verdict = rejected_temporarily("");
    verdict.set_item_id(std::get<api::BotItem>(first).item_id());
    EXPECT_EQ(delayed(open_turns.on_verdict(verdict)).turn.token, "t1");
    EXPECT_EQ(sent(open_turns.resend(id("t1"))), sent(first));
}

TEST_F(OpenTurnsTest, TurnsOfDifferentMatchesMayHaveTheSameToken) {
    const TurnRequest first = request(turn("m1", 0, "t1"));
    const TurnRequest second = request(turn("m2", 0, "t1"));
    api::Verdict stale = verdict("t1");
    stale.mutable_stale();
    stale.set_match_id("m2");
    open_turns.on_verdict(stale);
    EXPECT_FALSE(first.cancelled());
    EXPECT_TRUE(second.cancelled());
    EXPECT_FALSE(is_empty(open_turns.set_answer(TurnId(first.turn), move("d2-d3"))));
}

TEST_F(OpenTurnsTest, StaleExpiredAndReplacedTurnsAreCancelled) {
    const TurnRequest all[] = {request(turn("m1", 0, "t1")), request(turn("m1", 1, "t2")),
                               request(turn("m1", 2, "t3"))};
    api::Verdict stale = verdict("t1");
    stale.mutable_stale();
    open_turns.on_verdict(stale);
    open_turns.on_turn_expired("m1", "t2");
    request(turn("m1", 2, "t4"));
    for (const TurnRequest& request : all) {
        EXPECT_TRUE(request.cancelled());
        EXPECT_TRUE(is_empty(open_turns.set_answer(TurnId(request.turn), move("c2-c3"))));
    }
}

TEST_F(OpenTurnsTest, TheEndOfAMatchCancelsItsTurnsOnly) {
    const TurnRequest ended = request(turn("m1", 0, "t1"));
    const TurnRequest open = request(turn("m2", 0, "t2"));
    open_turns.on_match_ended("m1");
    open_turns.on_match_ended("m1");
    EXPECT_TRUE(ended.cancelled());
    EXPECT_FALSE(open.cancelled());
}

}  // namespace referee
