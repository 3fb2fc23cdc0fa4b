#include "conversion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "error_details.pb.h"

namespace referee {

namespace {

const std::chrono::milliseconds MAX_RETRY_AFTER{60'000}, DEFAULT_RETRY_AFTER{1'000};

std::map<std::string, std::string> to_map(
    const google::protobuf::Map<std::string, std::string>& fields) {
    return {fields.begin(), fields.end()};
}

// Returns the word for a value: FORFEIT_CAUSE_TIME is "time". It is empty for values that are
// unknown here.
std::string word_of(const std::string& name, const std::string& prefix) {
    std::string word = name.substr(std::min(prefix.size(), name.size()));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    return word;
}

std::string reason_of(const api::PlayedResult& played) {
    return played.reason().empty() ? word_of(api::Ending_Name(played.ending()), "ENDING_")
                                   : played.reason();
}

std::string reason_of(const api::ForfeitedResult& forfeited) {
    if (forfeited.forfeits().empty()) return "";
    return word_of(api::ForfeitCause_Name(forfeited.forfeits(0).cause()), "FORFEIT_CAUSE_");
}

std::string code_name(grpc::StatusCode code) {
    static const std::array<const char*, 17> names = {"OK",
                                                      "CANCELLED",
                                                      "UNKNOWN",
                                                      "INVALID_ARGUMENT",
                                                      "DEADLINE_EXCEEDED",
                                                      "NOT_FOUND",
                                                      "ALREADY_EXISTS",
                                                      "PERMISSION_DENIED",
                                                      "RESOURCE_EXHAUSTED",
                                                      "FAILED_PRECONDITION",
                                                      "ABORTED",
                                                      "OUT_OF_RANGE",
                                                      "UNIMPLEMENTED",
                                                      "INTERNAL",
                                                      "UNAVAILABLE",
                                                      "DATA_LOSS",
                                                      "UNAUTHENTICATED"};
    const auto number = static_cast<std::size_t>(code);
    return number < names.size() ? names[number] : "UNKNOWN";
}

Clock to_clock(const api::Clock& message) {
    Clock clock;
    clock.seat = message.seat();
    clock.running = message.running();
    if (message.has_time_left_us()) {
        clock.time_left = std::chrono::microseconds(message.time_left_us());
    }
    clock.main = std::chrono::microseconds(message.main_us());
    clock.period = std::chrono::microseconds(message.period_us());
    clock.periods_left = message.periods_left();
    clock.moves_left = message.moves_left();
    return clock;
}

}  // namespace

Turn to_turn(const api::Turn& message, const api::Rules& rules) {
    Turn turn;
    turn.match_id = message.match_id();
    turn.seat = message.seat();
    turn.token = message.turn_token();
    turn.game = rules.game();
    turn.options = to_map(rules.options());
    turn.ply = message.ply();
    turn.position = message.position();
    turn.view = message.view_json();
    for (const api::SeatMove& played : message.move_history()) {
        turn.history.push_back({played.seat(), played.move()});
    }
    turn.legal_moves.assign(message.legal_moves().begin(), message.legal_moves().end());
    turn.legal_moves_truncated = message.legal_moves_truncated();
    for (const api::Clock& clock : message.clocks()) turn.clocks.push_back(to_clock(clock));
    if (message.has_time_left_ms()) {
        turn.time_left = std::chrono::milliseconds(message.time_left_ms());
    }
    turn.attempts_left = message.attempts_left();
    turn.draw_offers.assign(message.draw_offer_seats().begin(), message.draw_offer_seats().end());
    turn.simultaneous = message.simultaneous();
    turn.repeated = message.repeated();
    return turn;
}

Rejection to_rejection(const api::ErrorDetail& detail) {
    const std::string prefix = "ERROR_REASON_";
    const std::string name = api::ErrorReason_Name(detail.reason());
    return {name.substr(std::min(prefix.size(), name.size())), detail.message(),
            to_map(detail.metadata())};
}

std::string message_of(const grpc::Status& status) {
    std::string message = status.error_message();
    const auto has = [&](const char* sign) { return message.find(sign) != std::string::npos; };
    if (!message.starts_with("failed to connect")) return message;
    if (has("Socket closed")) {
        message +=
            "; the server may use TLS at this port: set BOT_CA to the file of its "
            "certificate authority, or, for another machine with a public one, do not set "
            "BOT_PLAINTEXT";
    } else if (has("wrong version number") || has("WRONG_VERSION_NUMBER")) {  // BoringSSL's.
        message +=
            "; the server uses no TLS at this port: do not set BOT_CA, and for another "
            "machine set BOT_PLAINTEXT=1";
    }
    return message;
}

Rejection to_rejection(const grpc::Status& status) {
    Rejection rejection{code_name(status.error_code()), message_of(status), {}};
    referee_error::Status details;
    if (!details.ParseFromString(status.error_details())) return rejection;
    for (const referee_error::Detail& detail : details.details()) {
        referee_error::ErrorInfo info;
        if (!detail.type_url().ends_with("/google.rpc.ErrorInfo")) continue;
        if (!info.ParseFromString(detail.value())) continue;
        rejection.reason = info.reason();
        rejection.metadata = to_map(info.metadata());
    }
    return rejection;
}

std::optional<std::chrono::milliseconds> retry_after(const Rejection& rejection) {
    const auto found = rejection.metadata.find("retry_after_ms");
    if (found == rejection.metadata.end()) return std::nullopt;
    const std::string& text = found->second;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool valid = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() &&
                       number <= static_cast<std::uint64_t>(MAX_RETRY_AFTER.count());
    return valid ? std::chrono::milliseconds(number) : DEFAULT_RETRY_AFTER;
}

Match to_match(const api::Match& message) {
    Match match;
    match.id = message.id();
    match.game = message.terms().rules().game();
    match.options = to_map(message.terms().rules().options());
    match.seat_names.assign(message.seat_layout().seat_names().begin(),
                            message.seat_layout().seat_names().end());
    for (const auto& side : message.seat_layout().sides()) {
        match.sides.emplace_back(side.seats().begin(), side.seats().end());
    }
    for (const api::Seat& seat : message.seats()) match.bots.push_back(seat.bot());
    match.title = message.title();
    match.ladder = message.ladder();
    match.tournament = message.tournament();
    if (message.has_result()) match.result = to_result(message.result());
    return match;
}

Result to_result(const api::Result& message) {
    Result result;
    if (message.has_played()) {
        result.kind = Result::Kind::played;
        result.reason = reason_of(message.played());
    } else if (message.has_forfeited()) {
        result.kind = Result::Kind::forfeited;
        result.reason = reason_of(message.forfeited());
    } else {
        result.reason = word_of(api::VoidCause_Name(message.voided().cause()), "VOID_CAUSE_");
        return result;
    }
    for (const api::SeatResult& seat : message.seats()) {
        result.scores.push_back(seat.score());
        result.ranks.push_back(seat.rank());
    }
    return result;
}

}  // namespace referee
