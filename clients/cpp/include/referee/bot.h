// Library for bots: a bot implements choose, and run does everything else.
//
// It finds the referee by the environment, opens the stream, answers pings while the bot thinks,
// runs several matches at the same time, and reconnects after a break without losing a turn or
// answering one twice.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// A turn as it is passed to the bot.
struct Asked {
    api::Turn turn;
    // The error of the last answer, if this is another attempt at the same move.
    std::optional<api::ErrorDetail> refused;
    // Alive for as long as the turn is open.
    std::weak_ptr<const void> owed;

    // Whether an answer is still needed. A bot that thinks for long should check this regularly,
    // and stop: run does not return before it has.
    bool wanted() const { return !owed.expired(); }
};

// A bot, which chooses moves.
class Bot {
  public:
    virtual ~Bot() = default;

    // Returns the move to play, in the game's notation.
    //
    // It is called on a new thread for each turn, so that turns of different matches are computed
    // at the same time. An exception resigns the seat; other matches continue.
    virtual std::string choose(const Asked& asked) = 0;

    // What each turn should contain besides the position. Default: nothing.
    virtual api::TurnOptions turn_options() const { return {}; }
};

// Plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2 if
// the settings in the environment are invalid, 3 if another copy of the bot has taken over its
// seats, 4 if the referee rejects this bot. Errors are written to standard error.
//
// Must be called by the main thread before there are others, because it handles the signals.
int run(Bot& bot);

}  // namespace referee
