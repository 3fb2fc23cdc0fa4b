// Connections to the server.
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "referee/options.h"

namespace referee {

// Whether a connection is tested while a call is open: a stream of an organiser may be silent for
// hours.
enum class Pings { NONE, REGULAR };

// Returns a channel of its own, with TLS if the options say so.
std::shared_ptr<grpc::Channel> create_channel(const Options& options, Pings pings);

// Returns the value of the metadata "authorization".
std::string authorization_of(const Options& options);

}  // namespace referee
