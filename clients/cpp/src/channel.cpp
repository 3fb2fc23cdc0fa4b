#include "channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "settings.h"

namespace referee {

namespace {

// A position can have thousands of moves.
const int MAX_MESSAGE_BYTES = 64 << 20;

const int PING_INTERVAL_MS = 20'000;
const int PING_TIMEOUT_MS = 10'000;

}  // namespace

std::shared_ptr<grpc::Channel> create_channel(const Options& options, Pings pings) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(MAX_MESSAGE_BYTES);
    // Otherwise, the next connection would inherit the reconnect backoff of earlier failures.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    if (pings == Pings::REGULAR) {
        arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, PING_INTERVAL_MS);
        arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, PING_TIMEOUT_MS);
        // Without it, the timeout above has no effect.
        arguments.SetInt("grpc.http2.ping_timeout_ms", PING_TIMEOUT_MS);
        arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
    }
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = options.root_certificates;
    const auto credentials =
        uses_tls(options) ? grpc::SslCredentials(tls) : grpc::InsecureChannelCredentials();
    return grpc::CreateCustomChannel(options.address, credentials, arguments);
}

std::string authorization_of(const Options& options) {
    return "Bearer " + options.token;
}

}  // namespace referee
