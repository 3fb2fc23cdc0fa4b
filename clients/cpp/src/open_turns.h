// The open turns, and their answers.
//
// It is independent of time and network: it receives the messages of the server and the answers of
// the bot, and calls back when a turn needs an answer or an answer is to be sent. It outlives the
// stream, so that an answer computed while there was no stream is sent when its turn is repeated.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "referee/turn.h"
#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// A match id and a seat in the match. A seat has at most one open turn.
using SeatKey = std::pair<std::string, unsigned>;

struct OpenTurn {
    SeatKey key() const { return {turn.match_id, turn.seat}; }
    bool is_open() const { return !cancellation.stop_requested(); }

    Turn turn;
    std::uint64_t item_id = 0;
    // Not set until the bot has answered.
    std::optional<api::BotItem> answer;
    // The error of a rejected answer.
    std::optional<Rejection> rejection;
    // Whether it has arrived in the current session.
    bool arrived = true;
    // Requested when the turn is no longer open.
    std::stop_source cancellation;
};

class OpenTurns {
  public:
    struct Callbacks {
        // Computes the answer to a turn, and then calls set_answer.
        std::function<void(std::shared_ptr<OpenTurn>)> choose;
        std::function<void(const api::BotItem&)> send;
        // Calls a function after a delay.
        std::function<void(std::chrono::milliseconds, std::function<void()>)> schedule;
    };

    explicit OpenTurns(Callbacks callbacks) : callbacks_(std::move(callbacks)) {}

    // Handles the start of a session. Until a turn arrives again, its answer waits: otherwise it
    // would be sent twice.
    void on_session_started();

    // Handles a turn. A turn with a new token replaces the previous turn of the seat.
    void on_turn(const api::Turn& message, const api::Rules& rules);

    // Handles the bot's answer, which it gives once.
    void set_answer(OpenTurn& open_turn, api::BotItem answer);

    // Handles the verdict on an answer. It arrives before the next turn of the seat.
    void on_verdict(const api::Verdict& verdict);

    // Handles a turn that no longer needs an answer.
    void on_turn_expired(const std::string& match_id, const std::string& token);

    // Handles the end of a match, whether or not it was known.
    void on_match_ended(const std::string& match_id);

    bool has_any() const { return !by_seat_.empty(); }

    // Cancels all turns.
    void close_all();

  private:
    void open(Turn turn);
    void on_rejected(const std::shared_ptr<OpenTurn>& open_turn, const api::ErrorDetail& error);
    // Sends the answer, if there is one, and the turn is still open and has arrived in this
    // session.
    void send(const OpenTurn& open_turn) const;
    template <typename Predicate>
    void close_if(Predicate predicate);

    Callbacks callbacks_;
    std::map<SeatKey, std::shared_ptr<OpenTurn>> by_seat_;
    std::uint64_t last_item_id_ = 0;
};

}  // namespace referee
