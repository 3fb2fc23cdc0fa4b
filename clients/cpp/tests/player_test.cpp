#include "player.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <system_error>
#include <thread>

#include "referee/play.h"
#include "vectors.h"
#include "without_threads.h"

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
    EXPECT_FALSE(pending->wait(std::chrono::milliseconds(0)));
    std::jthread waiter([&] { EXPECT_TRUE(pending->wait(std::chrono::hours(1))); });
    task.reset();
    waiter.join();
}

TEST(Threads, TasksRunAtTheSameTime) {
    std::latch both(2);
    Threads threads;
    for (int i = 0; i < 2; ++i) threads.start([&] { both.arrive_and_wait(); });
    both.wait();
}

TEST(Threads, ATaskWaitsForTheEndOfAnotherOneIfNoMoreThreadsCanBeStarted) {
    std::latch first(1);
    std::atomic<int> done = 0;
    {
        Threads threads;
        threads.start([&] {
            first.wait();
            ++done;
        });
        const WithoutThreads without_threads;
        threads.start([&] { ++done; });
        first.count_down();
    }
    EXPECT_EQ(done, 2);
}

TEST(Threads, WithoutAnyThreadItIsAnError) {
    const WithoutThreads without_threads;
    Threads threads;
    EXPECT_THROW(threads.start([] {}), std::system_error);
}

}  // namespace referee
