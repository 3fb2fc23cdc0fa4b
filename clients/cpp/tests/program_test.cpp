// The program form. Each test runs in a process of its own, because a program blocks signals.
#include "referee/program.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <latch>

#include "referee_api/v1/play_service.grpc.pb.h"
#include "without_threads.h"

namespace referee {

namespace api = referee_api::v1;

namespace {

// Runs a program with these options, and ends the process with its exit status.
[[noreturn]] void run_and_exit(const Options& options) {
    for (const char* name : {"BOT_REFEREE", "BOT_TOKEN", "BOT_TOKEN_FILE", "BOT_CA"})
        unsetenv(name);
    std::exit(run_program([](const Turn& turn) { return turn.legal_moves.at(0); }, options));
}

// Opens one turn in each session, and does something when the bot has been called for it.
class OneTurnReferee : public referee_api::v1::PlayService::Service {
  public:
    using Stream = grpc::ServerReaderWriter<api::PlayResponse, api::PlayRequest>;

    OneTurnReferee(std::latch& called, std::function<void(Stream&)> then)
        : called_(called), then_(std::move(then)) {}

    grpc::Status Play(grpc::ServerContext*, Stream* stream) override {
        api::PlayResponse turn;
        turn.add_items()->mutable_turn()->set_match_id("m1");
        stream->Write(turn);
        called_.wait();
        then_(*stream);
        for (api::PlayRequest request; stream->Read(&request);) {
        }
        return grpc::Status::OK;
    }

  private:
    std::latch& called_;
    std::function<void(Stream&)> then_;
};

// Runs a program whose bot never returns from its first call.
[[noreturn]] void run_blocked_bot_and_exit(std::function<void(OneTurnReferee::Stream&)> then) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // In the threads of the server too.
    std::latch called(1);
    OneTurnReferee referee(called, std::move(then));
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&referee);
    const auto server = builder.BuildAndStart();
    Options options;
    options.address = "127.0.0.1:" + std::to_string(port);
    options.token = "secret";
    std::latch never(1);
    const auto choose = [&](const Turn&) -> Answer {
        called.count_down();
        never.wait();
        return "";
    };
    std::exit(run_program(choose, options));
}

}  // namespace

class Program : public testing::Test {
  protected:
    Program() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Program, AnInvalidSettingIsWrittenToStandardErrorAndEndsItWithStatus2) {
    EXPECT_EXIT(run_and_exit({}), testing::ExitedWithCode(MISCONFIGURED),
                "referee-client: BOT_REFEREE is not set");
}

TEST_F(Program, ACallThatDoesNotReturnDoesNotKeepItAliveAfterATakeover) {
    const auto take_over = [](OneTurnReferee::Stream& stream) {
        api::PlayResponse message;
        message.add_items()->mutable_session_taken_over();
        stream.Write(message);
    };
    EXPECT_EXIT(run_blocked_bot_and_exit(take_over), testing::ExitedWithCode(TAKEN_OVER),
                "has taken over its seats");
}

TEST_F(Program, ACallThatDoesNotReturnDoesNotKeepItAliveAfterASignal) {
    const auto stop = [](OneTurnReferee::Stream&) { kill(getpid(), SIGTERM); };
    EXPECT_EXIT(run_blocked_bot_and_exit(stop), testing::ExitedWithCode(STOPPED), "");
}

TEST_F(Program, AThreadThatCannotBeStartedEndsItWithStatus1) {
    const auto run = [] {
        const WithoutThreads without_threads;
        run_and_exit({});
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(FAILED), "referee-client: .*unavailable");
}

TEST_F(Program, ASignalEndsItWithStatus0) {
    Options options;
    options.address = "localhost:1";  // Nobody listens there.
    options.token = "secret";
    options.logger = [](LogLevel, const std::string& message) {
        std::cerr << message;
        kill(getpid(), SIGTERM);
    };
    EXPECT_EXIT(run_and_exit(options), testing::ExitedWithCode(STOPPED), "reconnecting in");
}

}  // namespace referee
