#include "protocol.h"

#include <grpcpp/support/status.h>

#include <utility>

#include "conversion.h"

namespace referee {

using std::chrono::milliseconds;

Protocol::Protocol(const Bots& bots, Options options, Callbacks callbacks)
    : options_(std::move(options)),
      callbacks_(std::move(callbacks)),
      open_turns_(static_cast<const OpenTurns::Callbacks&>(callbacks_)),
      seats_(bots, options_.executor, options_.logger),
      nonces_(options_.nonce, options_.logger) {}

api::BotItem Protocol::start_session() {
    open_turns_.on_session_started();
    return hello();
}

api::BotItem Protocol::hello() const {
    api::BotItem item;
    api::Hello& hello = *item.mutable_hello();
    hello.set_version(options_.version);
    hello.mutable_games()->Add(options_.games.begin(), options_.games.end());
    hello.set_max_matches(options_.max_matches);
    hello.mutable_turn_options()->set_max_legal_moves(options_.max_legal_moves);
    hello.mutable_turn_options()->set_include_view(options_.view);
    hello.mutable_turn_options()->set_full_move_history(options_.full_history);
    hello.set_client("referee-client-cpp/" REFEREE_CLIENT_VERSION);
    hello.set_verdicts_with_turns(options_.verdicts_with_turns);
    return item;
}

void Protocol::on_item(const api::RefereeItem& item) {
    switch (item.item_case()) {
        case api::RefereeItem::kPing: {
            api::BotItem pong;
            pong.mutable_pong()->set_id(item.ping().id());
            return callbacks_.send(pong);
        }
        case api::RefereeItem::kTurn:
            return open_turns_.on_turn(item.turn(), seats_.rules_of(item.turn()));
        case api::RefereeItem::kVerdict:
            return on_verdict(item.verdict());
        case api::RefereeItem::kTurnExpired:
            return open_turns_.on_turn_expired(item.turn_expired().match_id(),
                                               item.turn_expired().turn_token());
        case api::RefereeItem::kMatchEnded:
            open_turns_.on_match_ended(item.match_ended().match_id());
            seats_.on_match_ended(item.match_ended());
            return nonces_.on_match_ended(item.match_ended().match_id(),
                                          item.match_ended().seed_commitment());
        case api::RefereeItem::kNonceRequest:
            return callbacks_.send(nonces_.on_request(item.nonce_request()));
        case api::RefereeItem::kMatchStarted:
            seats_.on_match_started(item.match_started());
            return nonces_.on_match_started(item.match_started().match().id(),
                                            item.match_started().match().seed_commitment());
        case api::RefereeItem::kWelcome:
            return on_welcome(item.welcome());
        case api::RefereeItem::kDraining:
            reconnect_delay_ = milliseconds(item.draining().reconnect_delay_ms());
            return;
        case api::RefereeItem::kSessionTakenOver:
            throw TakenOverError("a newer session of this bot has taken over its seats");
        case api::RefereeItem::kNotice:
            return options_.logger(LogLevel::warning,
                                   "notice of the referee: " + item.notice().message());
        default:  // It needs no answer, or is unknown to this client.
            return;
    }
}

void Protocol::on_end(const grpc::Status& status) {
    switch (status.error_code()) {
        // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
        case grpc::ABORTED:
            throw TakenOverError("a newer session of this bot has taken over its seats");
        case grpc::UNAUTHENTICATED:
        case grpc::PERMISSION_DENIED:
        case grpc::INVALID_ARGUMENT:
            throw RejectedError(to_rejection(status));
        default:
            return;
    }
}

milliseconds Protocol::next_pause(Backoff::Clock::time_point now, double random) {
    const auto delay = std::exchange(reconnect_delay_, std::nullopt);
    return delay ? Backoff::after_draining(*delay, random)
                 : backoff_.next(now, open_turns_.has_any(), random);
}

void Protocol::on_answer(OpenTurn& open_turn, api::BotItem answer) {
    open_turns_.set_answer(open_turn, std::move(answer));
}

void Protocol::on_verdict(const api::Verdict& verdict) {
    if (verdict.has_rejected()) {
        options_.logger(LogLevel::warning, "match " + verdict.match_id() + ": rejected: " +
                                               verdict.rejected().error().message());
    }
    open_turns_.on_verdict(verdict);
}

void Protocol::on_welcome(const api::Welcome& welcome) {
    backoff_.on_welcome(Backoff::Clock::now());
    callbacks_.set_heartbeat_timeout(milliseconds(welcome.heartbeat_timeout_ms()));
    // Keep the version even if a newer one is registered later: the seats belong to it.
    options_.version = welcome.version();
    options_.logger(LogLevel::info, "connected to " + options_.address + " as " + welcome.bot() +
                                        ", version " + welcome.version());
}

}  // namespace referee
