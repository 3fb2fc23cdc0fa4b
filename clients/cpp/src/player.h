// A bot that plays: session after session, until it is told to stop.
//
// The thread that calls play reads, each session writes with one of its own, and each turn is
// thought about by another.
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

    // Waits for what the bot still thinks about.
    ~Player() = default;

    // Returns the status to exit with.
    Status play();

    // From any thread.
    void stop();

  private:
    grpc::Status play_session();
    api::FromBot hello() const;

    // All that follows is called with mutex_ held.
    void hear(const api::FromReferee& said);
    void welcomed(const api::Welcome& welcome);
    void follow(const Next& next);
    std::chrono::milliseconds next_wait();
    void end(Status status);
    void ended(const grpc::Status& how);
    void say(const api::FromBot& item);
    void beside(std::function<void()> what);

    // Each of these runs beside the rest.
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
    // The referee is about to go, and will be back after so long.
    std::optional<std::chrono::milliseconds> away_;
    // Last, so that it is the first to go: whoever is in there uses all of the above.
    std::list<std::future<void>> beside_;
};

// The move; or, if it cannot be sent as it is, one like it that the referee refuses. It would break
// the stream, and with it all other matches; so it costs one attempt.
std::string sendable(const api::Turn& turn, const std::string& move);

// The bot's move; or, if its code breaks down, its resignation.
api::FromBot answer(Bot& bot, const Asked& asked);

}  // namespace referee
