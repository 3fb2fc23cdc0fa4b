//! The open turns, and their answers.
//!
//! Pure: it receives the messages of the referee and the answers of the bot, and returns what is to be done. It
//! outlives the stream, so that an answer found while there was no stream is sent when its turn is repeated.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use crate::api::{BotItem, ErrorDetail, Turn, Verdict, bot_item, verdict};

/// A turn as it is passed to the bot.
pub struct Asked {
    pub turn: Turn,
    /// The error of the last answer, if this is another attempt at the same move.
    pub refused: Option<ErrorDetail>,
    life: Weak<()>,
}

impl Asked {
    /// Whether an answer is still needed. A bot that thinks for long may check this regularly, and stop.
    pub fn wanted(&self) -> bool {
        self.life.strong_count() > 0
    }
}

/// What is to be done next.
pub(crate) enum Next {
    Nothing,
    Think(Box<Asked>),
    Say(BotItem),
    /// Call `due` for the turn after this time.
    Later(TurnId, Duration),
}

/// A seat in a match, which has at most one open turn.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Place {
    match_id: String,
    seat: u32,
}

/// Identifies a turn. A token alone is not sufficient: turns of other matches may have the same one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnId {
    place: Place,
    token: String,
}

impl From<&Turn> for TurnId {
    fn from(turn: &Turn) -> Self {
        let (match_id, seat) = (turn.match_id.clone(), turn.seat);
        let place = Place { match_id, seat };
        let token = turn.turn_token.clone();
        Self { place, token }
    }
}

/// All open turns.
#[derive(Default)]
pub(crate) struct Desk {
    owed: HashMap<Place, Owed>,
    answers: u64,
}

struct Owed {
    token: String,
    answer: Option<BotItem>,
    /// The error of a rejected answer.
    refused: Option<ErrorDetail>,
    /// Dropped when the turn is no longer open, which the bot can see.
    life: Arc<()>,
}

impl Desk {
    /// Handles a turn. A turn with a new token replaces the previous turn of the seat.
    pub fn asked(&mut self, turn: Turn) -> Next {
        let id = TurnId::from(&turn);
        match self.owed.get(&id.place) {
            Some(owed) if owed.token == id.token => owed.say(),
            _ => self.begin(turn),
        }
    }

    /// Handles the bot's answer. Only the first answer to a turn is sent; all others are dropped.
    pub fn found(&mut self, id: &TurnId, answer: bot_item::Item) -> Next {
        match self.owed.get_mut(&id.place) {
            Some(owed) if owed.token == id.token && owed.answer.is_none() => {
                self.answers += 1;
                owed.answer = Some(BotItem {
                    item_id: self.answers,
                    item: Some(answer),
                });
                owed.say()
            }
            _ => Next::Nothing,
        }
    }

    /// Handles the verdict on an answer. It arrives before the next turn of the seat.
    pub fn judged(&mut self, verdict: Verdict) -> Next {
        let Some((place, owed)) = self.owed.iter_mut().find(|(at, owed)| owed.is_meant(at, &verdict)) else {
            return Next::Nothing;
        };
        let place = place.clone();
        match verdict.outcome {
            Some(verdict::Outcome::Stale(_)) => {
                self.owed.remove(&place);
            }
            Some(verdict::Outcome::Rejected(rejection)) => {
                let refusal = rejection.error.unwrap_or_default();
                // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
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

    /// Continues after the delay of `Next::Later`.
    pub fn due(&self, id: &TurnId) -> Next {
        match self.owed.get(&id.place) {
            Some(owed) if owed.token == id.token => owed.say(),
            _ => Next::Nothing,
        }
    }

    /// Handles a turn that no longer needs an answer.
    pub fn lapsed(&mut self, match_id: &str, token: &str) {
        self.owed
            .retain(|at, owed| at.match_id != match_id || owed.token != token);
    }

    /// Handles the end of a match, whether or not it was known.
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
    /// Sends or repeats the answer, if there is one.
    fn say(&self) -> Next {
        self.answer.clone().map_or(Next::Nothing, Next::Say)
    }

    /// Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
    fn is_meant(&self, at: &Place, verdict: &Verdict) -> bool {
        if verdict.turn_token.is_empty() {
            return self.answer.as_ref().is_some_and(|said| said.item_id == verdict.item_id);
        }
        at.match_id == verdict.match_id && self.token == verdict.turn_token
    }
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests;
