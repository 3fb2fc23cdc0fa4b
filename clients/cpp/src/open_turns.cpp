#include "open_turns.h"

#include <algorithm>

#include "conversion.h"
namespace referee {

namespace {

// Returns whether it is the verdict on this turn's answer. Only verdicts on moves contain the
// token.
bool is_about(const api::Verdict& verdict, const OpenTurn& open_turn) {
    if (verdict.turn_token().empty()) return verdict.item_id() == open_turn.item_id;
    return verdict.match_id() == open_turn.turn.match_id &&
           verdict.turn_token() == open_turn.turn.token;
}

bool is_about_draw(const std::optional<api::BotItem>& answer) {
    return answer && (answer->has_draw_answer() || answer->has_draw_claim());
}

}  // namespace

void OpenTurns::on_session_started() {
    for (const auto& [key, open_turn] : by_seat_) open_turn->arrived = false;
}

void OpenTurns::on_turn(const api::Turn& message, const api::Rules& rules) {
    Turn turn = to_turn(message, rules);
    const auto found = by_seat_.find({turn.match_id, turn.seat});
    if (found != by_seat_.end()) {
        const std::shared_ptr<OpenTurn> previous = found->second;
        if (previous->turn.token == turn.token) {
            previous->arrived = true;
            return send(*previous);
        }
        previous->cancellation.request_stop();
        turn.rejection = previous->rejection;
    }
    open(std::move(turn));
}

void OpenTurns::set_answer(OpenTurn& open_turn, api::BotItem answer) {
    answer.set_item_id(open_turn.item_id);
    open_turn.answer = std::move(answer);
    send(open_turn);
}

void OpenTurns::on_verdict(const api::Verdict& verdict) {
    const auto found = std::find_if(by_seat_.begin(), by_seat_.end(), [&](const auto& entry) {
        return is_about(verdict, *entry.second);
    });
    if (found == by_seat_.end()) return;
    const std::shared_ptr<OpenTurn> open_turn = found->second;
    if (verdict.has_stale()) {
        close_if([&](const OpenTurn& other) { return &other == open_turn.get(); });
    } else if (verdict.has_rejected()) {
        on_rejected(open_turn, verdict.rejected().error());
    }
}

void OpenTurns::on_rejected(const std::shared_ptr<OpenTurn>& open_turn,
                            const api::ErrorDetail& error) {
    const Rejection rejection = to_rejection(error);
    // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
    if (const auto delay = retry_after(rejection)) {
        return callbacks_.schedule(*delay, [this, open_turn] { send(*open_turn); });
    }
    open_turn->rejection = rejection;
    if (is_about_draw(open_turn->answer)) {
        // It does not answer the turn, which is still open.
        open_turn->cancellation.request_stop();
        Turn again = open_turn->turn;
        again.rejection = rejection;
        open(std::move(again));
    }
}

void OpenTurns::on_turn_expired(const std::string& match_id, const std::string& token) {
    close_if([&](const OpenTurn& open_turn) {
        return open_turn.turn.match_id == match_id && open_turn.turn.token == token;
    });
}

void OpenTurns::on_match_ended(const std::string& match_id) {
    close_if([&](const OpenTurn& open_turn) { return open_turn.turn.match_id == match_id; });
}

void OpenTurns::close_all() {
    close_if([](const OpenTurn&) { return true; });
}

void OpenTurns::open(Turn turn) {
    auto open_turn = std::make_shared<OpenTurn>();
    open_turn->turn = std::move(turn);
    open_turn->item_id = ++last_item_id_;
    by_seat_[open_turn->key()] = open_turn;
    callbacks_.choose(open_turn);
}

void OpenTurns::send(const OpenTurn& open_turn) const {
    if (open_turn.answer && open_turn.is_open() && open_turn.arrived) {
        callbacks_.send(*open_turn.answer);
    }
}

template <typename Predicate>
void OpenTurns::close_if(Predicate predicate) {
    for (auto entry = by_seat_.begin(); entry != by_seat_.end();) {
        const std::shared_ptr<OpenTurn> open_turn = entry->second;
        if (!predicate(*open_turn)) {
            ++entry;
            continue;
        }
        entry = by_seat_.erase(entry);
        open_turn->cancellation.request_stop();
    }
}

}  // namespace referee
