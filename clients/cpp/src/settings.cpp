#include "settings.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <regex>
#include <sstream>

namespace referee {

namespace {

const unsigned DEFAULT_MAX_MATCHES = 1;

std::optional<std::string> optional(const Environment& environment, const std::string& name) {
    const auto text = environment(name);
    return text && !text->empty() ? text : std::nullopt;
}

std::string required(const Environment& environment, const std::string& name) {
    if (const auto text = optional(environment, name)) return *text;
    throw Misconfigured(name + " is not set");
}

// Returns the number that the whole text represents, or nothing.
template <typename Number>
std::optional<Number> parse_number(const std::string& text) {
    Number value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

std::string host_of(const std::string& referee) {
    const auto colon = referee.rfind(':');
    if (colon == std::string::npos || colon == 0 ||
        !parse_number<std::uint16_t>(referee.substr(colon + 1))) {
        throw Misconfigured("BOT_REFEREE is not HOST:PORT: " + referee);
    }
    const std::string host = referee.substr(0, colon);
    return host.front() == '[' ? host.substr(1, host.size() - 2) : host;
}

bool is_loopback(const std::string& host) {
    // Match the whole host: a name that only begins like an address may be another machine.
    static const std::regex loopback(R"(localhost|::1|127(\.\d{1,3}){3})");
    return std::regex_match(host, loopback);
}

// Returns the content of `file`, which is the value of the variable `name`.
std::string read_file(const std::string& name, const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf())) {
        throw Misconfigured(name + " cannot be read: " + file);
    }
    return text.str();
}

// Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names.
std::string token(const Environment& environment) {
    const auto file = optional(environment, "BOT_TOKEN_FILE");
    if (optional(environment, "BOT_TOKEN") || !file) return required(environment, "BOT_TOKEN");
    const std::string text = read_file("BOT_TOKEN_FILE", *file);
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

unsigned max_matches(const Environment& environment) {
    const auto text = optional(environment, "BOT_MAX_MATCHES");
    if (!text) return DEFAULT_MAX_MATCHES;
    if (const auto number = parse_number<unsigned>(*text)) return *number;
    throw Misconfigured("BOT_MAX_MATCHES is not a number: " + *text);
}

}  // namespace

Settings read_settings(const Environment& environment) {
    Settings settings;
    settings.referee = required(environment, "BOT_REFEREE");
    settings.token = token(environment);
    const auto ca_file = optional(environment, "BOT_CA");
    const bool plaintext = optional(environment, "BOT_PLAINTEXT") == "1";
    settings.tls = !(plaintext || is_loopback(host_of(settings.referee))) || ca_file;
    if (ca_file) settings.root_certificates = read_file("BOT_CA", *ca_file);
    settings.version = optional(environment, "BOT_VERSION").value_or("");
    settings.max_matches = max_matches(environment);
    settings.verdicts_with_turns = optional(environment, "BOT_VERDICTS_WITH_TURNS") == "1";
    return settings;
}

}  // namespace referee
