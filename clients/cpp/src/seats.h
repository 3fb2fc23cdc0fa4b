// The bot of each seat, and its calls: one after the other for each seat.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "open_turns.h"
#include "referee/bot.h"
#include "referee/options.h"

namespace referee {

// Runs calls one after the other, by the tasks of an executor.
class CallQueue : public std::enable_shared_from_this<CallQueue> {
  public:
    void push(std::function<void()> call, const Executor& executor);

  private:
    void run();

    std::mutex mutex_;
    std::deque<std::function<void()>> calls_;
    // Whether a task runs the calls.
    bool running_ = false;
};

class Seats {
  public:
    using Answered = std::function<void(api::BotItem)>;

    Seats(Bots bots, Executor executor, Logger logger);

    // Tells the bot, once for each seat.
    void on_match_started(const api::MatchStarted& message);

    // Returns the rules of a turn, which may be those that arrived before: turns omit large ones.
    const api::Rules& rules_of(const api::Turn& turn);

    // Tells the bot, once for each seat that is known.
    void on_match_ended(const api::MatchEnded& message);

    // Computes the answer to a turn, and calls back unless the answer is no longer needed.
    void choose(const std::shared_ptr<OpenTurn>& open_turn, Answered answered);

  private:
    struct Seat {
        // Created by its first call, so that the code of the bot never runs on the thread of the
        // stream.
        std::unique_ptr<Bot> bot;
        // Those that arrived last for this seat.
        api::Rules rules;
        std::shared_ptr<CallQueue> calls = std::make_shared<CallQueue>();
    };

    // Returns the seat, and whether it is new.
    std::pair<std::shared_ptr<Seat>, bool> find_or_add(const SeatKey& key);
    // Tells the bot of a start or an end.
    void tell(const std::shared_ptr<Seat>& seat, const std::string& match_id,
              std::function<void(Bot&)> call);
    // Must be called by the seat's queue.
    Bot& bot_of(Seat& seat) const;

    Bots bots_;
    Executor executor_;
    Logger logger_;
    std::map<SeatKey, std::shared_ptr<Seat>> by_key_;
};

}  // namespace referee
