//! Pauses before a bot reconnects.

use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(10);
/// A session that lasts this long from its Welcome resets the backoff.
const STABLE_AFTER: Duration = Duration::from_secs(10);

/// Exponential backoff: it doubles after each break, up to ten seconds.
///
/// A Welcome alone does not reset it: otherwise a bot whose own message breaks the stream would reconnect at full speed
/// for ever.
#[derive(Default)]
pub(crate) struct Backoff {
    breaks: u32,
    welcomed_at: Option<Instant>,
}

impl Backoff {
    /// Returns the next pause. `chance`, from 0 to 1, scales it by a factor from 0.5 to 1.5, so that the bots of a
    /// referee that was away do not all reconnect at the same moment.
    pub fn next(&mut self, now: Instant, chance: f64) -> Duration {
        if self.welcomed_at.take().is_some_and(|then| now >= then + STABLE_AFTER) {
            self.breaks = 0;
        }
        let doubled = FIRST.saturating_mul(2_u32.saturating_pow(self.breaks));
        self.breaks += 1;
        doubled.min(LONGEST).mul_f64(0.5 + chance)
    }

    /// Returns the pause after a stream that a draining referee has ended, which is not a failure.
    pub fn after_draining(&self, away: Duration, chance: f64) -> Duration {
        away + FIRST.mul_f64(chance)
    }

    /// Notes that the referee has sent its Welcome.
    pub fn welcomed(&mut self, now: Instant) {
        self.welcomed_at = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(backoff: &mut Backoff, breaks: usize, chance: f64) -> Vec<u128> {
        (0..breaks)
            .map(|_| backoff.next(Instant::now(), chance).as_millis())
            .collect()
    }

    #[test]
    fn waits_double_up_to_ten_seconds() {
        let mut backoff = Backoff::default();
        assert_eq!(
            waits(&mut backoff, 7, 0.5),
            [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]
        );
    }

    #[test]
    fn chance_takes_away_or_adds_up_to_a_half() {
        assert_eq!(waits(&mut Backoff::default(), 2, 0.0), [250, 500]);
        assert_eq!(waits(&mut Backoff::default(), 2, 1.0), [750, 1_500]);
    }

    #[test]
    fn only_a_session_that_has_lasted_ten_seconds_makes_the_first_wait_short_again() {
        let then = Instant::now();
        for (lasted_ms, waits_ms) in [(9_999, [2_000, 4_000]), (10_000, [500, 1_000])] {
            let mut backoff = Backoff::default();
            waits(&mut backoff, 2, 0.5);
            backoff.welcomed(then);
            let ended = then + Duration::from_millis(lasted_ms);
            assert_eq!(waits_ms.map(|_| backoff.next(ended, 0.5).as_millis()), waits_ms);
        }
    }

    #[test]
    fn after_draining_nobody_comes_earlier_than_asked_for_and_it_counts_as_no_failure() {
        let mut backoff = Backoff::default();
        let away = Duration::from_secs(2);
        assert_eq!(backoff.after_draining(away, 0.0), away);
        assert_eq!(backoff.after_draining(away, 1.0), away + FIRST);
        assert_eq!(waits(&mut backoff, 1, 0.5), [500]);
    }
}
