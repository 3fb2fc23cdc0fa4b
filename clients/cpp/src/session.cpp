#include "session.h"

#include <sstream>
#include <utility>

#include "channel.h"

namespace referee {

namespace {

// The default heartbeat_timeout_ms of a referee, used until its Welcome arrives.
const std::chrono::milliseconds WELCOME_TIMEOUT{5'000};

}  // namespace

Session::Session(const Options& options)
    : stub_(api::PlayService::NewStub(create_channel(options, Pings::NONE))),
      heartbeat_timeout_(WELCOME_TIMEOUT) {
    context_.AddMetadata("authorization", authorization_of(options));
    silence_detector_ = std::thread(&Session::detect_silence, this);
    try {
        writer_ = std::thread(&Session::write_loop, this);
    } catch (...) {
        stop_threads();
        silence_detector_.join();
        throw;
    }
}

Session::~Session() {
    stop_threads();
    silence_detector_.join();
    if (writer_.joinable()) writer_.join();
}

void Session::send(api::BotItem item) {
    const std::lock_guard lock(mutex_);
    *outgoing_.add_items() = std::move(item);
    writer_wakeup_.notify_one();
}

Session::Hold::Hold(Session& session) : session_(session) {
    const std::lock_guard lock(session_.mutex_);
    session_.held_ = true;
}

Session::Hold::~Hold() {
    const std::lock_guard lock(session_.mutex_);
    session_.held_ = false;
    session_.writer_wakeup_.notify_one();
}

void Session::cancel() {
    context_.TryCancel();
}

void Session::open() {
    auto stream = stub_->Play(&context_);
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
    writer_wakeup_.notify_one();
}

bool Session::receive(api::PlayResponse& message) {
    const bool received = stream_->Read(&message);
    const std::lock_guard lock(mutex_);
    received_at_ = Clock::now();
    return received;
}

void Session::set_heartbeat_timeout(std::chrono::milliseconds timeout) {
    const std::lock_guard lock(mutex_);
    if (timeout.count() > 0) heartbeat_timeout_ = timeout;
    silence_detector_wakeup_.notify_one();  // The new limit may be shorter than the current wait.
}

grpc::Status Session::finish() {
    stop_threads();
    writer_.join();
    grpc::Status status = stream_->Finish();
    const std::lock_guard lock(mutex_);
    if (!timed_out_) return status;
    std::ostringstream reason;
    reason << "nothing was received for "
           << std::chrono::duration<double>(heartbeat_timeout_).count() << " s";
    return {grpc::UNAVAILABLE, reason.str()};
}

void Session::stop_threads() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    writer_wakeup_.notify_one();
    silence_detector_wakeup_.notify_one();
}

void Session::detect_silence() {
    std::unique_lock lock(mutex_);
    while (!stopping_ && !timed_out_) {
        const auto deadline = received_at_ + heartbeat_timeout_;
        timed_out_ = Clock::now() >= deadline;
        if (!timed_out_) silence_detector_wakeup_.wait_until(lock, deadline);
    }
    if (timed_out_) context_.TryCancel();
}

void Session::write_loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        writer_wakeup_.wait(lock, [this] {
            return stopping_ || (stream_ != nullptr && !held_ && outgoing_.items_size() > 0);
        });
        if (stopping_) return;
        const api::PlayRequest message = std::exchange(outgoing_, {});
        lock.unlock();
        // If it cannot be written, the reader gets the end of the stream at the same time.
        const bool written = stream_->Write(message);
        lock.lock();
        if (!written) return;
    }
}

}  // namespace referee
