// The open turns, and their answers.
//
// Pure: it receives the messages of the referee and the answers of the bot, and returns what is to
// be done. It outlives the stream, so that an answer found while there was no stream is sent when
// its turn is repeated.
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

// A match and a seat in it, which has at most one open turn.
using Place = std::pair<std::string, unsigned>;

// Identifies a turn. A token alone is not sufficient: turns of other matches may have the same one.
struct TurnId {
    explicit TurnId(const api::Turn& turn)
        : place(turn.match_id(), turn.seat()), token(turn.turn_token()) {}
    TurnId(Place place, std::string token) : place(std::move(place)), token(std::move(token)) {}

    Place place;
    std::string token;
};

// Call `due` for the turn after this time.
struct Later {
    TurnId turn;
    std::chrono::milliseconds after;
};

// What is to be done next: nothing, a turn to answer, an answer to send, or a call after a delay.
using Next = std::variant<std::monostate, Asked, api::BotItem, Later>;

class Desk {
  public:
    // Handles a turn. A turn with a new token replaces the previous turn of the seat.
    Next asked(const api::Turn& turn);

    // Handles the bot's answer. Only the first answer to a turn is sent; all others are dropped.
    Next found(const TurnId& turn, api::BotItem answer);

    // Handles the verdict on an answer. It arrives before the next turn of the seat.
    Next judged(const api::Verdict& verdict);

    // Continues after the delay of Later.
    Next due(const TurnId& turn) const;

    // Handles a turn that no longer needs an answer.
    void lapsed(const std::string& match_id, const std::string& token);

    // Handles the end of a match, whether or not it was known.
    void ended(const std::string& match_id);

  private:
    struct Owed {
        std::string token;
        std::optional<api::BotItem> answer;
        // The error of a rejected answer.
        std::optional<api::ErrorDetail> refused;
        // Destroyed when the turn is no longer open, which the bot can see.
        std::shared_ptr<const void> life = std::make_shared<char>();

        // Sends or repeats the answer, if there is one.
        Next say() const;
    };

    Next begin(const api::Turn& turn);

    std::map<Place, Owed> owed_;
    std::uint64_t answers_ = 0;
};

}  // namespace referee
