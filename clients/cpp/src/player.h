// Plays in one session after the other, until it is stopped.
//
// The thread that calls play reads, each session has its own thread for writing, and each turn is
// computed on a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "backoff.h"
#include "desk.h"
#include "referee/bot.h"
#include "session.h"
#include "settings.h"

namespace referee {

enum Status { STOPPED = 0, MISCONFIGURED = 2, TAKEN_OVER = 3, REFUSED = 4 };

class Player {
  public:
    Player(Bot& bot, Settings settings);

    // Waits until the bot has stopped thinking.
    ~Player() = default;

    // Returns the exit status.
    Status play();

    // Thread-safe.
    void stop();

  private:
    grpc::Status play_session();
    api::BotItem hello() const;

    // All following functions are called with mutex_ held.
    void hear(const api::RefereeItem& said);
    void welcomed(const api::Welcome& welcome);
    void follow(const Next& next);
    std::chrono::milliseconds next_wait();
    void end(Status status);
    void ended(const grpc::Status& how);
    void say(const api::BotItem& item);
    void beside(std::function<void()> what);

    // Each of these runs on its own thread.
    void think(const Asked& asked);
    void wait(const Later& later);

    Bot& bot_;
    Settings settings_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Status> status_;
    Session* session_ = nullptr;
    Desk desk_;
    Backoff backoff_;
    // How long the referee will be away, if it has announced that.
    std::optional<std::chrono::milliseconds> away_;
    // Declared last, so that it is destroyed first: its threads use all members above.
    std::list<std::future<void>> beside_;
};

// Returns the move, or a similar one that the referee rejects if the move cannot be sent. It would
// break the stream, and with it all other matches; this way it costs one attempt.
std::string sendable(const api::Turn& turn, const std::string& move);

// Returns the bot's move, or its resignation if its code fails.
api::BotItem answer(Bot& bot, const Asked& asked);

}  // namespace referee
