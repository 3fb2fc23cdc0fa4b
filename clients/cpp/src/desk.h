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

    // The referee has judged an answer.
    Next judged(const api::Verdict& verdict);

    // The time has come that Later spoke of.
    Next due(const TurnId& turn);

    // A turn needs no answer any more.
    Next lapsed(const std::string& match_id, const std::string& token);

    // A match is over, whether it was known or not.
    void ended(const std::string& match_id);

    // A new stream: no verdict comes on what was said in the last one, and what is owed is asked
    // again.
    void new_stream();

  private:
    // How it stands with the verdict on an answer. Closed: none is to come, or none any more; put
    // off: the referee will hear the same answer later.
    enum class Hearing { CLOSED, AWAITED, PUT_OFF };

    struct Owed {
        std::string token;
        std::optional<api::FromBot> answer;
        Hearing verdict = Hearing::CLOSED;
        std::optional<api::Refusal> refused;
        // The seat's next turn, which waits for the verdict.
        std::optional<api::Turn> held;
        // Its end tells the bot that the turn is owed no more.
        std::shared_ptr<const void> life = std::make_shared<char>();

        // The answer, if it is found already: for the first time, or again.
        Next say();
        // The seat's next turn, if it has this token; it waits no more then.
        std::optional<api::Turn> take_held(const std::string& token);
    };
    using ByPlace = std::map<Place, Owed>;

    Next begin(const api::Turn& turn);
    Next go_on(const std::optional<api::Turn>& held);
    Next forget(ByPlace::iterator owed);

    ByPlace owed_;
    std::uint64_t answers_ = 0;
};

}  // namespace referee
