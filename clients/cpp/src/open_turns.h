// The open turns, and their answers.
//
// It is independent of time and network: it receives the messages of the referee and the answers of
// the bot, and returns the action that follows. It outlives the stream, so that an answer computed
// while there was no stream is sent when its turn is repeated.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "referee/bot.h"

namespace referee {

// A match id and a seat in the match. A seat has at most one open turn.
using SeatKey = std::pair<std::string, unsigned>;

// Identifies a turn. A token alone is not sufficient: turns of other matches may have the same one.
struct TurnId {
    explicit TurnId(const api::Turn& turn)
        : seat(turn.match_id(), turn.seat()), token(turn.turn_token()) {}
    TurnId(SeatKey seat, std::string token) : seat(std::move(seat)), token(std::move(token)) {}

    SeatKey seat;
    std::string token;
};

// Calls `OpenTurns::resend` for the turn after the delay.
struct DelayedResend {
    TurnId turn;
    std::chrono::milliseconds delay;
};

// What follows an event: nothing, a request for the bot, an answer to send, or an answer to send
// again after a delay.
using Action = std::variant<std::monostate, TurnRequest, api::BotItem, DelayedResend>;

class OpenTurns {
  public:
    // Handles a turn. A turn with a new token replaces the previous turn of the seat.
    Action on_turn(const api::Turn& turn);

    // Handles the bot's answer. Only the first answer to a turn is sent; all others are ignored.
    Action set_answer(const TurnId& turn, api::BotItem answer);

    // Handles the verdict on an answer. It arrives before the next turn of the seat.
    Action on_verdict(const api::Verdict& verdict);

    // Sends the answer again after a temporary rejection, if the turn is still open.
    Action resend(const TurnId& turn) const;

    // Handles a turn that no longer needs an answer.
    void on_turn_expired(const std::string& match_id, const std::string& token);

    // Handles the end of a match, whether or not it was known.
    void on_match_ended(const std::string& match_id);

  private:
    struct OpenTurn {
        std::string token;
        std::optional<api::BotItem> answer;
        // The error of a rejected answer.
        std::optional<api::ErrorDetail> rejection;
        // Destroyed together with the open turn, which cancels its TurnRequest.
        std::shared_ptr<const void> lifetime = std::make_shared<char>();

        // Sends the answer, if there is one.
        Action send() const;
    };

    Action open(const api::Turn& turn);

    std::map<SeatKey, OpenTurn> by_seat_;
    std::uint64_t last_item_id_ = 0;
};

}  // namespace referee
