// How long to stay away after a break: twice as long each time, up to ten seconds.
#pragma once

#include <chrono>

namespace referee {

class Backoff {
  public:
    // The next wait. `chance`, from 0 to 1, makes it half as long up to half as long again, so that
    // the bots of a referee that was away do not all come back in the same moment.
    std::chrono::milliseconds next(double chance);

    // The referee has said Welcome: the next break is the first again.
    void welcomed();

  private:
    static constexpr std::chrono::milliseconds FIRST{500};
    static constexpr std::chrono::milliseconds LONGEST{10'000};

    std::chrono::milliseconds next_ = FIRST;
};

}  // namespace referee
