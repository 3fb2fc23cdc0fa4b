// Exponential backoff after broken sessions: it doubles each time, up to ten seconds.
//
// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would
// reconnect at full speed for ever.
#pragma once

#include <chrono>
#include <optional>

namespace referee {

class Backoff {
  public:
    using Clock = std::chrono::steady_clock;

    // Returns the next pause. `random`, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that
    // the bots of a referee that was down do not all reconnect at the same moment.
    std::chrono::milliseconds next(Clock::time_point now, double random);

    // Returns the pause after a stream that a draining referee has ended, which is not a failure.
    static std::chrono::milliseconds after_draining(std::chrono::milliseconds reconnect_delay,
                                                    double random);

    // Must be called when a Welcome has arrived.
    void on_welcome(Clock::time_point now);

  private:
    static constexpr std::chrono::milliseconds FIRST{500};
    static constexpr std::chrono::milliseconds LONGEST{10'000};
    // A session that lasts this long from its Welcome resets the backoff.
    static constexpr std::chrono::milliseconds STABLE_AFTER{10'000};

    std::chrono::milliseconds next_ = FIRST;
    std::optional<Clock::time_point> stable_at_;
};

}  // namespace referee
