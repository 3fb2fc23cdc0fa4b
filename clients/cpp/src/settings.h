// Settings from the environment: the address of the referee, and the identity of the bot.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace referee {

// A setting is invalid; the message says what is wrong.
class Misconfigured : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    // HOST:PORT.
    std::string referee;
    std::string token;
    // Whether to use TLS: not for this machine or with plaintext, but always with a CA file.
    bool tls;
    // The root certificates to trust, as PEM. Empty: those of the system.
    std::string root_certificates;
    std::string version;
    unsigned max_matches;
    // Whether the verdict on an accepted move may wait for the next turn.
    bool verdicts_with_turns;
};

// Returns the value of a variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// Reads the settings from `environment`. Throws Misconfigured.
Settings read_settings(const Environment& environment);

}  // namespace referee
