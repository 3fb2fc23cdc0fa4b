/// @file
/// The calls of organisers and watchers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "referee/options.h"
#include "referee/turn.h"

namespace referee {

/// The server rejected a call, or could not be reached.
class CallError : public std::runtime_error {
  public:
    explicit CallError(Rejection rejection)
        : std::runtime_error(rejection.message + " (" + rejection.reason + ")"),
          rejection_(std::move(rejection)) {}

    /// An upper-case name from the contract, such as "NAME_TAKEN". Programs should use it, and
    /// never the message. If the error is not from the server itself, it is the name of a gRPC
    /// status code.
    const std::string& reason() const { return rejection_.reason; }
    /// The variables of the message by name.
    const std::map<std::string, std::string>& metadata() const { return rejection_.metadata; }

  private:
    Rejection rejection_;
};

/// The time control of a match. The default is no clock.
struct TimeControl {
    using Time = std::chrono::milliseconds;
    enum class Kind { untimed, fischer, sudden_death, per_move };

    /// A main time, with an increment for each move.
    static TimeControl fischer(Time main, Time increment) {
        return {Kind::fischer, main, increment};
    }
    /// A main time for all moves.
    static TimeControl sudden_death(Time main) { return {Kind::sudden_death, main}; }
    /// A time for each move.
    static TimeControl per_move(Time move) { return {Kind::per_move, move}; }

    Kind kind = Kind::untimed;
    Time main{0}, increment{0};
};

/// The terms of a new match.
struct MatchTerms {
    /// The name of the game, and its variant; the defaults are those of the game.
    std::string game, preset;
    std::map<std::string, std::string> options;
    /// The time control of all seats.
    TimeControl clock;
    /// The time within which all bots must be online. 0: the default of the server.
    std::chrono::milliseconds start_timeout{0};
    std::string title;
};

/// A numbered entry of the log of a match.
struct Entry {
    /// Counted from 1, without gaps.
    std::uint64_t number = 0;
    std::chrono::system_clock::time_point time;
    /// The event in the words of the contract, such as "move_played". Empty if the watcher may not
    /// see it.
    std::string kind;
    /// What was played, if the kind is "move_played".
    std::optional<PlayedMove> move;
    /// The result of the match, if the kind is "play_ended".
    std::optional<Result> result;
};

class Calls;
class Ladders;      // In referee/ladders.h.
class Tournaments;  // In referee/tournaments.h.

/// Makes the calls of an organiser or watcher, with the token of the options. Options that are
/// about bots have no effect. While the server cannot be reached or asks for a pause, a call is
/// made up to five times, with the same request id, so that nothing is created twice. Its methods
/// are thread-safe, and throw CallError.
class Organiser {
  public:
    /// Throws SettingError. It connects with its first call.
    explicit Organiser(const Options& options);
    ~Organiser();
    Organiser(const Organiser&) = delete;
    Organiser& operator=(const Organiser&) = delete;
    Organiser(Organiser&&) noexcept;
    Organiser& operator=(Organiser&&) noexcept;

    /// Registers a bot, and returns its first token, which is shown only once.
    std::string register_bot(const std::string& name, const std::string& description = "");

    /// Creates a match with a bot for each seat, in order. It begins when all of them are online.
    Match create_match(const MatchTerms& terms, const std::vector<std::string>& bots);

    Match match(const std::string& match_id);

    /// Ends a match, which is void then.
    void abort_match(const std::string& match_id, const std::string& why);

    /// Calls `on_entry` for the entries after a number, each once and in order, and returns when
    /// the match is over, when `on_entry` has returned false, or when a stop is requested. After an
    /// interruption it goes on with the next entry.
    void watch(const std::string& match_id, const std::function<bool(const Entry&)>& on_entry,
               std::uint64_t after = 0, const std::stop_token& stop = {});

    /// Waits for the end of a match. Returns nothing if a stop was requested before.
    std::optional<Result> result(const std::string& match_id, const std::stop_token& stop = {});

    /// Returns the record of a match that is over: a file with one line per entry, which `referee
    /// verify` checks.
    std::string record(const std::string& match_id);

    /// Returns the calls about tournaments and ladders. They can be used after this object is gone.
    Tournaments tournaments() const;
    Ladders ladders() const;

  private:
    std::shared_ptr<const Calls> calls_;
};

}  // namespace referee
