#include "session.h"

#include <sstream>
#include <utility>

namespace referee {

namespace {

// A position can have thousands of moves.
const int MAX_MESSAGE_BYTES = 64 << 20;

// The default heartbeat_timeout_ms of a referee.
const std::chrono::milliseconds WELCOME_WITHIN{15'000};

std::shared_ptr<grpc::Channel> channel(const Settings& settings) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(MAX_MESSAGE_BYTES);
    // Without it, the next connection would inherit the reconnect backoff of earlier failures.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = settings.roots;
    const auto credentials =
        settings.tls ? grpc::SslCredentials(tls) : grpc::InsecureChannelCredentials();
    return grpc::CreateCustomChannel(settings.referee, credentials, arguments);
}

}  // namespace

Session::Session(const Settings& settings)
    : referee_(api::PlayService::NewStub(channel(settings))), max_silence_(WELCOME_WITHIN) {
    context_.AddMetadata("authorization", "Bearer " + settings.token);
    watcher_ = std::thread(&Session::watch, this);
}

Session::~Session() {
    stop();
    watcher_.join();
}

void Session::say(api::BotItem item) {
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
    const bool more = stream_->Read(&heard);
    const std::lock_guard lock(mutex_);
    heard_at_ = Clock::now();
    return more;
}

void Session::welcomed(std::chrono::milliseconds max_silence) {
    const std::lock_guard lock(mutex_);
    if (max_silence.count() > 0) max_silence_ = max_silence;
    stopped_.notify_one();  // The new limit may be shorter than the current wait.
}

grpc::Status Session::end() {
    stop();
    writer_.join();
    const grpc::Status how = stream_->Finish();
    const std::lock_guard lock(mutex_);
    if (!silent_) return how;
    std::ostringstream why;
    why << "nothing was received for " << std::chrono::duration<double>(max_silence_).count()
        << " s";
    return grpc::Status(grpc::UNAVAILABLE, why.str());
}

void Session::stop() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_one();
    stopped_.notify_one();
}

void Session::watch() {
    std::unique_lock lock(mutex_);
    while (!over_ && !silent_) {
        const auto until = heard_at_ + max_silence_;
        silent_ = Clock::now() >= until;
        if (!silent_) stopped_.wait_until(lock, until);
    }
    if (silent_) context_.TryCancel();
}

void Session::write() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return over_ || to_say_.items_size() > 0; });
        if (over_) return;
        const api::PlayRequest together = std::exchange(to_say_, {});
        lock.unlock();
        // If it cannot be sent, the end of the stream is reported to the reader at the same time.
        const bool said = stream_->Write(together);
        lock.lock();
        if (!said) return;
    }
}

}  // namespace referee
