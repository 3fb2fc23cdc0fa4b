#include "referee/program.h"

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <thread>

#include "player.h"
#include "settings.h"

namespace referee {

namespace {

// Requests a stop at the first signal, and ends the program at the second one. The signals must be
// blocked: one thread waits for them, because a signal handler must not call anything that ends a
// stream.
class SignalThread {
  public:
    explicit SignalThread(const sigset_t& signals) : thread_([this, signals] { run(signals); }) {}

    SignalThread(const SignalThread&) = delete;
    SignalThread& operator=(const SignalThread&) = delete;

    ~SignalThread() {
        finished_ = true;
        pthread_kill(thread_.native_handle(), SIGTERM);  // Ends its sigwait.
        thread_.join();
    }

    std::stop_token token() const { return stop_.get_token(); }

  private:
    void run(const sigset_t& signals) {
        int signal = 0;
        sigwait(&signals, &signal);
        stop_.request_stop();
        if (!finished_) sigwait(&signals, &signal);
        if (finished_) return;
        // Calls of the bot have not ended yet.
        std::signal(signal, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
        std::raise(signal);
    }

    std::stop_source stop_;
    std::atomic<bool> finished_ = false;
    std::thread thread_;
};

void write_line(LogLevel, const std::string& message) {
    // With a single call, so that lines of other threads are not mixed with it.
    std::cerr << "referee-client: " + message + "\n";
}

// The time that calls of the bot have to end when the play has ended.
const std::chrono::milliseconds CALL_GRACE{1'000};

// Plays, and returns the exit status. The program ends here if calls of the bot do not end in time.
int play_program(const Bots& bots, const Options& options, const std::stop_token& stop) {
    Player player(bots, options);
    int status = STOPPED;
    try {
        const std::stop_callback stopping(stop, [&player] { player.stop(); });
        player.play();
    } catch (const TakenOverError& error) {
        options.logger(LogLevel::error, error.what());
        status = TAKEN_OVER;
    } catch (const RejectedError& error) {
        options.logger(LogLevel::error, error.what());
        status = REJECTED;
    }
    if (!player.end_calls(CALL_GRACE)) std::_Exit(status);
    return status;
}

}  // namespace

int run_program(const Bots& bots, Options options) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // In all threads from here on.
    if (!options.logger) options.logger = write_line;
    const Logger logger = options.logger;
    try {
        const SignalThread signal_thread(signals);
        options.read_environment();
        check(options);
        return play_program(bots, options, signal_thread.token());
    } catch (const PlayError& error) {
        logger(LogLevel::error, error.what());
        return MISCONFIGURED;
    } catch (const std::exception& error) {  // Such as a thread that cannot be started.
        logger(LogLevel::error, error.what());
        return FAILED;
    }
}

}  // namespace referee
