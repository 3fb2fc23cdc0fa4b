#include "desk.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

namespace {

// So long a turn waits for the verdict on the seat's answer before it, which may be a refusal that
// the bot wants to see. They come together, but not always in this order.
constexpr milliseconds VERDICT_WITHIN{200};

}  // namespace

Next Desk::asked(const api::Turn& turn) {
    const TurnId id(turn);
    const auto last = owed_.find(id.place);
    if (last == owed_.end()) return begin(turn);
    if (last->second.token == id.token) return last->second.say();
    if (last->second.verdict != Hearing::AWAITED) return begin(turn);
    last->second.held = turn;
    return Later{id, VERDICT_WITHIN};
}

Next Desk::found(const TurnId& turn, api::FromBot answer) {
    const auto owed = owed_.find(turn.place);
    if (owed == owed_.end() || owed->second.token != turn.token || owed->second.answer) return {};
    answer.set_item_id(++answers_);
    owed->second.answer = std::move(answer);
    return owed->second.say();
}

Next Desk::judged(const api::Verdict& verdict) {
    const auto meant = std::find_if(owed_.begin(), owed_.end(), [&](const auto& each) {
        const auto& [place, owed] = each;
        // Only of a move does the verdict repeat the token.
        return verdict.token().empty()
                   ? owed.answer && owed.answer->item_id() == verdict.item_id()
                   : place.first == verdict.match_id() && owed.token == verdict.token();
    });
    if (meant == owed_.end()) return {};
    Owed& owed = meant->second;
    owed.verdict = Hearing::CLOSED;
    if (verdict.has_stale()) return forget(meant);
    if (verdict.has_refused()) {
        const api::Refusal& refusal = verdict.refused().refusal();
        const auto after = refusal.metadata().find("retry_after_ms");
        // A store that is away, or a match on its way elsewhere: the turn stands, and is not asked
        // again.
        if (after != refusal.metadata().end()) {
            owed.verdict = Hearing::PUT_OFF;
            return Later{{meant->first, owed.token}, milliseconds(std::stoll(after->second))};
        }
        owed.refused = refusal;
    }
    return go_on(std::exchange(owed.held, std::nullopt));
}

Next Desk::due(const TurnId& turn) {
    const auto owed = owed_.find(turn.place);
    if (owed == owed_.end()) return {};
    if (owed->second.token == turn.token && owed->second.verdict == Hearing::PUT_OFF) {
        return owed->second.say();
    }
    return go_on(owed->second.take_held(turn.token));
}

Next Desk::lapsed(const std::string& match_id, const std::string& token) {
    for (auto owed = owed_.begin(); owed != owed_.end(); ++owed) {
        if (owed->first.first != match_id) continue;
        owed->second.take_held(token);
        if (owed->second.token == token) return forget(owed);
    }
    return {};
}

void Desk::ended(const std::string& match_id) {
    for (auto owed = owed_.begin(); owed != owed_.end();) {
        owed = owed->first.first == match_id ? owed_.erase(owed) : std::next(owed);
    }
}

void Desk::new_stream() {
    for (auto& [_, owed] : owed_) {
        owed.verdict = Hearing::CLOSED;
        owed.held.reset();
    }
}

Next Desk::begin(const api::Turn& turn) {
    const TurnId id(turn);
    Owed owed;
    owed.token = id.token;
    Asked asked{turn, {}, owed.life};
    std::swap(owed_[id.place], owed);
    asked.refused = std::move(owed.refused);  // That was the turn before.
    return asked;
}

Next Desk::go_on(const std::optional<api::Turn>& held) {
    return held ? begin(*held) : Next();
}

Next Desk::forget(ByPlace::iterator owed) {
    const auto held = std::move(owed->second.held);
    owed_.erase(owed);
    return go_on(held);
}

Next Desk::Owed::say() {
    if (!answer) return {};
    verdict = Hearing::AWAITED;
    return *answer;
}

std::optional<api::Turn> Desk::Owed::take_held(const std::string& token) {
    if (!held || held->token() != token) return {};
    return std::exchange(held, std::nullopt);
}

}  // namespace referee
