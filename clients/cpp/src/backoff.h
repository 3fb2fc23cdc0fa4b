// Exponential backoff after broken sessions: its limit doubles each time, up to ten seconds.
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

    // Returns the next pause, for a random number from 0 to 1. It is between a third of its limit
    // and all of it, so that the bots of a referee that was down do not all reconnect at the same
    // moment.
    std::chrono::milliseconds next(Clock::time_point now, bool has_open_turn, double random);

    // Returns the pause after a stream that a draining referee has ended, which is not a failure.
    static std::chrono::milliseconds after_draining(std::chrono::milliseconds reconnect_delay,
                                                    double random);

    // Must be called when a Welcome has arrived.
    void on_welcome(Clock::time_point now);

  private:
    static constexpr std::chrono::milliseconds FIRST{750};
    static constexpr std::chrono::milliseconds LONGEST{10'000};
    // Limit while a clock of the bot may run.
    static constexpr std::chrono::milliseconds LONGEST_WITH_OPEN_TURN{3'000};
    // The longest time that is added to the delay after draining.
    static constexpr std::chrono::milliseconds MAX_DRAINING_JITTER{500};
    // A session that lasts this long from its Welcome resets the backoff.
    static constexpr std::chrono::milliseconds STABLE_AFTER{10'000};

    std::chrono::milliseconds next_ = FIRST;
    std::optional<Clock::time_point> stable_at_;
};

}  // namespace referee
