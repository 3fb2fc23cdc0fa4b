// What the environment says: where the referee is, and who the bot is.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace referee {

// Settings that cannot be; it says what is wrong.
class Misconfigured : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Settings {
    // HOST:PORT.
    std::string referee;
    std::string token;
    // TLS, unless the host is this machine, or plaintext is permitted; with roots in any case.
    bool tls;
    // The roots to trust, as PEM. Empty: the system's.
    std::string roots;
    std::string version;
    unsigned matches_at_most;
};

// Gives the value of a variable, or nothing.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// The settings in `environment`. Throws Misconfigured.
Settings read_settings(const Environment& environment);

}  // namespace referee
