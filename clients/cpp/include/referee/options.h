/// @file
/// Options of `play`, and its errors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "referee/turn.h"

namespace referee {

enum class LogLevel { info, warning, error };

/// Receives a message for the author of the bot. It is called by several threads, also at the same
/// time, and must not throw.
using Logger = std::function<void(LogLevel, const std::string& message)>;

/// Runs a task on another thread, now or later. Each task that it gets must be run.
using Executor = std::function<void(std::function<void()> task)>;

/// Returns the value of an environment variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// Returns 32 random bytes.
std::string random_nonce();

struct Options {
    /// The address of the server, HOST:PORT. Required.
    std::string address;
    /// The bot's token. Required.
    std::string token;
    /// The certificate authorities to trust, in PEM. Empty: those of the system.
    std::string root_certificates;
    /// Whether to connect to other machines without TLS. Without root certificates, connections to
    /// this machine never use TLS.
    bool plaintext = false;
    /// The version that the bot plays as. Empty: the one that was registered last.
    std::string version;
    /// The games that the bot plays. Empty: all.
    std::vector<std::string> games;
    /// How many matches to play at once. The default is 1, because concurrent matches share the CPU
    /// while all of their clocks run. With 0 the bot gets no new matches.
    std::uint32_t max_matches = 1;
    /// How many legal moves a turn lists at most. With 0 it lists none.
    std::uint32_t max_legal_moves = 5000;
    /// Whether each turn has the position as JSON.
    bool view = false;
    /// Whether each turn has all moves of the match, instead of those since the last turn of the
    /// seat.
    bool full_history = false;
    /// Whether the verdict on an accepted move may arrive with the next turn, which saves messages.
    bool verdicts_with_turns = false;
    /// Returns what the bot adds to the seed of a match: up to 64 bytes that nobody can guess. It
    /// must return at once. Default: random_nonce.
    std::function<std::string(const std::string& match_id, unsigned seat)> nonce;
    /// Default: messages are dropped.
    Logger logger;
    /// Runs the calls of the bot. Default: a new thread for each turn.
    Executor executor;

    /// Replaces the options whose environment variables are set and not empty: BOT_REFEREE,
    /// BOT_TOKEN or BOT_TOKEN_FILE, BOT_CA, BOT_PLAINTEXT, BOT_VERSION, BOT_MAX_MATCHES and
    /// BOT_VERDICTS_WITH_TURNS. Throws SettingError. BOT_TOKEN_FILE is read at once; it may be a
    /// pipe.
    void read_environment();
    void read_environment(const Environment& environment);
};

/// Why `play` stopped.
class PlayError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A setting is missing or invalid. Nothing was connected.
class SettingError : public PlayError {
  public:
    SettingError(std::string variable, const std::string& problem)
        : PlayError(variable + " " + problem), variable_(std::move(variable)) {}

    /// The environment variable of the setting, also if it was set by an option.
    const std::string& variable() const { return variable_; }

  private:
    std::string variable_;
};

/// A newer session of the same bot and version has taken over its seats. Reconnecting would make
/// the two sessions replace each other for ever.
class TakenOverError : public PlayError {
  public:
    using PlayError::PlayError;
};

/// The server rejects the bot, for example because of its token. Reconnecting does not help until
/// something is changed.
class RejectedError : public PlayError {
  public:
    explicit RejectedError(Rejection rejection)
        : PlayError("the referee rejects this bot: " + rejection.message + " (" + rejection.reason +
                    ")"),
          rejection_(std::move(rejection)) {}

    /// The error of the server. Its reason is, for example, "BAD_TOKEN".
    const Rejection& rejection() const { return rejection_; }

  private:
    Rejection rejection_;
};

}  // namespace referee
