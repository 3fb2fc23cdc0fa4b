#include "session.h"

#include <utility>

namespace referee {

namespace {

// A position can have thousands of moves.
const int MESSAGE_AT_MOST_BYTES = 64 << 20;

std::shared_ptr<grpc::Channel> channel(const Settings& settings) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(MESSAGE_AT_MOST_BYTES);
    // Else the next connection would inherit the wait that this one's failures have earned.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = settings.roots;
    const auto credentials =
        settings.tls ? grpc::SslCredentials(tls) : grpc::InsecureChannelCredentials();
    return grpc::CreateCustomChannel(settings.referee, credentials, arguments);
}

}  // namespace

Session::Session(const Settings& settings)
    : referee_(api::PlayService::NewStub(channel(settings))) {
    context_.AddMetadata("authorization", "Bearer " + settings.token);
}

void Session::say(api::FromBot item) {
    const std::lock_guard lock(mutex_);
    *to_say_.add_items() = std::move(item);
    changed_.notify_one();
}

void Session::hang_up() {
    context_.TryCancel();
}

void Session::open() {
    stream_ = referee_->Play(&context_);
    writer_ = std::thread(&Session::write, this);
}

bool Session::hear(api::PlayResponse& heard) {
    return stream_->Read(&heard);
}

grpc::Status Session::end() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
        changed_.notify_one();
    }
    writer_.join();
    return stream_->Finish();
}

void Session::write() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return over_ || to_say_.items_size() > 0; });
        if (over_) return;
        const api::PlayRequest together = std::exchange(to_say_, {});
        lock.unlock();
        // If it cannot be said any more, the end of the stream is heard at the same time.
        const bool said = stream_->Write(together);
        lock.lock();
        if (!said) return;
    }
}

}  // namespace referee
