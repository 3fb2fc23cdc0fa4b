// One stream from Hello to its end, over its own connection.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "referee/options.h"
#include "referee_api/v1/play_service.grpc.pb.h"

namespace referee {

namespace api = referee_api::v1;

class Session {
  public:
    explicit Session(const Options& options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Thread-safe. Items that are queued while a message is being sent go into one message.
    void send(api::BotItem item);

    // Sends nothing as long as it exists, so that the answers to one message go into one message.
    class Hold {
      public:
        explicit Hold(Session& session);
        ~Hold();
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;

      private:
        Session& session_;
    };

    // Ends the stream. Thread-safe, also before and during open.
    void cancel();

    // Opens the stream. Returns when the connection has been made or has failed.
    void open();

    // Waits for the next message. Returns false if the stream has ended.
    bool receive(api::PlayResponse& message);

    // Sets the longest time without a message from the referee. Zero changes nothing.
    void set_heartbeat_timeout(std::chrono::milliseconds timeout);

    std::chrono::milliseconds heartbeat_timeout() const { return heartbeat_timeout_; }

    // Returns the status of an opened stream that has ended. Nothing may be sent afterwards.
    grpc::Status finish();

  private:
    using Clock = std::chrono::steady_clock;

    // Run by `writer_`: sends what is queued.
    void write_loop();

    // Run by `silence_detector_`. Ends the stream if nothing was received for too long: the
    // connection may be dead without either end having noticed.
    void detect_silence();
    void stop_threads();

    std::unique_ptr<api::PlayService::Stub> stub_;
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReaderWriter<api::PlayRequest, api::PlayResponse>> stream_;
    std::thread writer_;
    std::thread silence_detector_;
    std::mutex mutex_;  // Guards all following members.
    std::condition_variable writer_wakeup_;
    std::condition_variable silence_detector_wakeup_;
    api::PlayRequest outgoing_;
    std::chrono::milliseconds heartbeat_timeout_;
    Clock::time_point received_at_ = Clock::now();
    bool timed_out_ = false;
    bool held_ = false;
    bool stopping_ = false;
};

}  // namespace referee
