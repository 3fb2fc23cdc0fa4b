#include "retries.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "conversion.h"

namespace referee {

using std::chrono::milliseconds;

namespace {

const int MAX_ATTEMPTS = 5;
const milliseconds MAX_RETRY_AFTER{60'000}, DEFAULT_RETRY_AFTER{1'000};

bool is_temporary(const grpc::Status& status) {
    return status.error_code() == grpc::UNAVAILABLE || retry_after(to_rejection(status));
}

}  // namespace

std::optional<milliseconds> retry_after(const Rejection& rejection) {
    const auto found = rejection.metadata.find("retry_after_ms");
    if (found == rejection.metadata.end()) return std::nullopt;
    const std::string& text = found->second;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool valid = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() &&
                       number <= static_cast<std::uint64_t>(MAX_RETRY_AFTER.count());
    return valid ? milliseconds(number) : DEFAULT_RETRY_AFTER;
}

Retries::Retries(Pause pause, std::function<double()> random)
    : pause_(std::move(pause)), random_(std::move(random)) {}

grpc::Status Retries::repeat(const std::function<grpc::Status()>& attempt) {
    for (int attempts = 1;; ++attempts) {
        grpc::Status status = attempt();
        if (status.ok() || attempts == MAX_ATTEMPTS || !is_temporary(status)) return status;
        pause_after(status);
    }
}

void Retries::pause_after(const grpc::Status& failure) {
    const milliseconds asked = retry_after(to_rejection(failure)).value_or(milliseconds(0));
    pause_(asked.count() > 0 ? asked : backoff_.next(Backoff::Clock::now(), false, random_()));
}

}  // namespace referee
