#include "channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include "settings.h"

namespace referee {

namespace {

// A position can have thousands of moves.
const int MAX_MESSAGE_BYTES = 64 << 20;

}  // namespace

std::shared_ptr<grpc::Channel> create_channel(const Options& options) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(MAX_MESSAGE_BYTES);
    // Otherwise, the next connection would inherit the reconnect backoff of earlier failures.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
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
