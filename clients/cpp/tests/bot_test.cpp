// Bots in unit tests of their own, without a server.
#include "referee/bot.h"

#include <gtest/gtest.h>

#include "answers.h"
#include "seats.h"
#include "vectors.h"

namespace referee {

namespace {

class CountingBot : public Bot {
  public:
    Answer choose(const Turn&, std::stop_token) override { return std::to_string(++turns_); }

  private:
    int turns_ = 0;
};

std::string answer_of(Bot& bot, const Turn& turn) {
    return bot.choose(turn, {}).move();
}

}  // namespace

TEST(Bots, AFunctionOfATurnIsABot) {
    const Bots bots([](const Turn& turn) { return turn.legal_moves.at(0); });
    Turn turn;
    turn.legal_moves = {"c2-c3", "d2-d3"};
    EXPECT_EQ(answer_of(*bots.create(), turn), "c2-c3");
}

TEST(Bots, AFunctionMayLookAtItsStopToken) {
    const Bots bots([](const Turn&, const std::stop_token& cancelled) {
        return cancelled.stop_requested() ? Answer::resign() : Answer("c2-c3");
    });
    std::stop_source source;
    EXPECT_EQ(bots.create()->choose({}, source.get_token()), Answer("c2-c3"));
    source.request_stop();
    EXPECT_EQ(bots.create()->choose({}, source.get_token()), Answer::resign());
}

TEST(Bots, AFunctionIsSharedByAllSeatsAndAnObjectIsNot) {
    const Bots function([turns = 0](const Turn&) mutable { return std::to_string(++turns); });
    EXPECT_EQ(answer_of(*function.create(), {}), "1");
    EXPECT_EQ(answer_of(*function.create(), {}), "2");
    const Bots objects([] { return std::make_unique<CountingBot>(); });
    EXPECT_EQ(answer_of(*objects.create(), {}), "1");
    EXPECT_EQ(answer_of(*objects.create(), {}), "1");
}

TEST(Bots, ABotThatThrowsAnythingResignsItsSeat) {
    std::vector<std::string> messages;
    const Logger logger = TestOptions(messages).logger;
    Turn turn;
    turn.match_id = "m1";
    turn.seat = 2;
    const std::vector<std::function<Answer()>> failing = {
        []() -> Answer { throw std::runtime_error("no idea"); },
        []() -> Answer { throw "no idea"; },
    };
    for (const auto& choose : failing) {
        const api::BotItem item = choose_answer(choose, turn, {}, logger);
        EXPECT_EQ(item.resignation().match_id(), "m1");
        EXPECT_EQ(item.resignation().seat(), 2U);
    }
    EXPECT_EQ(messages.size(), 2U);
}

TEST(Bots, ACancelledBotThatThrowsIsNotReported) {
    std::vector<std::string> messages;
    std::stop_source source;
    source.request_stop();
    choose_answer([]() -> Answer { throw std::runtime_error("stopped"); }, {}, source.get_token(),
                  TestOptions(messages).logger);
    EXPECT_TRUE(messages.empty());
}

TEST(Seats, CallsOfOneSeatAreMadeInOrderByTheTasksOfTheExecutor) {
    std::vector<std::function<void()>> tasks;
    const Executor executor = [&](std::function<void()> task) { tasks.push_back(std::move(task)); };
    const auto queue = std::make_shared<CallQueue>();
    std::vector<int> made;
    for (const int number : {1, 2})
        queue->push([&made, number] { made.push_back(number); }, executor);
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_TRUE(made.empty());
    tasks[0]();
    EXPECT_EQ(made, (std::vector{1, 2}));
    queue->push([&made] { made.push_back(3); }, executor);
    ASSERT_EQ(tasks.size(), 2U);
    tasks[1]();
    EXPECT_EQ(made, (std::vector{1, 2, 3}));
}

}  // namespace referee
