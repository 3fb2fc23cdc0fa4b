#include "settings.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <string_view>

namespace referee {

namespace {

const unsigned MAX_PORT = 65'535;
const std::string_view WHITE_SPACE = " \t\r\n\v\f";

// Returns the number that the whole text represents in decimal digits, or nothing.
std::optional<std::uint32_t> parse_number(const std::string& text) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end ? std::optional(value) : std::nullopt;
}

void check_address(const std::string& address) {
    if (address.empty()) {
        throw SettingError("BOT_REFEREE",
                           "is not set: it is the address of the referee, HOST:PORT");
    }
    // A host is a name, an IPv4 address, or an IPv6 address in brackets.
    static const std::regex host_port(R"((?:[^\s:/\[\]]+|\[[^\s/\[\]]+\]):([0-9]+))");
    std::smatch found;
    if (!std::regex_match(address, found, host_port)) {
        throw SettingError("BOT_REFEREE", "is not HOST:PORT: " + address);
    }
    const auto port = parse_number(found[1]);
    if (!port || *port == 0 || *port > MAX_PORT) {
        throw SettingError("BOT_REFEREE", "has no port from 1 to 65535: " + address);
    }
}

void check_token(const std::string& token) {
    if (token.empty()) throw SettingError("BOT_TOKEN", "is not set");
    if (std::any_of(token.begin(), token.end(), [](char c) { return c < ' ' || c > '~'; })) {
        throw SettingError("BOT_TOKEN",
                           "has characters that no token has, such as the end of a line");
    }
}

bool has_certificate(const std::string& pem) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> bytes(
        BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(bytes.get(), nullptr, nullptr, nullptr), X509_free);
    return certificate != nullptr;
}

// Returns the content of the file that the variable names.
std::string read_file(const std::string& variable, const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream text;
    if (stream && stream.peek() == std::ifstream::traits_type::eof()) return "";
    if (!stream || !(text << stream.rdbuf())) {
        throw SettingError(variable, "cannot be read: " + file);
    }
    return text.str();
}

std::string read_token(const std::string& file) {
    const std::string text = read_file("BOT_TOKEN_FILE", file);
    const auto start = text.find_first_not_of(WHITE_SPACE);
    if (start == std::string::npos) throw SettingError("BOT_TOKEN_FILE", "is empty: " + file);
    return text.substr(start, text.find_last_not_of(WHITE_SPACE) + 1 - start);
}

std::string read_certificates(const std::string& file) {
    std::string pem = read_file("BOT_CA", file);
    if (!has_certificate(pem)) throw SettingError("BOT_CA", "has no certificate: " + file);
    return pem;
}

std::uint32_t parse_max_matches(const std::string& text) {
    if (const auto number = parse_number(text)) return *number;
    throw SettingError("BOT_MAX_MATCHES", "is not a number of matches: " + text);
}

bool is_loopback(const std::string& address) {
    // Match the whole host: a name that only begins like an address may be another machine.
    static const std::regex loopback(R"((localhost|\[::1\]|127(\.\d{1,3}){3}):\d+)");
    return std::regex_match(address, loopback);
}

}  // namespace

void Options::read_environment() {
    read_environment([](const std::string& name) {
        const char* text = std::getenv(name.c_str());
        return text ? std::optional<std::string>(text) : std::nullopt;
    });
}

void Options::read_environment(const Environment& environment) {
    const auto value = [&](const char* name) {
        const auto text = environment(name);
        return text && !text->empty() ? text : std::nullopt;
    };
    if (const auto text = value("BOT_REFEREE")) address = *text;
    if (const auto text = value("BOT_TOKEN")) {
        token = *text;
    } else if (const auto file = value("BOT_TOKEN_FILE")) {
        token = read_token(*file);
    }
    if (const auto file = value("BOT_CA")) root_certificates = read_certificates(*file);
    if (value("BOT_PLAINTEXT") == "1") plaintext = true;
    if (const auto text = value("BOT_VERSION")) version = *text;
    if (const auto text = value("BOT_MAX_MATCHES")) max_matches = parse_max_matches(*text);
    if (value("BOT_VERDICTS_WITH_TURNS") == "1") verdicts_with_turns = true;
}

void check(const Options& options) {
    check_address(options.address);
    check_token(options.token);
    if (!options.root_certificates.empty() && !has_certificate(options.root_certificates)) {
        throw SettingError("BOT_CA", "has no certificate");
    }
}

bool uses_tls(const Options& options) {
    return !options.root_certificates.empty() ||
           !(options.plaintext || is_loopback(options.address));
}

}  // namespace referee
