#include "player.h"

#include <sstream>
#include <system_error>
#include <utility>

#include "conversion.h"
#include "referee/play.h"
#include "settings.h"

namespace referee {

using std::chrono::milliseconds;

namespace {

std::string in_seconds(milliseconds duration) {
    std::ostringstream text;
    text.precision(2);
    text << std::chrono::duration<double>(duration).count() << " s";
    return text.str();
}

}  // namespace

std::shared_ptr<void> Pending::add() {
    {
        const std::lock_guard lock(mutex_);
        ++tasks_;
    }
    return {nullptr, [self = shared_from_this()](std::nullptr_t) { self->remove(); }};
}

void Pending::remove() {
    const std::lock_guard lock(mutex_);
    if (--tasks_ == 0) none_left_.notify_all();
}

bool Pending::wait(milliseconds limit) {
    std::unique_lock lock(mutex_);
    return none_left_.wait_for(lock, limit, [this] { return tasks_ == 0; });
}

Threads::~Threads() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wakeup_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Threads::start(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
    if (idle_ >= waiting_.size()) return wakeup_.notify_one();
    try {
        threads_.emplace_back(&Threads::run_tasks, this);
    } catch (const std::system_error&) {
        if (!threads_.empty()) return;
        waiting_.pop_back();
        throw;
    }
}

void Threads::run_tasks() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++idle_;
        wakeup_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        std::function<void()> task = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        try {
            task();
        } catch (...) {  // Of the program's logger: what a bot throws is reported to it.
        }
        task = nullptr;
        lock.lock();
    }
}

Player::Player(const Bots& bots, Options options)
    : options_(complete(std::move(options))), protocol_(bots, options_, callbacks()) {}

Player::~Player() {
    while (!end_calls(milliseconds(1000))) {
    }
}

bool Player::end_calls(milliseconds limit) {
    stop();
    {
        const std::lock_guard lock(mutex_);
        protocol_.stop();
    }
    return pending_->wait(limit);
}

void Player::play() {
    for (;;) {
        const grpc::Status status = play_session();
        std::unique_lock lock(mutex_);
        if (stopped_) return;
        Protocol::on_end(status);
        const double random = std::uniform_real_distribution<>(0, 1)(random_);
        const milliseconds pause = protocol_.next_pause(Backoff::Clock::now(), random);
        const std::string reason = status.ok() ? "the stream has ended" : message_of(status);
        options_.logger(LogLevel::warning,
                        "disconnected: " + reason + "; reconnecting in " + in_seconds(pause));
        wakeup_.wait_for(lock, pause, [this] { return stopped_; });
        if (stopped_) return;
    }
}

void Player::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (session_) session_->cancel();
    wakeup_.notify_all();
}

// Sets the options that have a default, and lets the executor count its tasks.
Options Player::complete(Options options) {
    if (!options.logger) options.logger = [](LogLevel, const std::string&) {};
    if (!options.nonce) options.nonce = [](const std::string&, unsigned) { return random_nonce(); };
    if (!options.executor) {
        options.executor = [this](std::function<void()> task) { threads_.start(std::move(task)); };
    }
    options.executor = [executor = options.executor, pending = pending_](auto task) {
        executor([task = std::move(task), counted = pending->add()]() mutable {
            const auto until_done = std::move(counted);
            task();
        });
    };
    return options;
}

Protocol::Callbacks Player::callbacks() {
    Protocol::Callbacks callbacks;
    callbacks.choose = [this](const std::shared_ptr<OpenTurn>& open_turn) { choose(open_turn); };
    callbacks.send = [this](const api::BotItem& item) { send(item); };
    callbacks.schedule = [this](milliseconds delay, std::function<void()> event) {
        schedule(delay, std::move(event));
    };
    callbacks.set_heartbeat_timeout = [this](milliseconds timeout) {
        session_->set_heartbeat_timeout(timeout);
    };
    return callbacks;
}

grpc::Status Player::play_session() {
    // Forgets the session before it is destroyed.
    struct Registration {
        Registration(Player& player, Session& session) : player(player) {
            const std::lock_guard lock(player.mutex_);
            player.session_ = &session;
            player.send(player.protocol_.start_session());
            if (player.stopped_) session.cancel();
        }
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;
        ~Registration() {
            const std::lock_guard lock(player.mutex_);
            player.session_ = nullptr;
        }
        Player& player;
    };
    std::unique_ptr<Session> session;
    try {
        session = std::make_unique<Session>(options_);
    } catch (const std::system_error& failure) {
        return {grpc::UNAVAILABLE, std::string("no thread can be started: ") + failure.what()};
    }
    std::exception_ptr error;
    {
        const Registration registration(*this, *session);
        session->open();
        for (api::PlayResponse message; session->receive(message);) {
            const std::lock_guard lock(mutex_);
            if (!error) error = handle(message);
            if (error) session->cancel();
        }
    }
    grpc::Status status = session->finish();
    if (error) std::rethrow_exception(error);
    return status;
}

std::exception_ptr Player::handle(const api::PlayResponse& message) {
    const Session::Hold hold(*session_);
    try {
        for (const api::RefereeItem& item : message.items()) protocol_.on_item(item);
        return nullptr;
    } catch (...) {  // Also those of the executor and of the logger.
        return std::current_exception();
    }
}

void Player::send(const api::BotItem& item) {
    // If there is no session, the turn will be repeated in the next one.
    if (session_) session_->send(item);
}

void Player::choose(const std::shared_ptr<OpenTurn>& open_turn) {
    protocol_.seats().choose(open_turn, [this, open_turn](api::BotItem answer) {
        const std::lock_guard lock(mutex_);
        protocol_.on_answer(*open_turn, std::move(answer));
    });
}

void Player::schedule(milliseconds delay, std::function<void()> event) {
    threads_.start([this, delay, event = std::move(event)] {
        std::unique_lock lock(mutex_);
        if (!wakeup_.wait_for(lock, delay, [this] { return stopped_; })) event();
    });
}

void play(const Bots& bots, Options options, const std::stop_token& stop) {
    check(options);
    Player player(bots, std::move(options));
    const std::stop_callback stopping(stop, [&player] { player.stop(); });
    player.play();
}

}  // namespace referee
