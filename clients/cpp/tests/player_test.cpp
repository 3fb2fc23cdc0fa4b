#include "player.h"

#include <gtest/gtest.h>

#include "referee/play.h"
#include "vectors.h"

namespace referee {

namespace {

std::string first_move(const Turn& turn) {
    return turn.legal_moves.at(0);
}

}  // namespace

TEST(Play, AnInvalidOptionIsAnErrorThatNamesItsVariable) {
    try {
        play(first_move, {}, {});
        FAIL();
    } catch (const SettingError& error) {
        EXPECT_EQ(error.variable(), "BOT_REFEREE");
    }
}

TEST(Play, ItReturnsWhenItsLoggerRequestsAStop) {
    std::vector<std::string> messages;
    Options options = TestOptions(messages);
    options.address = "localhost:1";  // Nobody listens there.
    std::stop_source source;
    options.logger = [&](LogLevel level, const std::string& message) {
        EXPECT_EQ(level, LogLevel::warning);
        messages.push_back(message);
        source.request_stop();
    };
    play(first_move, options, source.get_token());
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_TRUE(messages[0].starts_with("disconnected: ")) << messages[0];
    EXPECT_NE(messages[0].find("; reconnecting in "), std::string::npos) << messages[0];
}

TEST(Play, ItReturnsAtOnceIfAStopWasRequestedBefore) {
    std::vector<std::string> messages;
    std::stop_source source;
    source.request_stop();
    play(first_move, TestOptions(messages), source.get_token());
    EXPECT_TRUE(messages.empty());
}

TEST(Pending, WaitsForTheLastCopyOfATask) {
    const auto pending = std::make_shared<Pending>();
    std::shared_ptr<void> task = pending->add();
    std::jthread waiter([&] { pending->wait(); });
    task.reset();
    waiter.join();
}

}  // namespace referee
