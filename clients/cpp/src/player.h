// Opens one session after the other, until it is stopped.
//
// The thread that calls play reads, each session has its own thread for writing, and the bots are
// called by an executor.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "protocol.h"
#include "session.h"

namespace referee {

// Counts tasks of an executor.
class Pending : public std::enable_shared_from_this<Pending> {
  public:
    // Counts a task until the last copy of the returned pointer is gone.
    std::shared_ptr<void> add();

    // Waits until there is none, or until the time has passed; returns whether there is none.
    bool wait(std::chrono::milliseconds limit);

  private:
    void remove();

    std::mutex mutex_;
    std::condition_variable none_left_;
    std::size_t tasks_ = 0;
};

// The default executor: all tasks run at the same time, as far as the system has threads for them.
class Threads {
  public:
    Threads() = default;
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

    // Waits until all tasks have ended.
    ~Threads();

    // Starts a task, which waits for the end of another one if there is no thread for it. Throws
    // std::system_error if no thread could be started at all.
    void start(std::function<void()> task);

  private:
    void run_tasks();

    std::mutex mutex_;
    std::condition_variable wakeup_;
    std::deque<std::function<void()>> waiting_;
    std::size_t idle_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

class Player {
  public:
    // The options must have been checked.
    Player(const Bots& bots, Options options);

    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;

    // Ends the calls of the bot, and waits for them.
    ~Player();

    // Returns when it is stopped. Throws TakenOverError or RejectedError.
    void play();

    // Thread-safe, and also permitted in callbacks of the program.
    void stop();

    // Tells all calls of the bot to end, and returns whether they have ended in time.
    bool end_calls(std::chrono::milliseconds limit);

  private:
    Options complete(Options options);
    Protocol::Callbacks callbacks();
    grpc::Status play_session();

    // These are called with mutex_ held.
    // Handles the items of a message. Returns the exception after which the play ends, if any.
    std::exception_ptr handle(const api::PlayResponse& message);
    void send(const api::BotItem& item);
    void choose(const std::shared_ptr<OpenTurn>& open_turn);
    void schedule(std::chrono::milliseconds delay, std::function<void()> event);

    // Recursive, because callbacks of the program, such as the logger, may stop the player.
    std::recursive_mutex mutex_;
    std::condition_variable_any wakeup_;
    bool stopped_ = false;
    Session* session_ = nullptr;
    std::mt19937 random_{std::random_device{}()};
    std::shared_ptr<Pending> pending_ = std::make_shared<Pending>();
    Options options_;
    Protocol protocol_;
    // Declared last, so that it is destroyed first: its threads use all members above.
    Threads threads_;
};

}  // namespace referee
