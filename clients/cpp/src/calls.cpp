#include "calls.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <string_view>

#include "channel.h"
#include "conversion.h"
#include "nonces.h"
#include "settings.h"

namespace referee {

std::string random_request_id() {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string id;
    for (const unsigned char byte : random_nonce()) {
        id += digits[byte >> 4];
        id += digits[byte & 15];
    }
    return id;
}

Calls::Calls(const Options& options)
    : authorization_(authorization_of(options)),
      channel_(create_channel(options, Pings::REGULAR)),
      bots(api::BotService::NewStub(channel_)),
      ladders(api::LadderService::NewStub(channel_)),
      matches(api::MatchService::NewStub(channel_)),
      tournaments(api::TournamentService::NewStub(channel_)) {}

void Calls::prepare(grpc::ClientContext& context) const {
    context.AddMetadata("authorization", authorization_);
}

void Calls::throw_unless_ok(const grpc::Status& status) {
    if (!status.ok()) throw CallError(to_rejection(status));
}

bool Calls::is_interruption(const grpc::Status& status) {
    switch (status.error_code()) {
        case grpc::UNAVAILABLE:
        case grpc::UNKNOWN:
        case grpc::INTERNAL:
        case grpc::RESOURCE_EXHAUSTED:
            return true;
        default:
            return false;
    }
}

Retries Calls::make_retries(const std::stop_token& stop) {
    const auto wait = [stop](std::chrono::milliseconds duration) {
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, stop, duration, [] { return false; });
    };
    const auto random = [generator = std::mt19937(std::random_device{}())]() mutable {
        return std::uniform_real_distribution<>(0, 1)(generator);
    };
    return {wait, random};
}

}  // namespace referee
