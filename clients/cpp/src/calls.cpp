#include "calls.h"

#include "channel.h"
#include "conversion.h"
#include "nonces.h"
#include "settings.h"

namespace referee {

namespace {

// A retry sends the same request again, with the same request id. Five attempts are the maximum of
// gRPC.
const char RETRIES[] = R"({"methodConfig": [{"name": [{}], "retryPolicy": {
    "maxAttempts": 5, "initialBackoff": "0.5s", "maxBackoff": "10s", "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"]}}]})";

}  // namespace

std::string random_request_id() {
    static const char digits[] = "0123456789abcdef";
    std::string id;
    for (const unsigned char byte : random_nonce()) {
        id += digits[byte >> 4];
        id += digits[byte & 15];
    }
    return id;
}

Calls::Calls(const Options& options)
    : authorization_(authorization_of(options)),
      channel_(create_channel(options, RETRIES)),
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

void Calls::pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, duration, [] { return false; });
}

}  // namespace referee
