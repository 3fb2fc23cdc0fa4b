//! The turns that are owed, and the answers that were found.
//!
//! Pure: it is told what the referee and the bot say, and tells what is to be done. It outlives the stream, so that
//! an answer found while nobody was there to hear it is said when its turn is asked again.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use crate::api::{FromBot, Refusal, Turn, Verdict, from_bot, verdict};

/// A turn as the bot is asked it.
pub struct Asked {
    pub turn: Turn,
    /// Why the last answer was refused, if this is another attempt at the same move.
    pub refused: Option<Refusal>,
    life: Weak<()>,
}

impl Asked {
    /// Whether an answer is still wanted. A bot that thinks for long may look now and then, and stop.
    pub fn wanted(&self) -> bool {
        self.life.strong_count() > 0
    }
}

/// What is to be done.
pub(crate) enum Next {
    Nothing,
    Think(Box<Asked>),
    Say(FromBot),
    /// Tell the desk that the turn is `due` when this time has passed.
    Later(TurnId, Duration),
}

/// A seat in a match owes one turn at most.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Place {
    match_id: String,
    seat: u32,
}

/// Which turn is meant. A token alone does not say: turns of other matches may have it too.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnId {
    place: Place,
    token: String,
}

impl From<&Turn> for TurnId {
    fn from(turn: &Turn) -> Self {
        let (match_id, seat) = (turn.match_id.clone(), turn.seat);
        let place = Place { match_id, seat };
        let token = turn.token.clone();
        Self { place, token }
    }
}

/// All turns that are owed.
#[derive(Default)]
pub(crate) struct Desk {
    owed: HashMap<Place, Owed>,
    answers: u64,
}

struct Owed {
    token: String,
    answer: Option<FromBot>,
    /// What was wrong with it.
    refused: Option<Refusal>,
    /// Its end tells the bot that the turn is owed no more.
    life: Arc<()>,
}

impl Desk {
    /// A turn is asked. One with a new token takes the place of the seat's turn before it.
    pub fn asked(&mut self, turn: Turn) -> Next {
        let id = TurnId::from(&turn);
        match self.owed.get(&id.place) {
            Some(owed) if owed.token == id.token => owed.say(),
            _ => self.begin(turn),
        }
    }

    /// The bot has found its answer. The first to a turn is said; nobody hears of another.
    pub fn found(&mut self, id: &TurnId, answer: from_bot::Item) -> Next {
        match self.owed.get_mut(&id.place) {
            Some(owed) if owed.token == id.token && owed.answer.is_none() => {
                self.answers += 1;
                owed.answer = Some(FromBot {
                    item_id: self.answers,
                    item: Some(answer),
                });
                owed.say()
            }
            _ => Next::Nothing,
        }
    }

    /// The referee has judged an answer. It says so before it asks the seat's next turn.
    pub fn judged(&mut self, verdict: Verdict) -> Next {
        let Some((place, owed)) = self.owed.iter_mut().find(|(at, owed)| owed.is_meant(at, &verdict)) else {
            return Next::Nothing;
        };
        let place = place.clone();
        match verdict.outcome {
            Some(verdict::Outcome::Stale(_)) => {
                self.owed.remove(&place);
            }
            Some(verdict::Outcome::Refused(refused)) => {
                let refusal = refused.refusal.unwrap_or_default();
                // A store that is away, or a match on its way elsewhere: the turn stands, and is not asked again.
                if let Some(after_ms) = refusal.metadata.get("retry_after_ms") {
                    let token = owed.token.clone();
                    return Next::Later(TurnId { place, token }, milliseconds(after_ms));
                }
                owed.refused = Some(refusal);
            }
            Some(verdict::Outcome::Accepted(_)) | None => {}
        }
        Next::Nothing
    }

    /// The time has come that `Next::Later` spoke of.
    pub fn due(&self, id: &TurnId) -> Next {
        match self.owed.get(&id.place) {
            Some(owed) if owed.token == id.token => owed.say(),
            _ => Next::Nothing,
        }
    }

    /// A turn needs no answer any more.
    pub fn lapsed(&mut self, match_id: &str, token: &str) {
        self.owed
            .retain(|at, owed| at.match_id != match_id || owed.token != token);
    }

    /// A match is over, whether it was known or not.
    pub fn ended(&mut self, match_id: &str) {
        self.owed.retain(|at, _| at.match_id != match_id);
    }

    fn begin(&mut self, turn: Turn) -> Next {
        let TurnId { place, token } = TurnId::from(&turn);
        let owed = Owed {
            token,
            answer: None,
            refused: None,
            life: Arc::new(()),
        };
        let life = Arc::downgrade(&owed.life);
        let refused = self.owed.insert(place, owed).and_then(|before| before.refused);
        Next::Think(Box::new(Asked { turn, refused, life }))
    }
}

impl Owed {
    /// The answer, if it is found already: for the first time, or again.
    fn say(&self) -> Next {
        self.answer.clone().map_or(Next::Nothing, Next::Say)
    }

    /// Only of a move does the verdict repeat the token.
    fn is_meant(&self, at: &Place, verdict: &Verdict) -> bool {
        if verdict.token.is_empty() {
            return self.answer.as_ref().is_some_and(|said| said.item_id == verdict.item_id);
        }
        at.match_id == verdict.match_id && self.token == verdict.token
    }
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests;
