// The program form. Each test runs in a process of its own, because a program blocks signals.
#include "referee/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace referee {

namespace {

// Runs a program with these options, and ends the process with its exit status.
[[noreturn]] void run_and_exit(const Options& options) {
    for (const char* name : {"BOT_REFEREE", "BOT_TOKEN", "BOT_TOKEN_FILE", "BOT_CA"})
        unsetenv(name);
    std::exit(run_program([](const Turn& turn) { return turn.legal_moves.at(0); }, options));
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
