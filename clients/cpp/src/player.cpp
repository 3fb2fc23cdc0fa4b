#include "player.h"

#include <pthread.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

#include "utf8.h"

namespace referee {

using std::chrono::milliseconds;

namespace {

// No game has longer moves, and the referee rejects longer texts.
const std::size_t MAX_MOVE_CHARS = 1000;

// Writes a line with a single call, so that lines of other threads are not mixed with it.
void log(const std::string& message) {
    std::cerr << "referee-client: " + message + "\n";
}

// Returns a random number from 0 to 1.
double random_number() {
    static std::mt19937 generator{std::random_device{}()};
    return std::uniform_real_distribution<>(0, 1)(generator);
}

std::string in_seconds(milliseconds duration) {
    std::ostringstream text;
    text.precision(2);
    text << std::chrono::duration<double>(duration).count() << " s";
    return text.str();
}

}  // namespace

Player::Player(Bot& bot, Settings settings)
    : bot_(bot),
      settings_(std::move(settings)),
      nonces_([&bot](const api::NonceRequest& request) { return bot.nonce(request); }, log) {}

ExitStatus Player::play() {
    for (;;) {
        const grpc::Status status = play_session();
        std::unique_lock lock(mutex_);
        if (!exit_status_) on_end(status);
        if (exit_status_) return *exit_status_;
        const milliseconds pause = next_pause();
        log((status.ok() ? "the stream has ended" : status.error_message()) + "; reconnecting in " +
            in_seconds(pause));
        stopped_.wait_for(lock, pause, [this] { return exit_status_.has_value(); });
        if (exit_status_) return *exit_status_;
    }
}

void Player::stop() {
    const std::lock_guard lock(mutex_);
    stop_with(STOPPED);
}

grpc::Status Player::play_session() {
    Session session(settings_);
    {
        const std::lock_guard lock(mutex_);
        if (exit_status_) return grpc::Status::CANCELLED;
        session_ = &session;
        send(hello());
    }
    session.open();
    for (api::PlayResponse message; session.receive(message);) {
        const std::lock_guard lock(mutex_);
        for (const api::RefereeItem& item : message.items()) handle(item);
    }
    {
        const std::lock_guard lock(mutex_);
        session_ = nullptr;
    }
    return session.finish();
}

api::BotItem Player::hello() const {
    api::BotItem item;
    api::Hello& hello = *item.mutable_hello();
    hello.set_version(settings_.version);
    hello.set_max_matches(settings_.max_matches);
    hello.set_verdicts_with_turns(settings_.verdicts_with_turns);
    *hello.mutable_turn_options() = bot_.turn_options();
    hello.set_client("referee-client-cpp/" REFEREE_CLIENT_VERSION);
    return item;
}

void Player::handle(const api::RefereeItem& item) {
    switch (item.item_case()) {
        case api::RefereeItem::kPing: {
            api::BotItem pong;
            pong.mutable_pong()->set_id(item.ping().id());
            return send(pong);
        }
        case api::RefereeItem::kTurn:
            return perform(open_turns_.on_turn(item.turn()));
        case api::RefereeItem::kVerdict:
            return perform(open_turns_.on_verdict(item.verdict()));
        case api::RefereeItem::kTurnExpired:
            return open_turns_.on_turn_expired(item.turn_expired().match_id(),
                                               item.turn_expired().turn_token());
        case api::RefereeItem::kNonceRequest:
            return send(nonces_.on_request(item.nonce_request()));
        case api::RefereeItem::kMatchStarted:
            return nonces_.on_match_started(item.match_started().match().id(),
                                            item.match_started().match().seed_commitment());
        case api::RefereeItem::kMatchEnded:
            nonces_.on_match_ended(item.match_ended().match_id(),
                                   item.match_ended().seed_commitment());
            return open_turns_.on_match_ended(item.match_ended().match_id());
        case api::RefereeItem::kWelcome:
            return on_welcome(item.welcome());
        case api::RefereeItem::kDraining:
            reconnect_delay_ = milliseconds(item.draining().reconnect_delay_ms());
            return;
        case api::RefereeItem::kSessionTakenOver:
            log("a newer session of this bot has taken over its seats");
            return stop_with(TAKEN_OVER);
        case api::RefereeItem::kNotice:
            std::cerr << "referee: " + item.notice().message() + "\n";
            return;
        default:  // It needs no answer, or is unknown to this client.
            return;
    }
}

void Player::on_welcome(const api::Welcome& welcome) {
    backoff_.on_welcome(Backoff::Clock::now());
    session_->set_heartbeat_timeout(milliseconds(welcome.heartbeat_timeout_ms()));
    // Keep the version even if a newer one is registered later: the seats belong to it.
    settings_.version = welcome.version();
    log("connected to " + settings_.referee + " as " + welcome.bot() + ", version " +
        welcome.version());
}

milliseconds Player::next_pause() {
    const auto delay = std::exchange(reconnect_delay_, std::nullopt);
    return delay ? backoff_.after_draining(*delay, random_number())
                 : backoff_.next(Backoff::Clock::now(), random_number());
}

void Player::perform(const Action& action) {
    if (const auto* request = std::get_if<TurnRequest>(&action)) {
        start_task([this, request = *request] { choose(request); });
    } else if (const auto* answer = std::get_if<api::BotItem>(&action)) {
        send(*answer);
    } else if (const auto* resend = std::get_if<DelayedResend>(&action)) {
        start_task([this, resend = *resend] { resend_later(resend); });
    }
}

void Player::stop_with(ExitStatus exit_status) {
    if (exit_status_) return;
    exit_status_ = exit_status;
    open_turns_ = {};  // Cancels all turns.
    if (session_) session_->cancel();
    stopped_.notify_all();
}

void Player::on_end(const grpc::Status& status) {
    switch (status.error_code()) {
        // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
        case grpc::ABORTED:
            log(status.error_message());
            return stop_with(TAKEN_OVER);
        case grpc::UNAUTHENTICATED:
        case grpc::PERMISSION_DENIED:
        case grpc::INVALID_ARGUMENT:
            log(status.error_message());
            return stop_with(REJECTED);
        default:
            return;
    }
}

void Player::send(const api::BotItem& item) {
    // If there is no session, the turn will be repeated in the next one.
    if (session_) session_->send(item);
}

void Player::start_task(std::function<void()> task) {
    tasks_.remove_if([](const std::future<void>& started) {
        return started.wait_for(milliseconds(0)) == std::future_status::ready;
    });
    tasks_.push_back(std::async(std::launch::async, std::move(task)));
}

void Player::choose(const TurnRequest& request) {
    const api::BotItem chosen = answer(bot_, request);
    const std::lock_guard lock(mutex_);
    perform(open_turns_.set_answer(TurnId(request.turn), chosen));
}

void Player::resend_later(const DelayedResend& resend) {
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, resend.delay, [this] { return exit_status_.has_value(); })) return;
    perform(open_turns_.resend(resend.turn));
}

