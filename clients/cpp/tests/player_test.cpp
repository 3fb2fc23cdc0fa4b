#include "player.h"

#include <gtest/gtest.h>

namespace referee {

class FailingBot : public Bot {
    std::string choose(const TurnRequest& request) override {
        if (request.turn.ply() == 0) throw std::runtime_error("no idea");
        throw "no idea";
    }
};

std::string repeated(const std::string& text, int times) {
    std::string all;
    while (times-- > 0) all += text;
    return all;
}

TEST(Player, AnAnswerThatCannotBeSentIsReplacedByATextThatTheRefereeRejects) {
    const api::Turn turn;
    const std::string emoji = "\xF0\x9F\x98\x80", replacement = "\xEF\xBF\xBD";
    for (const std::string& whole : {std::string(), std::string("c2-c3"), repeated(emoji, 1000)}) {
        EXPECT_EQ(sendable(turn, whole), whole);
    }
    EXPECT_EQ(sendable(turn, repeated(emoji, 2'000'000)), repeated(emoji, 1001));
    // A stray byte, an overlong form, a surrogate, a value beyond U+10FFFF, a truncated character.
    for (const std::string bad :
         {"\xFF", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
        const std::string replaced = repeated(replacement, static_cast<int>(bad.size()));
        EXPECT_EQ(sendable(turn, "c2" + bad), "c2" + replaced);
    }
}

TEST(Player, ABotThatThrowsResignsItsSeat) {
    FailingBot bot;
    for (const unsigned ply : {0, 1}) {
        TurnRequest request;
        request.turn.set_match_id("m1");
        request.turn.set_seat(2);
        request.turn.set_ply(ply);
        const api::BotItem item = answer(bot, request);
        EXPECT_EQ(item.resignation().match_id(), "m1");
        EXPECT_EQ(item.resignation().seat(), 2U);
    }
}

}  // namespace referee
