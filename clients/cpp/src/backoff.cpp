#include "backoff.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

milliseconds Backoff::next(Clock::time_point now, double random) {
    if (stable_at_ && now >= *stable_at_) next_ = FIRST;
    stable_at_.reset();
    const auto pause = next_ * (0.5 + random);
    next_ = std::min(2 * next_, LONGEST);
    return std::chrono::round<milliseconds>(pause);
}

milliseconds Backoff::after_draining(milliseconds reconnect_delay, double random) {
    return reconnect_delay + std::chrono::round<milliseconds>(FIRST * random);
}

void Backoff::on_welcome(Clock::time_point now) {
    stable_at_ = now + STABLE_AFTER;
}

}  // namespace referee
