#include "referee/organiser.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <string_view>

#include "backoff.h"
#include "channel.h"
#include "conversion.h"
#include "settings.h"

namespace referee {

namespace {

const int MAX_ATTEMPTS = 5;

const Options& checked(const Options& options) {
    check(options);
    return options;
}

// Waits until the time is over or a stop is requested.
void pause_for(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, duration, [] { return false; });
}

// Returns whether a watch may continue. A watcher that is too slow gets RESOURCE_EXHAUSTED.
bool is_interruption(grpc::StatusCode code) {
    return code == grpc::UNAVAILABLE || code == grpc::UNKNOWN || code == grpc::INTERNAL ||
           code == grpc::RESOURCE_EXHAUSTED;
}

}  // namespace

Organiser::Organiser(const Options& options)
    : authorization_(authorization_of(checked(options))),
      channel_(create_channel(options, Pings::REGULAR)) {}

std::string Organiser::new_request_id() {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string id;
    for (const unsigned char byte : random_nonce()) {
        id += digits[byte >> 4];
        id += digits[byte & 15];
    }
    return id;
}

void Organiser::repeat(const Attempt& attempt, const bool* progress,
                       const std::stop_token& stop) const {
    std::mt19937 generator(std::random_device{}());
    Backoff backoff;
    for (int attempts = 1; !stop.stop_requested(); ++attempts) {
        grpc::ClientContext context;
        context.AddMetadata("authorization", authorization_);
        const grpc::Status status = attempt(context);
        if (status.ok()) return;
        const Rejection rejection = to_rejection(status);
        const auto asked = retry_after(rejection);
        const bool temporary =
            progress != nullptr
                ? is_interruption(status.error_code())
                : attempts < MAX_ATTEMPTS && (asked || status.error_code() == grpc::UNAVAILABLE);
        if (!temporary) throw CallError(rejection);
        if (progress != nullptr && *progress) backoff = {};
        const double random = std::uniform_real_distribution<>(0, 1)(generator);
        pause_for(asked && asked->count() > 0 ? *asked
                                              : backoff.next(Backoff::Clock::now(), false, random),
                  stop);
    }
}

}  // namespace referee
