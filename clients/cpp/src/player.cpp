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
const std::size_t MOVE_CHARS = 1000;

// Writes a line at once, so that lines of other threads are not mixed with it.
void complain(const std::string& sentence) {
    std::cerr << "referee-client: " + sentence + "\n";
}

double chance() {
    static std::mt19937 generator{std::random_device{}()};
    return std::uniform_real_distribution<>(0, 1)(generator);
}

std::string in_seconds(milliseconds wait) {
    std::ostringstream text;
    text.precision(2);
    text << std::chrono::duration<double>(wait).count() << " s";
    return text.str();
}

}  // namespace

Player::Player(Bot& bot, Settings settings) : bot_(bot), settings_(std::move(settings)) {}

Status Player::play() {
    for (;;) {
        const grpc::Status how = play_session();
        std::unique_lock lock(mutex_);
        if (!status_) ended(how);
        if (status_) return *status_;
        const milliseconds wait = next_wait();
        complain((how.ok() ? "the stream has ended" : how.error_message()) + "; back in " +
                 in_seconds(wait));
        if (changed_.wait_for(lock, wait, [this] { return status_.has_value(); })) return *status_;
    }
}

void Player::stop() {
    const std::lock_guard lock(mutex_);
    end(STOPPED);
}

grpc::Status Player::play_session() {
    Session session(settings_);
    {
        const std::lock_guard lock(mutex_);
        if (status_) return grpc::Status::CANCELLED;
        session_ = &session;
        say(hello());
    }
    session.open();
    for (api::PlayResponse heard; session.hear(heard);) {
        const std::lock_guard lock(mutex_);
        for (const api::RefereeItem& said : heard.items()) hear(said);
    }
    {
        const std::lock_guard lock(mutex_);
        session_ = nullptr;
    }
    return session.end();
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

void Player::hear(const api::RefereeItem& said) {
    switch (said.item_case()) {
        case api::RefereeItem::kPing: {
            api::BotItem item;
            item.mutable_pong()->set_id(said.ping().id());
            return say(item);
        }
        case api::RefereeItem::kTurn:
            return follow(desk_.asked(said.turn()));
        case api::RefereeItem::kVerdict:
            return follow(desk_.judged(said.verdict()));
        case api::RefereeItem::kTurnExpired:
            return desk_.lapsed(said.turn_expired().match_id(), said.turn_expired().turn_token());
        case api::RefereeItem::kMatchEnded:
            return desk_.ended(said.match_ended().match_id());
        case api::RefereeItem::kWelcome:
            return welcomed(said.welcome());
        case api::RefereeItem::kDraining:
            away_ = milliseconds(said.draining().reconnect_delay_ms());
            return;
        case api::RefereeItem::kSessionTakenOver:
            complain("another copy of this bot has taken its seats");
            return end(TAKEN_OVER);
        case api::RefereeItem::kNotice:
            std::cerr << "referee: " + said.notice().message() + "\n";
            return;
        default:  // Nothing to answer, or unknown to this client.
            return;
    }
}

void Player::welcomed(const api::Welcome& welcome) {
    backoff_.welcomed(Backoff::Clock::now());
    session_->welcomed(milliseconds(welcome.heartbeat_timeout_ms()));
    // Keep the version even if a newer one is registered later: the seats belong to it.
    settings_.version = welcome.version();
    complain("connected to " + settings_.referee + " as " + welcome.bot() + ", version " +
             welcome.version());
}

milliseconds Player::next_wait() {
    const auto away = std::exchange(away_, std::nullopt);
    return away ? backoff_.after_draining(*away, chance())
                : backoff_.next(Backoff::Clock::now(), chance());
}

void Player::follow(const Next& next) {
    if (const auto* asked = std::get_if<Asked>(&next)) {
        beside([this, asked = *asked] { think(asked); });
    } else if (const auto* answer = std::get_if<api::BotItem>(&next)) {
        say(*answer);
    } else if (const auto* later = std::get_if<Later>(&next)) {
        beside([this, later = *later] { wait(later); });
    }
}

void Player::end(Status status) {
    if (status_) return;
    status_ = status;
    desk_ = {};  // No answer is needed any more.
    if (session_) session_->hang_up();
    changed_.notify_all();
}

void Player::ended(const grpc::Status& how) {
    switch (how.error_code()) {
        // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
        case grpc::ABORTED:
            complain(how.error_message());
            return end(TAKEN_OVER);
        case grpc::UNAUTHENTICATED:
        case grpc::PERMISSION_DENIED:
        case grpc::INVALID_ARGUMENT:
            complain(how.error_message());
            return end(REFUSED);
        default:
            return;
    }
}

void Player::say(const api::BotItem& item) {
    // Without a session, the turn will be sent again.
    if (session_) session_->say(item);
}

void Player::beside(std::function<void()> what) {
    beside_.remove_if([](const std::future<void>& one) {
        return one.wait_for(milliseconds(0)) == std::future_status::ready;
    });
    beside_.push_back(std::async(std::launch::async, std::move(what)));
}

void Player::think(const Asked& asked) {
    const api::BotItem found = answer(bot_, asked);
    const std::lock_guard lock(mutex_);
    follow(desk_.found(TurnId(asked.turn), found));
}

void Player::wait(const Later& later) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, later.after, [this] { return status_.has_value(); })) return;
    follow(desk_.due(later.turn));
}

std::string sendable(const api::Turn& turn, const std::string& move) {
    const std::string where =
        "match " + turn.match_id() + ", seat " + std::to_string(turn.seat()) + ": the answer ";
    const utf8::Text text = utf8::read(move, MOVE_CHARS + 1);
    if (!text.valid) complain(where + "is not valid UTF-8; the referee will refuse it");
    if (text.chars > MOVE_CHARS) {
        complain(where + "has " + std::to_string(text.chars) + " characters, the limit is " +
                 std::to_string(MOVE_CHARS) + "; the referee will refuse it");
    }
    return text.beginning;
}

api::BotItem answer(Bot& bot, const Asked& asked) {
    api::BotItem item;
    try {
        const std::string text = bot.choose(asked);
        api::Move& move = *item.mutable_move();
        move.set_match_id(asked.turn.match_id());
        move.set_turn_token(asked.turn.turn_token());
        move.set_move(sendable(asked.turn, text));
        return item;
    } catch (const std::exception& why) {
        complain(std::string("the bot failed: ") + why.what());
    } catch (...) {
        complain("the bot failed with something that is no std::exception");
    }
    item.mutable_resignation()->set_match_id(asked.turn.match_id());
    item.mutable_resignation()->set_seat(asked.turn.seat());
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
        std::thread waiting([&] {
            int signal = 0;
            sigwait(&signals, &signal);
            player.stop();
        });
        const Status status = player.play();
        pthread_kill(waiting.native_handle(), SIGTERM);  // End its wait.
        waiting.join();
        // If the bot takes long to stop, the next signal ends the program immediately.
        pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
        return status;
    } catch (const Misconfigured& why) {
        complain(why.what());
        return MISCONFIGURED;
    }
}

}  // namespace referee
