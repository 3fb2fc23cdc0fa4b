// One stream from Hello to its end, over its own connection.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "referee_api/v1/play_service.grpc.pb.h"
#include "settings.h"

namespace referee {

namespace api = referee_api::v1;

class Session {
  public:
    explicit Session(const Settings& settings);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Thread-safe. Items that are queued while a message is being sent go into one message.
    void say(api::BotItem item);

    // Thread-safe, also before or while it opens.
    void hang_up();

    // Opens the stream. Returns when the referee has been reached, or cannot be.
    void open();

    // Waits for the next message; false: the stream has ended.
    bool hear(api::PlayResponse& heard);

    // Sets the longest time for which the referee may be silent.
    void welcomed(std::chrono::milliseconds max_silence);

    // Returns how the opened stream has ended. Nothing may be sent after it.
    grpc::Status end();

  private:
    using Clock = std::chrono::steady_clock;

    void write();

    // Ends the stream when nothing was received for too long: the connection may be dead without
    // either end having noticed.
    void watch();
    void stop();

    std::unique_ptr<api::PlayService::Stub> referee_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<api::PlayRequest, api::PlayResponse>> stream_;
    std::thread writer_;
    std::thread watcher_;
    std::mutex mutex_;  // Guards all following members.
    std::condition_variable changed_;
    std::condition_variable stopped_;
    api::PlayRequest to_say_;
    std::chrono::milliseconds max_silence_;
    Clock::time_point heard_at_ = Clock::now();
    bool silent_ = false;
    bool over_ = false;
};

}  // namespace referee
