//! The bot's nonces, and the check at the end of each match that the referee used them.
//!
//! Before a match the referee commits to its seed, and at the end it publishes the seed and the nonces from which all
//! draws follow. If they do not fit, somebody has chosen the draws, which nobody but the bot can notice.

use std::collections::{BTreeMap, HashMap};

use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom, SystemRandom},
};

use crate::api::{Nonce, SeedCommitment};

const NONCE_BYTES: usize = 32;
const MAX_NONCE_BYTES: usize = 64;

/// Returns the default nonce of a bot.
pub(crate) fn random_nonce() -> Vec<u8> {
    let mut nonce = vec![0; NONCE_BYTES];
    SystemRandom::new()
        .fill(&mut nonce)
        .expect("the system has random numbers");
    nonce
}

/// What is known about the seed of one match before its end.
struct Contribution {
    commitment: Vec<u8>,
    /// The nonces of this bot, by the seat of the request.
    nonces: BTreeMap<u32, Vec<u8>>,
}

/// Returned problems are sentences for the author of the bot.
#[derive(Default)]
pub(crate) struct Nonces {
    matches: HashMap<String, Contribution>,
}

impl Nonces {
    /// Returns the nonce for a seat, and problems. A repeated request gets the same nonce, since the referee may have
    /// it already.
    pub fn on_request(
        &mut self,
        match_id: &str,
        seat: u32,
        commitment: &[u8],
        choose: impl FnOnce() -> Vec<u8>,
    ) -> (Nonce, Vec<String>) {
        let mut problems = self.keep_commitment(match_id, commitment);
        let known = self.matches.get_mut(match_id).expect("it was inserted");
        let nonce = known.nonces.entry(seat).or_insert_with(|| {
            let nonce = choose();
            if nonce.len() <= MAX_NONCE_BYTES {
                return nonce;
            }
            problems.push(format!(
                "a nonce has at most {MAX_NONCE_BYTES} bytes; a random one is sent"
            ));
            random_nonce()
        });
        let (match_id, nonce) = (match_id.into(), nonce.clone());
        (Nonce { match_id, seat, nonce }, problems)
    }

    pub fn on_match_started(&mut self, match_id: &str, announced: &SeedCommitment) -> Vec<String> {
        self.keep_commitment(match_id, &announced.commitment)
    }

    /// Checks the seed once for each match: a bot in several seats is told of the end for each of them.
    pub fn on_match_ended(&mut self, match_id: &str, published: &SeedCommitment) -> Vec<String> {
        match self.matches.remove(match_id) {
            Some(known) if !published.commitment.is_empty() => known.problems(match_id, published),
            _ => Vec::new(),
        }
    }

    /// Keeps the first commitment, and returns a problem if it is another one.
    fn keep_commitment(&mut self, match_id: &str, commitment: &[u8]) -> Vec<String> {
        let known = self.matches.entry(match_id.into()).or_insert_with(|| Contribution {
            commitment: commitment.into(),
            nonces: BTreeMap::new(),
        });
        if known.commitment == commitment {
            return Vec::new();
        }
        vec![replaced(match_id)]
    }
}

impl Contribution {
    /// Returns what does not fit. The seed is checked if it is published, which duplicate play delays.
    fn problems(&self, match_id: &str, published: &SeedCommitment) -> Vec<String> {
        let mut problems = Vec::new();
        if published.commitment != self.commitment {
            problems.push(replaced(match_id));
        }
        let seed = &published.seed;
        if !seed.is_empty() && digest(&SHA256, seed).as_ref() != self.commitment {
            problems.push(format!(
                "match {match_id}: the seed of the referee does not match its commitment"
            ));
        }
        for (&seat, nonce) in &self.nonces {
            let used = published.nonces.iter().find(|used| used.seat == seat);
            let used = used.map_or(&[][..], |used| &used.nonce);
            if used == nonce {
                continue;
            }
            problems.push(if used.is_empty() {
                format!(
                    "match {match_id}: the seed was made without the nonce of seat {seat}: it was late, or the \
                     referee ignored it"
                )
            } else {
                format!(
                    "match {match_id}: the seed was made with another nonce of seat {seat} than the one that was sent"
                )
            });
        }
        problems
    }
}

