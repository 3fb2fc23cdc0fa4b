#include "settings.h"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <regex>
#include <sstream>

namespace referee {

namespace {

const unsigned DEFAULT_MAX_MATCHES = 1;

std::optional<std::string> given(const Environment& environment, const std::string& name) {
    const auto text = environment(name);
    return text && !text->empty() ? text : std::nullopt;
}

std::string needed(const Environment& environment, const std::string& name) {
    if (const auto text = given(environment, name)) return *text;
    throw Misconfigured(name + " is not set");
}

// Returns the number that a text contains, or nothing.
template <typename Number>
std::optional<Number> number(const std::string& text) {
    Number value = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::string host_of(const std::string& referee) {
    const auto colon = referee.rfind(':');
    if (colon == std::string::npos || colon == 0 ||
        !number<std::uint16_t>(referee.substr(colon + 1))) {
        throw Misconfigured("BOT_REFEREE is not HOST:PORT: " + referee);
    }
    const std::string host = referee.substr(0, colon);
    return host.front() == '[' ? host.substr(1, host.size() - 2) : host;
}

bool is_loopback(const std::string& host) {
    // Match the whole host: a name that merely begins like an address may be another machine.
    static const std::regex loopback(R"(localhost|::1|127(\.\d{1,3}){3})");
    return std::regex_match(host, loopback);
}

// Returns the content of `file`, which the variable `name` refers to.
std::string contents(const std::string& name, const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    if (!stream || !(text << stream.rdbuf())) {
        throw Misconfigured(name + " cannot be read: " + file);
    }
    return text.str();
}

// Returns BOT_TOKEN, or else the content of the file that BOT_TOKEN_FILE names.
std::string token(const Environment& environment) {
    const auto file = given(environment, "BOT_TOKEN_FILE");
    if (given(environment, "BOT_TOKEN") || !file) return needed(environment, "BOT_TOKEN");
    const std::string text = contents("BOT_TOKEN_FILE", *file);
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

unsigned max_matches(const Environment& environment) {
    const auto text = given(environment, "BOT_MAX_MATCHES");
    if (!text) return DEFAULT_MAX_MATCHES;
    if (const auto many = number<unsigned>(*text)) return *many;
    throw Misconfigured("BOT_MAX_MATCHES is no number: " + *text);
}

}  // namespace

Settings read_settings(const Environment& environment) {
    Settings settings;
    settings.referee = needed(environment, "BOT_REFEREE");
    settings.token = token(environment);
    const auto roots = given(environment, "BOT_CA");
    const bool plaintext = given(environment, "BOT_PLAINTEXT") == "1";
    settings.tls = !(plaintext || is_loopback(host_of(settings.referee))) || roots;
    if (roots) settings.roots = contents("BOT_CA", *roots);
    settings.version = given(environment, "BOT_VERSION").value_or("");
    settings.max_matches = max_matches(environment);
    settings.verdicts_with_turns = given(environment, "BOT_VERDICTS_WITH_TURNS") == "1";
    return settings;
}

}  // namespace referee
