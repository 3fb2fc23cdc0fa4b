#include "backoff.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

milliseconds Backoff::next(Clock::time_point now, bool has_open_turn, double random) {
    if (stable_at_ && now >= *stable_at_) next_ = FIRST;
    stable_at_.reset();
    const auto limit = has_open_turn ? std::min(next_, LONGEST_WITH_OPEN_TURN) : next_;
    next_ = std::min(2 * next_, LONGEST);
    return std::chrono::round<milliseconds>(limit * (1 + 2 * random) / 3);
}

milliseconds Backoff::after_draining(milliseconds reconnect_delay, double random) {
    return reconnect_delay + std::chrono::round<milliseconds>(MAX_DRAINING_JITTER * random);
}

void Backoff::on_welcome(Clock::time_point now) {
    stable_at_ = now + STABLE_AFTER;
}

}  // namespace referee
