// Converts messages of the contract to the types of the library.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <optional>
#include <string>

#include "referee/turn.h"
#include "referee_api/v1/match.pb.h"
#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// Returns a turn. Rules are those of the match, which the turn may lack.
Turn to_turn(const api::Turn& message, const api::Rules& rules);
Rejection to_rejection(const api::ErrorDetail& detail);
// Returns the message, of a failed connection with what is likely wrong, which gRPC does not say.
std::string message_of(const grpc::Status& status);
// Details that are missing, malformed or unknown leave the name of the status code as the reason.
Rejection to_rejection(const grpc::Status& status);
// Returns the time after which a retry may succeed, or nothing if it is not known that one will.
std::optional<std::chrono::milliseconds> retry_after(const Rejection& rejection);
Match to_match(const api::Match& message);
Result to_result(const api::Result& message);

}  // namespace referee
