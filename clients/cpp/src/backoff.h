// How long to stay away after a break: twice as long each time, up to ten seconds.
//
// A Welcome alone does not reset it: else a bot whose own message breaks the stream would reconnect
// at full speed for ever.
#pragma once

#include <chrono>
#include <optional>

namespace referee {

class Backoff {
  public:
    using Clock = std::chrono::steady_clock;

    // The next wait. `chance`, from 0 to 1, makes it half as long up to half as long again, so that
    // the bots of a referee that was away do not all come back in the same moment.
    std::chrono::milliseconds next(Clock::time_point now, double chance);

    // The wait after a stream that the referee has ended to go away for so long. That is no
    // failure.
    std::chrono::milliseconds after_draining(std::chrono::milliseconds away, double chance) const;

    // The referee has said Welcome.
    void welcomed(Clock::time_point now);

  private:
    static constexpr std::chrono::milliseconds FIRST{500};
    static constexpr std::chrono::milliseconds LONGEST{10'000};
    // A session that lasts this long from its Welcome resets the backoff.
    static constexpr std::chrono::milliseconds STABLE_AFTER{10'000};

    std::chrono::milliseconds next_ = FIRST;
    std::optional<Clock::time_point> stable_at_;
};

}  // namespace referee
