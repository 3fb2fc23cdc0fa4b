#include "desk.h"

#include <gtest/gtest.h>

namespace referee {

api::Turn turn(const std::string& match_id, unsigned seat, const std::string& token) {
    api::Turn made;
    made.set_match_id(match_id);
    made.set_seat(seat);
    made.set_turn_token(token);
    return made;
}

TurnId id(const std::string& token) {
    return TurnId(turn("m1", 0, token));
}

api::BotItem move(const std::string& text) {
    api::BotItem made;
    made.mutable_move()->set_move(text);
    return made;
}

api::Verdict verdict(const std::string& token) {
    api::Verdict made;
    made.set_match_id("m1");
    made.set_turn_token(token);
    return made;
}

api::Verdict accepted(const std::string& token) {
    api::Verdict made = verdict(token);
    made.mutable_accepted();
    return made;
}

api::Verdict refused(const std::string& token) {
    api::Verdict made = verdict(token);
    made.mutable_rejected()->mutable_error()->set_message("there is no c9");
    return made;
}

api::Verdict not_now(const std::string& token) {
    api::Verdict made = verdict(token);
    (*made.mutable_rejected()->mutable_error()->mutable_metadata())["retry_after_ms"] = "250";
    return made;
}

bool nothing(const Next& next) {
    return std::holds_alternative<std::monostate>(next);
}

std::string said(const Next& next) {
    return std::get<api::BotItem>(next).ShortDebugString();
}

Later later(const Next& next) {
    return std::get<Later>(next);
}

std::string why(const Next& next) {
    const auto& refused = std::get<Asked>(next).refused;
    return refused ? refused->message() : "";
}

class DeskTest : public testing::Test {
  protected:
    Asked thought(const api::Turn& turn) { return std::get<Asked>(desk.asked(turn)); }

    // t1 is asked, and answered with c2-c3.
    std::string answered() {
        thought(turn("m1", 0, "t1"));
        return said(desk.found(id("t1"), move("c2-c3")));
    }

    Desk desk;
};

TEST_F(DeskTest, TheSameTurnAgainIsAnsweredWithTheVerySameAnswer) {
    const std::string first = answered();
    desk.judged(accepted("t1"));
    EXPECT_EQ(said(desk.asked(turn("m1", 0, "t1"))), first);
}

TEST_F(DeskTest, TheSameTurnAgainIsNotThoughtAboutTwice) {
    const Asked asked = thought(turn("m1", 0, "t1"));
    EXPECT_TRUE(nothing(desk.asked(turn("m1", 0, "t1"))));
    EXPECT_TRUE(asked.wanted());
}

TEST_F(DeskTest, AnAnswerFoundWhileNobodyWasThereIsSaidWhenTheTurnIsAskedAgain) {
    thought(turn("m1", 0, "t1"));
    const std::string found = said(desk.found(id("t1"), move("c2-c3")));
    EXPECT_EQ(said(desk.asked(turn("m1", 0, "t1"))), found);
}

TEST_F(DeskTest, ATurnNeverHasTwoAnswers) {
    const std::string first = answered();
    EXPECT_TRUE(nothing(desk.found(id("t1"), move("d2-d3"))));
    EXPECT_EQ(said(desk.asked(turn("m1", 0, "t1"))), first);
}

TEST_F(DeskTest, AfterARefusalTheNewTokenIsThoughtAboutAndSaysWhy) {
    answered();
    desk.judged(refused("t1"));
    EXPECT_EQ(why(desk.asked(turn("m1", 0, "t2"))), "there is no c9");
    EXPECT_EQ(why(desk.asked(turn("m1", 0, "t3"))), "");
}

TEST_F(DeskTest, ARefusalThatNamesATimeIsNoVerdictOnTheMove) {
    const std::string first = answered();
    EXPECT_EQ(later(desk.judged(not_now("t1"))).after, std::chrono::milliseconds(250));
    EXPECT_EQ(said(desk.due(id("t1"))), first);
}

TEST_F(DeskTest, AResignationThatCouldNotBeTakenIsSaidAgain) {
    thought(turn("m1", 0, "t1"));
    api::BotItem resignation;
    resignation.mutable_resignation()->set_seat(0);
    const Next first = desk.found(id("t1"), resignation);
    api::Verdict verdict = not_now("");
    verdict.set_item_id(std::get<api::BotItem>(first).item_id());
    EXPECT_EQ(later(desk.judged(verdict)).turn.token, "t1");
    EXPECT_EQ(said(desk.due(id("t1"))), said(first));
}

TEST_F(DeskTest, TurnsOfDifferentMatchesMayHaveTheSameToken) {
    const Asked first = thought(turn("m1", 0, "t1"));
    const Asked second = thought(turn("m2", 0, "t1"));
    api::Verdict stale = verdict("t1");
    stale.mutable_stale();
    stale.set_match_id("m2");
    desk.judged(stale);
    EXPECT_TRUE(first.wanted());
    EXPECT_FALSE(second.wanted());
    EXPECT_FALSE(nothing(desk.found(TurnId(first.turn), move("d2-d3"))));
}

TEST_F(DeskTest, WhatIsStaleOrLapsedOrFollowedByAnotherTurnIsWantedNoMore) {
    const Asked all[] = {thought(turn("m1", 0, "t1")), thought(turn("m1", 1, "t2")),
                         thought(turn("m1", 2, "t3"))};
    api::Verdict stale = verdict("t1");
    stale.mutable_stale();
    desk.judged(stale);
    desk.lapsed("m1", "t2");
    thought(turn("m1", 2, "t4"));
    for (const Asked& asked : all) {
        EXPECT_FALSE(asked.wanted());
        EXPECT_TRUE(nothing(desk.found(TurnId(asked.turn), move("c2-c3"))));
    }
}

TEST_F(DeskTest, AMatchThatEndedIsForgottenAndTheOthersAreNot) {
    const Asked over = thought(turn("m1", 0, "t1"));
    const Asked open = thought(turn("m2", 0, "t2"));
    desk.ended("m1");
    desk.ended("m1");
    EXPECT_FALSE(over.wanted());
    EXPECT_TRUE(open.wanted());
}

}  // namespace referee
