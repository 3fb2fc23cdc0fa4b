// One stream from Hello to its end, over a connection of its own.
#pragma once

#include <grpcpp/grpcpp.h>

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

    // How the stream that was opened has ended. Nothing may be said after it.
    grpc::Status end();

  private:
    void write();

    std::unique_ptr<api::PlayService::Stub> referee_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<api::PlayRequest, api::PlayResponse>> stream_;
    std::thread writer_;
    std::mutex mutex_;
    std::condition_variable changed_;
    api::PlayRequest to_say_;  // Guarded by mutex_, and so is over_.
    bool over_ = false;
};

}  // namespace referee
