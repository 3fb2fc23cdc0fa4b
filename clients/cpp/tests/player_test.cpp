#include "player.h"

#include <gtest/gtest.h>

namespace referee {

class Broken : public Bot {
    std::string choose(const Asked& asked) override {
        if (asked.turn.ply() == 0) throw std::runtime_error("no idea");
        throw "no idea";
    }
};

TEST(Player, ABotThatBreaksDownResignsItsSeat) {
    Broken bot;
    for (const unsigned ply : {0, 1}) {
        Asked asked;
        asked.turn.set_match_id("m1");
        asked.turn.set_seat(2);
        asked.turn.set_ply(ply);
        const api::FromBot said = answer(bot, asked);
        EXPECT_EQ(said.resignation().match_id(), "m1");
        EXPECT_EQ(said.resignation().seat(), 2U);
    }
}

}  // namespace referee
