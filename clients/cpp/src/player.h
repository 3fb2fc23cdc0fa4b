// Plays until it is stopped, and opens a new session after each one that ends.
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
#include "nonces.h"
#include "open_turns.h"
#include "referee/bot.h"
#include "session.h"
#include "settings.h"

namespace referee {

enum ExitStatus { STOPPED = 0, MISCONFIGURED = 2, TAKEN_OVER = 3, REJECTED = 4 };

class Player {
  public:
    Player(Bot& bot, Settings settings);

    // Waits until all computations of the bot have ended.
    ~Player() = default;

    ExitStatus play();

    // Thread-safe.
    void stop();

  private:
    grpc::Status play_session();
    api::BotItem hello() const;

    // All following functions are called with mutex_ held.
    void handle(const api::RefereeItem& item);
    void on_welcome(const api::Welcome& welcome);
    void perform(const Action& action);
    std::chrono::milliseconds next_pause();
    void stop_with(ExitStatus exit_status);
    void on_end(const grpc::Status& status);
    void send(const api::BotItem& item);
    void start_task(std::function<void()> task);

    // Each of these runs on its own thread.
    void choose(const TurnRequest& request);
    void resend_later(const DelayedResend& resend);

    Bot& bot_;
    Settings settings_;
    std::mutex mutex_;
    std::condition_variable stopped_;
    std::optional<ExitStatus> exit_status_;
    Session* session_ = nullptr;
    OpenTurns open_turns_;
    Nonces nonces_;
    Backoff backoff_;
    // Delay that a draining referee has requested.
    std::optional<std::chrono::milliseconds> reconnect_delay_;
    // Declared last, so that it is destroyed first: its threads use all members above.
    std::list<std::future<void>> tasks_;
};

// Returns the move, or a similar text that the referee rejects if the move cannot be sent. Such a
// move would break the stream, and with it all other matches. The similar text costs one attempt.
std::string sendable(const api::Turn& turn, const std::string& move);

// Returns the bot's move, or its resignation if its code fails.
api::BotItem answer(Bot& bot, const TurnRequest& request);

}  // namespace referee
