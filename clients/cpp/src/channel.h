// Connections to the server.
#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "referee/options.h"

namespace referee {

// Returns a channel of its own, with TLS if the options say so.
std::shared_ptr<grpc::Channel> create_channel(const Options& options);

// Returns the value of the metadata "authorization".
std::string authorization_of(const Options& options);

}  // namespace referee
