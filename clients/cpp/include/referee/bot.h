// Library for bots: a bot implements choose, and run does everything else.
//
// It reads its settings from environment variables, opens the stream, answers pings while the bot
// thinks, plays several matches at the same time, and reconnects after a break without losing a
// turn or answering one twice.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// A turn as it is passed to the bot.
struct TurnRequest {
    api::Turn turn;
    // The error of the previous answer, if this is another attempt at the same move.
    std::optional<api::ErrorDetail> rejection;
    // Expires when the turn is no longer open.
    std::weak_ptr<const void> open_turn;

    // Whether the answer is no longer needed. A long computation should check this regularly and
    // stop, because run does not return before all computations have ended.
    bool cancelled() const { return open_turn.expired(); }
};

// Returns 32 random bytes.
std::string random_nonce();

// A bot, which chooses moves.
class Bot {
  public:
    virtual ~Bot() = default;

    // Returns the move to play, in the game's notation.
    //
    // It is called on a new thread for each turn, so that turns of different matches are computed
    // at the same time. An exception resigns the seat; other matches continue.
    virtual std::string choose(const TurnRequest& request) = 0;

    // What each turn should contain besides the position. Default: nothing.
    virtual api::TurnOptions turn_options() const { return {}; }

    // Returns what the bot adds to the seed of a match: up to 64 bytes that nobody can guess. It is
    // called on the thread of the stream, so it must return at once. Default: 32 random bytes.
    virtual std::string nonce(const api::NonceRequest&) { return random_nonce(); }
};

// Plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2 if
// the settings in the environment are invalid, 3 if a newer session of the same bot has taken over
// its seats, 4 if the referee rejects this bot. Errors are written to standard error.
//
// It must be called by the main thread before any other thread exists, because it blocks signals.
int run(Bot& bot);

}  // namespace referee
