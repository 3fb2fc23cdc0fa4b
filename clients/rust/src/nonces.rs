//! The bot's nonces, and the check at the end of each match that the referee used them.
//!
//! Before a match the referee commits to its seed, and at the end it publishes the seed and the nonces from which all
//! draws follow. If they do not fit, somebody has chosen the draws, which nobody but the bot can notice.

use std::{
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use ring::{
    digest::{SHA256, digest},
    rand::{SecureRandom, SystemRandom},
};

use crate::{
    api::{Match, Nonce, NonceRequest, SeedCommitment},
    seats::panic_message,
};

const NONCE_BYTES: usize = 32;
const MAX_NONCE_BYTES: usize = 64;
const REPLACED: &str = "the referee has replaced its commitment to the seed";

/// Returns the bytes that a bot adds to the seed of a match, from the match id and the seat.
pub(crate) type ChooseNonce = Arc<dyn Fn(&str, u32) -> Vec<u8> + Send + Sync>;

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

/// Holds the nonces of the bot, and reports what does not fit to its author.
pub(crate) struct Nonces {
    choose: ChooseNonce,
    matches: HashMap<String, Contribution>,
}

impl Nonces {
    pub fn new(choose: ChooseNonce) -> Self {
        let matches = HashMap::new();
        Self { choose, matches }
    }

    /// Returns the nonce for a seat. A repeated request gets the same one, since the referee may have it already.
    pub fn on_request(&mut self, request: NonceRequest) -> Nonce {
        let NonceRequest { match_id, seat, .. } = request;
        let choose = self.choose.clone();
        let known = self.keep_commitment(&match_id, &request.commitment);
        let chosen = || chosen(&choose, &match_id, seat);
        let nonce = known.nonces.entry(seat).or_insert_with(chosen).clone();
        Nonce { match_id, seat, nonce }
    }

    pub fn on_match_started(&mut self, started: &Match) {
        let commitment = started
            .seed_commitment
            .as_ref()
            .map_or(&[][..], |seed| &seed.commitment);
        self.keep_commitment(&started.id, commitment);
    }

    /// Checks the seed once for each match: a bot in several seats is told of the end for each of them.
    pub fn on_match_ended(&mut self, match_id: &str, published: &SeedCommitment) {
        let known = self.matches.remove(match_id);
        if let Some(known) = known.filter(|_| !published.commitment.is_empty()) {
            for problem in known.problems(published) {
                report(match_id, &problem);
            }
        }
    }

    /// Returns what is known about the match. The first commitment counts.
    fn keep_commitment(&mut self, match_id: &str, commitment: &[u8]) -> &mut Contribution {
        let known = self.matches.entry(match_id.into()).or_insert_with(|| Contribution {
            commitment: commitment.into(),
            nonces: BTreeMap::new(),
        });
        if known.commitment != commitment {
            report(match_id, REPLACED);
        }
        known
    }
}

/// Returns the bot's nonce, or a random one if its code fails.
fn chosen(choose: &ChooseNonce, match_id: &str, seat: u32) -> Vec<u8> {
    let problem = match catch_unwind(AssertUnwindSafe(|| choose(match_id, seat))) {
        Ok(nonce) if nonce.len() <= MAX_NONCE_BYTES => return nonce,
        Ok(nonce) => format!("it has {} bytes, the limit is {MAX_NONCE_BYTES}", nonce.len()),
        Err(panic) => panic_message(&*panic),
    };
    let problem = format!("the bot failed to choose a nonce, and a random one is sent: {problem}");
    report(match_id, &problem);
    random_nonce()
}

fn report(match_id: &str, problem: &str) {
    tracing::error!(match_id, "match {match_id}: {problem}");
}

impl Contribution {
    /// Returns what does not fit. The seed is checked if it is published, which duplicate play delays.
    fn problems(&self, published: &SeedCommitment) -> Vec<String> {
        let mut problems = Vec::new();
        if published.commitment != self.commitment {
            problems.push(REPLACED.to_owned());
        }
        let seed = &published.seed;
        if !seed.is_empty() && digest(&SHA256, seed).as_ref() != self.commitment {
            problems.push("the seed of the referee does not match its commitment".into());
        }
        for (&seat, nonce) in &self.nonces {
            let used = published.nonces.iter().find(|used| used.seat == seat);
            let used = used.map_or(&[][..], |used| &used.nonce);
            if used == nonce {
                continue;
            }
            problems.push(if used.is_empty() {
                format!(
                    "the seed was made without the nonce of seat {seat}: it was late, or the \
                     referee ignored it"
                )
            } else {
                format!("the seed was made with another nonce of seat {seat} than the one that was sent")
            });
        }
        problems
    }
}
