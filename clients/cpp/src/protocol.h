// What the client does with each item of the server. It is independent of time, threads and
// network.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backoff.h"
#include "nonces.h"
#include "open_turns.h"
#include "referee/bot.h"
#include "referee/options.h"
#include "seats.h"

namespace grpc {
class Status;
}

namespace referee {

class Protocol {
  public:
    struct Callbacks : OpenTurns::Callbacks {
        std::function<void(std::chrono::milliseconds)> set_heartbeat_timeout;
    };

    // Logger, nonce and executor of the options must be set.
    Protocol(const Bots& bots, Options options, Callbacks callbacks);

    // Handles the start of a session, and returns its first item.
    api::BotItem start_session();

    // Handles an item. Throws TakenOverError.
    void on_item(const api::RefereeItem& item);

    // Handles the end of a stream. Throws TakenOverError or RejectedError if reconnecting does not
    // help. Only the status code decides.
    static void on_end(const grpc::Status& status);

    // Returns the pause before the next session. `random` is from 0 to 1.
    std::chrono::milliseconds next_pause(Backoff::Clock::time_point now, double random);

    // Handles the bot's answer to an open turn.
    void on_answer(OpenTurn& open_turn, api::BotItem answer);

    Seats& seats() { return seats_; }

    // Cancels all calls of the bot.
    void stop() { open_turns_.close_all(); }

  private:
    api::BotItem hello() const;
    void on_verdict(const api::Verdict& verdict);
    void on_welcome(const api::Welcome& welcome);

    Options options_;
    Callbacks callbacks_;
    OpenTurns open_turns_;
    Seats seats_;
    Nonces nonces_;
    Backoff backoff_;
    // Delay that a draining server has requested.
    std::optional<std::chrono::milliseconds> reconnect_delay_;
};

}  // namespace referee
