// The turns that are owed, and the answers that were found.
//
// Pure: it is told what the referee and the bot say, and tells what is to be done. It outlives the
// stream, so that an answer found while nobody was there to hear it is said when its turn is asked
// again.
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

// A match and a seat there, which owes one turn at most.
using Place = std::pair<std::string, unsigned>;

// Which turn is meant. A token alone does not say: turns of other matches may have it too.
struct TurnId {
    explicit TurnId(const api::Turn& turn)
        : place(turn.match_id(), turn.seat()), token(turn.token()) {}
    TurnId(Place place, std::string token) : place(std::move(place)), token(std::move(token)) {}

    Place place;
    std::string token;
};

// Tell the desk that the turn is `due` when this time has passed.
struct Later {
    TurnId turn;
    std::chrono::milliseconds after;
};

// What is to be done: nothing, a question to think about, an answer to say, or something later.
using Next = std::variant<std::monostate, Asked, api::FromBot, Later>;

class Desk {
  public:
    // A turn is asked. One with a new token takes the place of the seat's turn before it.
    Next asked(const api::Turn& turn);

    // The bot has found its answer. The first to a turn is said; nobody hears of another.
    Next found(const TurnId& turn, api::FromBot answer);

    // The referee has judged an answer. It says so before it asks the seat's next turn.
    Next judged(const api::Verdict& verdict);

    // The time has come that Later spoke of.
    Next due(const TurnId& turn) const;

    // A turn needs no answer any more.
    void lapsed(const std::string& match_id, const std::string& token);

    // A match is over, whether it was known or not.
    void ended(const std::string& match_id);

  private:
    struct Owed {
        std::string token;
        std::optional<api::FromBot> answer;
        // What was wrong with it.
        std::optional<api::Refusal> refused;
        // Its end tells the bot that the turn is owed no more.
        std::shared_ptr<const void> life = std::make_shared<char>();

        // The answer, if it is found already: for the first time, or again.
        Next say() const;
    };

    Next begin(const api::Turn& turn);

    std::map<Place, Owed> owed_;
    std::uint64_t answers_ = 0;
};

}  // namespace referee
