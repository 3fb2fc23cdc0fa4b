#include "backoff.h"

#include <algorithm>

namespace referee {

using std::chrono::milliseconds;

milliseconds Backoff::next(double chance) {
    const auto wait = next_ * (0.5 + chance);
    next_ = std::min(2 * next_, LONGEST);
    return std::chrono::round<milliseconds>(wait);
}

void Backoff::welcomed() {
    next_ = FIRST;
}

}  // namespace referee
