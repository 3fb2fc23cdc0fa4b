// One stream from Hello to its end, over a connection of its own.
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

    // From any thread. What comes up while the last message is on its way travels together.
    void say(api::FromBot item);

    // From any thread, also before or while it opens.
    void hang_up();

    // Opens the stream. Waits until the referee is reached, or is not.
    void open();

    // Waits for the next message; false: the stream has ended.
    bool hear(api::PlayResponse& heard);

    // By a referee that is never silent for so long.
    void welcomed(std::chrono::milliseconds max_silence);

    // How the stream that was opened has ended. Nothing may be said after it.
    grpc::Status end();

  private:
    using Clock = std::chrono::steady_clock;

    void write();

    // Gives the stream up when nothing was received for too long: the connection may be dead
    // without either end having been told.
    void watch();
    void stop();

    std::unique_ptr<api::PlayService::Stub> referee_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<api::PlayRequest, api::PlayResponse>> stream_;
    std::thread writer_;
    std::thread watcher_;
    std::mutex mutex_;  // Guards all that follows.
    std::condition_variable changed_;
    std::condition_variable stopped_;
    api::PlayRequest to_say_;
    std::chrono::milliseconds max_silence_;
    Clock::time_point heard_at_ = Clock::now();
    bool silent_ = false;
    bool over_ = false;
};

}  // namespace referee
