#include "backoff.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

milliseconds Backoff::next(Clock::time_point now, double chance) {
    if (stable_at_ && now >= *stable_at_) next_ = FIRST;
    stable_at_.reset();
    const auto wait = next_ * (0.5 + chance);
    next_ = std::min(2 * next_, LONGEST);
    return std::chrono::round<milliseconds>(wait);
}

milliseconds Backoff::after_draining(milliseconds away, double chance) const {
    return away + std::chrono::round<milliseconds>(FIRST * chance);
}

void Backoff::welcomed(Clock::time_point now) {
    stable_at_ = now + STABLE_AFTER;
}

}  // namespace referee
