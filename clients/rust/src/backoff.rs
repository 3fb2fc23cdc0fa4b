//! How long to stay away after a break.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(10);

/// Twice as long after each break in a row, up to ten seconds.
#[derive(Default)]
pub(crate) struct Backoff {
    breaks: u32,
}

impl Backoff {
    /// The next wait. `chance`, from 0 to 1, makes it half as long up to half as long again, so that the bots of a
    /// referee that was away do not all come back in the same moment.
    pub fn next(&mut self, chance: f64) -> Duration {
        let doubled = FIRST.saturating_mul(2_u32.saturating_pow(self.breaks));
        self.breaks += 1;
        doubled.min(LONGEST).mul_f64(0.5 + chance)
    }

    /// The referee has said Welcome: the next break is the first again.
    pub fn welcomed(&mut self) {
        self.breaks = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(backoff: &mut Backoff, breaks: usize, chance: f64) -> Vec<u128> {
        (0..breaks).map(|_| backoff.next(chance).as_millis()).collect()
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
    fn after_a_welcome_the_first_wait_is_short_again() {
        let mut backoff = Backoff::default();
        waits(&mut backoff, 40, 0.5);
        backoff.welcomed();
        assert_eq!(waits(&mut backoff, 1, 0.5), [500]);
    }
}
