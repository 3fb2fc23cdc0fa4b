// Write a bot for Referee: say how to choose, and run does the rest.
//
// The rest is to find the referee by the environment, to open the stream, to answer pings while the
// bot thinks, to think about several matches at once, and to come back after a break without losing
// a turn or answering one twice.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// A turn as the bot is asked it.
struct Asked {
    api::Turn turn;
    // Why the last answer was refused, if this is another attempt at the same move.
    std::optional<api::Refusal> refused;
    // Alive for as long as the turn is owed.
    std::weak_ptr<const void> owed;

    // Whether an answer is still wanted. A bot that thinks for long looks now and then, and stops:
    // run does not return before it has.
    bool wanted() const { return !owed.expired(); }
};

// A bot: it is asked for moves.
class Bot {
  public:
    virtual ~Bot() = default;

    // The move to play, in the game's notation.
    //
    // Called on a thread of its own for each turn, so that turns of different matches are thought
    // about at the same time. What is thrown resigns the seat; the other matches go on.
    virtual std::string choose(const Asked& asked) = 0;

    // What each turn should carry beyond the position. Default: nothing.
    virtual api::TurnWishes wishes() const { return {}; }
};

// Plays until the program is told to stop, and tells with which status it is to exit: 0 after
// SIGINT or SIGTERM, 2 if the settings in the environment are wrong, 3 if another copy of the bot
// has taken its seats, 4 if the referee refuses this bot. Standard error says why.
//
// To be called by the main thread before there are others: it takes the signals over.
int run(Bot& bot);

}  // namespace referee
