#include "open_turns.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

Action OpenTurns::on_turn(const api::Turn& turn) {
    const TurnId id(turn);
    const auto previous = by_seat_.find(id.seat);
    if (previous != by_seat_.end() && previous->second.token == id.token) {
        return previous->second.send();
    }
    return open(turn);
}

Action OpenTurns::set_answer(const TurnId& turn, api::BotItem answer) {
    const auto found = by_seat_.find(turn.seat);
    if (found == by_seat_.end()) return {};
    OpenTurn& open_turn = found->second;
    if (open_turn.token != turn.token || open_turn.answer) return {};
    answer.set_item_id(++last_item_id_);
    open_turn.answer = std::move(answer);
    return open_turn.send();
}

Action OpenTurns::on_verdict(const api::Verdict& verdict) {
    const auto found = std::find_if(by_seat_.begin(), by_seat_.end(), [&](const auto& entry) {
        const auto& [seat, open_turn] = entry;
        // Only verdicts on moves contain the token.
        return verdict.turn_token().empty()
                   ? open_turn.answer && open_turn.answer->item_id() == verdict.item_id()
                   : seat.first == verdict.match_id() && open_turn.token == verdict.turn_token();
    });
    if (found == by_seat_.end()) return {};
    auto& [seat, open_turn] = *found;
    if (verdict.has_stale()) {
        by_seat_.erase(found);
    } else if (verdict.has_rejected()) {
        const api::ErrorDetail& error = verdict.rejected().error();
        const auto retry_after = error.metadata().find("retry_after_ms");
        // Temporary (store unavailable, match in transfer): the turn stays open and is not sent
        // again.
        if (retry_after != error.metadata().end()) {
            const milliseconds delay(std::stoll(retry_after->second));
            return DelayedResend{{seat, open_turn.token}, delay};
        }
        open_turn.rejection = error;
    }
    return {};
}

Action OpenTurns::resend(const TurnId& turn) const {
    const auto found = by_seat_.find(turn.seat);
    if (found == by_seat_.end() || found->second.token != turn.token) return {};
    return found->second.send();
}

void OpenTurns::on_turn_expired(const std::string& match_id, const std::string& token) {
    const auto found = std::find_if(by_seat_.begin(), by_seat_.end(), [&](const auto& entry) {
        return entry.first.first == match_id && entry.second.token == token;
    });
    if (found != by_seat_.end()) by_seat_.erase(found);
}

void OpenTurns::on_match_ended(const std::string& match_id) {
    for (auto entry = by_seat_.begin(); entry != by_seat_.end();) {
        entry = entry->first.first == match_id ? by_seat_.erase(entry) : std::next(entry);
    }
}

Action OpenTurns::open(const api::Turn& turn) {
    const TurnId id(turn);
    OpenTurn open_turn;
    open_turn.token = id.token;
    TurnRequest request{turn, {}, open_turn.lifetime};
    std::swap(by_seat_[id.seat], open_turn);
    request.rejection = std::move(open_turn.rejection);  // That of the previous turn of the seat.
    return request;
}

Action OpenTurns::OpenTurn::send() const {
    return answer ? Action(*answer) : Action();
}

}  // namespace referee
