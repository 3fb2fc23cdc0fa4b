#include "desk.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

Next Desk::asked(const api::Turn& turn) {
    const TurnId id(turn);
    const auto last = owed_.find(id.place);
    if (last != owed_.end() && last->second.token == id.token) return last->second.say();
    return begin(turn);
}

Next Desk::found(const TurnId& turn, api::BotItem answer) {
    const auto owed = owed_.find(turn.place);
    if (owed == owed_.end() || owed->second.token != turn.token || owed->second.answer) return {};
    answer.set_item_id(++answers_);
    owed->second.answer = std::move(answer);
    return owed->second.say();
}

Next Desk::judged(const api::Verdict& verdict) {
    const auto meant = std::find_if(owed_.begin(), owed_.end(), [&](const auto& each) {
        const auto& [place, owed] = each;
        // Only verdicts on moves contain the token.
        return verdict.turn_token().empty()
                   ? owed.answer && owed.answer->item_id() == verdict.item_id()
                   : place.first == verdict.match_id() && owed.token == verdict.turn_token();
    });
    if (meant == owed_.end()) return {};
    Owed& owed = meant->second;
    if (verdict.has_stale()) {
        owed_.erase(meant);
    } else if (verdict.has_rejected()) {
        const api::ErrorDetail& refusal = verdict.rejected().error();
        const auto after = refusal.metadata().find("retry_after_ms");
        // Temporary (store unavailable, match in transfer): the turn stays open and is not sent
        // again.
        if (after != refusal.metadata().end()) {
            return Later{{meant->first, owed.token}, milliseconds(std::stoll(after->second))};
        }
        owed.refused = refusal;
    }
    return {};
}

Next Desk::due(const TurnId& turn) const {
    const auto owed = owed_.find(turn.place);
    if (owed == owed_.end() || owed->second.token != turn.token) return {};
    return owed->second.say();
}

void Desk::lapsed(const std::string& match_id, const std::string& token) {
    const auto meant = std::find_if(owed_.begin(), owed_.end(), [&](const auto& each) {
        return each.first.first == match_id && each.second.token == token;
    });
    if (meant != owed_.end()) owed_.erase(meant);
}

void Desk::ended(const std::string& match_id) {
    for (auto owed = owed_.begin(); owed != owed_.end();) {
        owed = owed->first.first == match_id ? owed_.erase(owed) : std::next(owed);
    }
}

Next Desk::begin(const api::Turn& turn) {
    const TurnId id(turn);
    Owed owed;
    owed.token = id.token;
    Asked asked{turn, {}, owed.life};
    std::swap(owed_[id.place], owed);
    asked.refused = std::move(owed.refused);  // It belongs to the previous turn.
    return asked;
}

Next Desk::Owed::say() const {
    return answer ? Next(*answer) : Next();
}

}  // namespace referee