std::string sendable(const api::Turn& turn, const std::string& move) {
    const std::string subject =
        "match " + turn.match_id() + ", seat " + std::to_string(turn.seat()) + ": the answer ";
    const utf8::Text text = utf8::read(move, MAX_MOVE_CHARS + 1);
    if (!text.valid) log(subject + "is not valid UTF-8; the referee will reject it");
    if (text.chars > MAX_MOVE_CHARS) {
        log(subject + "has " + std::to_string(text.chars) + " characters, the limit is " +
            std::to_string(MAX_MOVE_CHARS) + "; the referee will reject it");
    }
    return text.prefix;
}

api::BotItem answer(Bot& bot, const TurnRequest& request) {
    const api::Turn& turn = request.turn;
    api::BotItem item;
    try {
        const std::string text = bot.choose(request);
        api::Move& move = *item.mutable_move();
        move.set_match_id(turn.match_id());
        move.set_turn_token(turn.turn_token());
        move.set_move(sendable(turn, text));
        return item;
    } catch (const std::exception& error) {
        log(std::string("the bot failed: ") + error.what());
    } catch (...) {
        log("the bot failed with an exception that is not a std::exception");
    }
    item.mutable_resignation()->set_match_id(turn.match_id());
    item.mutable_resignation()->set_seat(turn.seat());
    return item;
}

int run(Bot& bot) {
    // Block the signals in all threads from here on; one thread waits for them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    try {
        Player player(bot, read_settings([](const std::string& name) {
                          const char* text = std::getenv(name.c_str());
                          return text ? std::optional<std::string>(text) : std::nullopt;
                      }));
        std::thread signal_thread([&] {
            int signal = 0;
            sigwait(&signals, &signal);
            player.stop();
        });
        const ExitStatus status = player.play();
        pthread_kill(signal_thread.native_handle(), SIGTERM);  // Ends its sigwait.
        signal_thread.join();
        // If the bot takes long to stop, the next signal ends the program immediately.
        pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
        return status;
    } catch (const Misconfigured& error) {
        log(error.what());
        return MISCONFIGURED;
    }
}

}  // namespace referee
