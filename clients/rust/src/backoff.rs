//! Pauses before a bot reconnects.

use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A session that lasts this long from its Welcome resets the backoff.
const STABLE_AFTER: Duration = Duration::from_secs(10);

/// Exponential backoff: the pauses double after each failure, up to ten seconds.
///
/// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
/// for ever.
#[derive(Default)]
pub(crate) struct Backoff {
    failures: u32,
    welcomed_at: Option<Instant>,
}

impl Backoff {
    /// Returns the next pause. `random`, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a
    /// referee that was down do not all reconnect at the same moment.
    pub fn next(&mut self, now: Instant, random: f64) -> Duration {
        if self
            .welcomed_at
            .take()
            .is_some_and(|welcome| now >= welcome + STABLE_AFTER)
        {
            self.failures = 0;
        }
        let doubled = FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(self.failures));
        self.failures += 1;
        doubled.min(LONGEST_PAUSE).mul_f64(0.5 + random)
    }

    /// Returns the pause after a stream that a draining referee has ended, which is not a failure.
    pub fn after_draining(&self, reconnect_delay: Duration, random: f64) -> Duration {
        reconnect_delay + FIRST_PAUSE.mul_f64(random)
    }

    /// Must be called when a Welcome has arrived.
    pub fn on_welcome(&mut self, now: Instant) {
        self.welcomed_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next_pauses(backoff: &mut Backoff, count: usize, random: f64) -> Vec<u128> {
        (0..count)
            .map(|_| backoff.next(Instant::now(), random).as_millis())
            .collect()
    }

    #[test]
    fn pauses_double_up_to_ten_seconds() {
        let mut backoff = Backoff::default();
        assert_eq!(
            next_pauses(&mut backoff, 7, 0.5),
            [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]
        );
    }

    #[test]
    fn jitter_changes_a_pause_by_up_to_half() {
        assert_eq!(next_pauses(&mut Backoff::default(), 2, 0.0), [250, 500]);
        assert_eq!(next_pauses(&mut Backoff::default(), 2, 1.0), [750, 1_500]);
    }

    #[test]
    fn only_a_session_of_ten_seconds_resets_the_backoff() {
        let welcome = Instant::now();
        for (duration_ms, pauses_ms) in [(9_999, [2_000, 4_000]), (10_000, [500, 1_000])] {
            let mut backoff = Backoff::default();
            next_pauses(&mut backoff, 2, 0.5);
            backoff.on_welcome(welcome);
            let ended = welcome + Duration::from_millis(duration_ms);
            assert_eq!(pauses_ms.map(|_| backoff.next(ended, 0.5).as_millis()), pauses_ms);
        }
    }

    #[test]
    fn the_pause_after_draining_is_at_least_the_reconnect_delay_and_draining_is_not_a_failure() {
        let mut backoff = Backoff::default();
        let reconnect_delay = Duration::from_secs(2);
        assert_eq!(backoff.after_draining(reconnect_delay, 0.0), reconnect_delay);
        assert_eq!(
            backoff.after_draining(reconnect_delay, 1.0),
            reconnect_delay + FIRST_PAUSE
        );
        assert_eq!(next_pauses(&mut backoff, 1, 0.5), [500]);
    }
}