fn replaced(match_id: &str) -> String {
    format!("match {match_id}: the referee has replaced its commitment to the seed")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::SeatNonce;

    const SEED: &[u8] = &[7; 32];
    const REPLACED: &str = "match m1: the referee has replaced its commitment to the seed";
    const WRONG_SEED: &str = "match m1: the seed of the referee does not match its commitment";
    const WITHOUT: &str =
        "match m1: the seed was made without the nonce of seat 0: it was late, or the referee ignored it";
    const ANOTHER: &str = "match m1: the seed was made with another nonce of seat 0 than the one that was sent";

    fn commitment_to(seed: &[u8]) -> Vec<u8> {
        digest(&SHA256, seed).as_ref().into()
    }

    /// Returns what a referee publishes that committed to one seed and revealed another.
    fn published(committed: &[u8], revealed: &[u8], nonces: &[&str]) -> SeedCommitment {
        let nonces = (0..).zip(nonces).map(|(seat, nonce)| SeatNonce {
            seat,
            nonce: nonce.as_bytes().into(),
        });
        SeedCommitment {
            commitment: commitment_to(committed),
            nonces: nonces.collect(),
            seed: revealed.into(),
            seed_provided: false,
        }
    }

    #[test]
    fn each_request_gets_a_random_nonce_and_a_repeated_one_the_same_again() {
        let mut nonces = Nonces::default();
        let [first, again, other] = [1, 1, 0].map(|seat| {
            let (nonce, problems) = nonces.on_request("m1", seat, &commitment_to(SEED), random_nonce);
            assert!(problems.is_empty());
            nonce
        });
        assert_eq!((first.match_id.as_str(), first.seat), ("m1", 1));
        assert_eq!(first.nonce.len(), NONCE_BYTES);
        assert_eq!(again, first);
        assert_ne!(other.nonce, first.nonce);
    }

    #[test]
    fn a_seed_that_does_not_fit_is_reported_once_at_the_end() {
        for (end, reported) in [
            (published(SEED, SEED, &["mine", ""]), vec![]),
            (published(SEED, b"", &["mine", ""]), vec![]),
            (SeedCommitment::default(), vec![]),
            (published(SEED, b"other", &["mine", ""]), vec![WRONG_SEED]),
            (published(b"other", b"other", &["mine", ""]), vec![REPLACED, WRONG_SEED]),
            (published(SEED, SEED, &["", "theirs"]), vec![WITHOUT]),
            (published(SEED, SEED, &[]), vec![WITHOUT]),
            (published(SEED, SEED, &["theirs"]), vec![ANOTHER]),
        ] {
            let mut nonces = Nonces::default();
            nonces.on_request("m1", 0, &commitment_to(SEED), || b"mine".into());
            let started = nonces.on_match_started("m1", &published(SEED, b"", &["mine", ""]));
            assert!(started.is_empty());
            assert_eq!(nonces.on_match_ended("m1", &end), reported);
            assert!(nonces.on_match_ended("m1", &end).is_empty());
        }
    }

    #[test]
    fn the_seed_of_a_match_without_nonces_is_checked_too() {
        let mut nonces = Nonces::default();
        nonces.on_match_started("m1", &published(SEED, b"", &[]));
        assert_eq!(
            nonces.on_match_ended("m1", &published(SEED, b"other", &[])),
            [WRONG_SEED]
        );
    }

    #[test]
    fn a_random_nonce_replaces_one_that_is_too_long() {
        let mut nonces = Nonces::default();
        let too_long = || vec![0; MAX_NONCE_BYTES + 1];
        let (nonce, problems) = nonces.on_request("m1", 0, &commitment_to(SEED), too_long);
        assert_eq!((nonce.nonce.len(), problems.len()), (NONCE_BYTES, 1));
    }
}
