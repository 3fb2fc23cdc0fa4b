//! The open turns, and their answers.
//!
//! Pure: it receives the messages of the referee and the answers of the bot, and returns what is to be done. It
//! outlives the stream, so that an answer computed while there was no stream is sent when its turn is repeated.

use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};

use crate::api::{BotItem, ErrorDetail, Turn, Verdict, bot_item, verdict};

/// A turn as it is passed to the bot.
pub struct TurnRequest {
    pub turn: Turn,
    /// The error of the previous answer, if this is another attempt at the same move.
    pub rejection: Option<ErrorDetail>,
    open: Weak<()>,
}

impl TurnRequest {
    /// Whether the answer is no longer needed. A long computation may check this regularly, and stop.
    pub fn is_cancelled(&self) -> bool {
        self.open.strong_count() == 0
    }
}

/// What the caller has to do next.
pub(crate) enum Action {
    Nothing,
    /// Compute the answer to a turn.
    Choose(Box<TurnRequest>),
    Send(BotItem),
    /// Call `resend` for the turn after this time.
    ScheduleResend(TurnId, Duration),
}

/// Identifies a seat in a match, which has at most one open turn.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct SeatKey {
    match_id: String,
    seat: u32,
}

/// Identifies a turn. A token alone is not sufficient: turns of other matches may have the same one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnId {
    seat_key: SeatKey,
    token: String,
}

impl From<&Turn> for TurnId {
    fn from(turn: &Turn) -> Self {
        let (match_id, seat) = (turn.match_id.clone(), turn.seat);
        let seat_key = SeatKey { match_id, seat };
        let token = turn.turn_token.clone();
        Self { seat_key, token }
    }
}

/// All open turns.
#[derive(Default)]
pub(crate) struct OpenTurns {
    by_seat: HashMap<SeatKey, OpenTurn>,
    last_item_id: u64,
}

struct OpenTurn {
    token: String,
    answer: Option<BotItem>,
    /// The error of a rejected answer.
    rejection: Option<ErrorDetail>,
    /// Dropped when the turn is no longer open, which cancels the request.
    open: Arc<()>,
}

impl OpenTurns {
    /// Handles a turn. A turn with a new token replaces the previous turn of the seat.
    pub fn on_turn(&mut self, turn: Turn) -> Action {
        let id = TurnId::from(&turn);
        match self.by_seat.get(&id.seat_key) {
            Some(open) if open.token == id.token => open.resend(),
            _ => self.open(turn),
        }
    }

    /// Handles the bot's answer. Only the first answer to a turn is sent; all others are ignored.
    pub fn set_answer(&mut self, id: &TurnId, answer: bot_item::Item) -> Action {
        match self.by_seat.get_mut(&id.seat_key) {
            Some(open) if open.token == id.token && open.answer.is_none() => {
                self.last_item_id += 1;
                open.answer = Some(BotItem {
                    item_id: self.last_item_id,
                    item: Some(answer),
                });
                open.resend()
            }
            _ => Action::Nothing,
        }
    }

    /// Handles the verdict on an answer. It arrives before the next turn of the seat.
    pub fn on_verdict(&mut self, verdict: Verdict) -> Action {
        let Some((key, open)) = self.by_seat.iter_mut().find(|(key, open)| open.matches(key, &verdict)) else {
            return Action::Nothing;
        };
        let seat_key = key.clone();
        match verdict.outcome {
            Some(verdict::Outcome::Stale(_)) => {
                self.by_seat.remove(&seat_key);
            }
            Some(verdict::Outcome::Rejected(rejected)) => {
                let rejection = rejected.error.unwrap_or_default();
                // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
                if let Some(delay_ms) = rejection.metadata.get("retry_after_ms") {
                    let token = open.token.clone();
                    return Action::ScheduleResend(TurnId { seat_key, token }, parse_milliseconds(delay_ms));
                }
                open.rejection = Some(rejection);
            }
            Some(verdict::Outcome::Accepted(_)) | None => {}
        }
        Action::Nothing
    }

    /// Sends the answer to a turn again, if the turn is still open.
    pub fn resend(&self, id: &TurnId) -> Action {
        match self.by_seat.get(&id.seat_key) {
            Some(open) if open.token == id.token => open.resend(),
            _ => Action::Nothing,
        }
    }

    /// Handles a turn that no longer needs an answer.
    pub fn on_turn_expired(&mut self, match_id: &str, token: &str) {
        self.by_seat
            .retain(|key, open| key.match_id != match_id || open.token != token);
    }

    /// Handles the end of a match, whether or not it was known.
    pub fn on_match_ended(&mut self, match_id: &str) {
        self.by_seat.retain(|key, _| key.match_id != match_id);
    }

    fn open(&mut self, turn: Turn) -> Action {
        let TurnId { seat_key, token } = TurnId::from(&turn);
        let opened = OpenTurn {
            token,
            answer: None,
            rejection: None,
            open: Arc::new(()),
        };
        let open = Arc::downgrade(&opened.open);
        let previous = self.by_seat.insert(seat_key, opened);
        let rejection = previous.and_then(|previous| previous.rejection);
        Action::Choose(Box::new(TurnRequest { turn, rejection, open }))
    }
}

impl OpenTurn {
    /// Sends the answer, if there is one.
    fn resend(&self) -> Action {
        self.answer.clone().map_or(Action::Nothing, Action::Send)
    }

    /// Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
    fn matches(&self, key: &SeatKey, verdict: &Verdict) -> bool {
        if verdict.turn_token.is_empty() {
            return self
                .answer
                .as_ref()
                .is_some_and(|answer| answer.item_id == verdict.item_id);
        }
        key.match_id == verdict.match_id && self.token == verdict.turn_token
    }
}

fn parse_milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests;
