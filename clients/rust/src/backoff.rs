//! Pauses before a bot reconnects.

use std::time::Duration;

use tokio::time::Instant;

const FIRST_PAUSE: Duration = Duration::from_millis(750);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The limit while a clock of the bot may run.
const LONGEST_PAUSE_WITH_OPEN_TURN: Duration = Duration::from_secs(3);
/// The longest time that is added to the delay after draining.
const MAX_DRAINING_JITTER: Duration = Duration::from_millis(500);
/// A session that lasts this long from its Welcome resets the backoff.
const STABLE_AFTER: Duration = Duration::from_secs(10);

/// Exponential backoff: the limit of the pauses doubles after each failure, up to ten seconds.
///
/// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
/// for ever.
#[derive(Default)]
pub(crate) struct Backoff {
    failures: u32,
    welcomed_at: Option<Instant>,
}

impl Backoff {
    /// Returns the next pause, for a random number from 0 to 1. It is between a third of its limit and all of it, so that
    /// the bots of a referee that was down do not all reconnect at the same moment.
    pub fn next(&mut self, now: Instant, has_open_turn: bool, random: f64) -> Duration {
        if self
            .welcomed_at
            .take()
            .is_some_and(|welcome| now >= welcome + STABLE_AFTER)
        {
            self.failures = 0;
        }
        let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures));
        self.failures += 1;
        let longest = if has_open_turn {
            LONGEST_PAUSE_WITH_OPEN_TURN
        } else {
            LONGEST_PAUSE
        };
        doubled.min(longest).mul_f64(1.0 + 2.0 * random) / 3
    }

    /// Returns the pause after an error of a call: what the referee asks for, or else the next one.
    #[cfg(feature = "organiser")]
    pub fn after_error(&mut self, error: &crate::RefereeError, random: f64) -> Duration {
        let asked = error.retry_after().filter(|time| !time.is_zero());
        asked.unwrap_or_else(|| self.next(Instant::now(), false, random))
    }

    /// Returns the pause after a stream that a draining referee has ended, which is not a failure.
    pub fn after_draining(reconnect_delay: Duration, random: f64) -> Duration {
        reconnect_delay + MAX_DRAINING_JITTER.mul_f64(random)
    }

    /// Must be called when a Welcome has arrived.
    pub fn on_welcome(&mut self, now: Instant) {
        self.welcomed_at = Some(now);
    }
}
