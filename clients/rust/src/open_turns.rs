//! The open turns, and their answers.
//!
//! Pure: it receives the messages of the referee and the answers of the bot, and returns what is to be done. It
//! outlives the stream, so that an answer computed while there was no stream is sent when its turn is repeated.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio_util::sync::DropGuard;

use crate::{
    RefereeError, Turn,
    api::{BotItem, Verdict, bot_item, verdict},
};

/// What the caller has to do next.
pub(crate) enum Action {
    Nothing,
    /// Compute the answer to a turn.
    Choose(CallId, Arc<Turn>),
    Send(BotItem),
    /// Call `resend` after this time.
    ScheduleResend(CallId, Duration),
}

/// Identifies a seat in a match, which has at most one open turn.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) struct SeatKey {
    pub match_id: String,
    pub seat: u32,
}

/// Identifies a call of the bot. A token alone is not sufficient: turns of other matches may have the same one, and the
/// bot is called twice for a turn if its answer about a draw was rejected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallId {
    seat_key: SeatKey,
    /// The item id of the answer.
    item_id: u64,
}

/// All open turns.
#[derive(Default)]
pub(crate) struct OpenTurns {
    by_seat: HashMap<SeatKey, OpenTurn>,
    last_item_id: u64,
}

struct OpenTurn {
    turn: Arc<Turn>,
    item_id: u64,
    answer: Option<BotItem>,
    /// Whether it has arrived in this stream.
    has_arrived: bool,
    /// The error of a rejected answer.
    rejection: Option<RefereeError>,
    /// Cancels the call when the turn is no longer open.
    _cancel: DropGuard,
}

impl OpenTurns {
    pub fn has_any(&self) -> bool {
        !self.by_seat.is_empty()
    }

    /// Handles the start of a stream. Until a turn arrives again, its answer waits: otherwise it would be sent twice.
    pub fn on_session_started(&mut self) {
        self.by_seat.values_mut().for_each(|open| open.has_arrived = false);
    }

    /// Handles a turn. A turn with a new token replaces the previous turn of the seat.
    pub fn on_turn(&mut self, mut turn: Turn) -> Action {
        let key = turn.seat_key();
        match self.by_seat.remove(&key) {
            Some(mut open) if open.turn.token == turn.token => {
                open.has_arrived = true;
                let action = open.resend();
                self.by_seat.insert(key, open);
                action
            }
            previous => {
                turn.rejection = previous.and_then(|previous| previous.rejection);
                self.open(turn)
            }
        }
    }

    /// Handles the bot's answer. Only the first answer to a call is sent; all others are ignored.
    pub fn set_answer(&mut self, call: &CallId, answer: bot_item::Item) -> Action {
        match self.get_mut(call) {
            Some(open) if open.answer.is_none() => {
                open.answer = Some(BotItem {
                    item_id: open.item_id,
                    item: Some(answer),
                });
                open.resend()
            }
            _ => Action::Nothing,
        }
    }

    /// Sends the answer of a call again, if its turn is still open and has arrived in this stream.
    pub fn resend(&mut self, call: &CallId) -> Action {
        self.get_mut(call).map_or(Action::Nothing, |open| open.resend())
    }

    /// Handles the verdict on an answer. It arrives before the next turn of the seat.
    pub fn on_verdict(&mut self, verdict: Verdict) -> Action {
        let mut all = self.by_seat.iter_mut();
        let Some((key, open)) = all.find(|(key, open)| open.matches(key, &verdict)) else {
            return Action::Nothing;
        };
        let seat_key = key.clone();
        match verdict.outcome {
            Some(verdict::Outcome::Stale(_)) => {
                self.by_seat.remove(&seat_key);
            }
            Some(verdict::Outcome::Rejected(rejected)) => {
                let rejection = RefereeError::from(rejected.error.unwrap_or_default());
                // Temporary (store unavailable, match in transfer): the turn stays open and is not sent again.
                if let Some(delay) = rejection.retry_after() {
                    let item_id = open.item_id;
                    return Action::ScheduleResend(CallId { seat_key, item_id }, delay);
                }
                if open.is_about_draw() {
                    // It does not answer the turn, which is still open.
                    let mut again = Turn::clone(&open.turn);
                    again.rejection = Some(rejection);
                    return self.open(again);
                }
                open.rejection = Some(rejection);
            }
            Some(verdict::Outcome::Accepted(_)) | None => {}
        }
        Action::Nothing
    }

    /// Handles a turn that no longer needs an answer.
    pub fn on_turn_expired(&mut self, match_id: &str, token: &str) {
        self.by_seat
            .retain(|key, open| key.match_id != match_id || open.turn.token != token);
    }

    /// Handles the end of a match, whether or not it was known.
    pub fn on_match_ended(&mut self, match_id: &str) {
        self.by_seat.retain(|key, _| key.match_id != match_id);
    }

    fn get_mut(&mut self, call: &CallId) -> Option<&mut OpenTurn> {
        self.by_seat
            .get_mut(&call.seat_key)
            .filter(|open| open.item_id == call.item_id)
    }

    fn open(&mut self, mut turn: Turn) -> Action {
        self.last_item_id += 1;
        let item_id = self.last_item_id;
        turn.cancellation = Default::default();
        let seat_key = turn.seat_key();
        let opened = OpenTurn {
            _cancel: turn.cancellation.clone().drop_guard(),
            turn: Arc::new(turn),
            item_id,
            answer: None,
            has_arrived: true,
            rejection: None,
        };
        let turn = opened.turn.clone();
        self.by_seat.insert(seat_key.clone(), opened);
        Action::Choose(CallId { seat_key, item_id }, turn)
    }
}

impl OpenTurn {
    /// Sends the answer, if there is one and its turn has arrived in this stream.
    fn resend(&self) -> Action {
        let answer = self.answer.clone().filter(|_| self.has_arrived);
        answer.map_or(Action::Nothing, Action::Send)
    }

    /// Whether it is the verdict on this turn's answer. Only verdicts on moves contain the token.
    fn matches(&self, key: &SeatKey, verdict: &Verdict) -> bool {
        if verdict.turn_token.is_empty() {
            return self.answer.is_some() && self.item_id == verdict.item_id;
        }
        key.match_id == verdict.match_id && self.turn.token == verdict.turn_token
    }

    fn is_about_draw(&self) -> bool {
        let item = self.answer.as_ref().and_then(|answer| answer.item.as_ref());
        matches!(item, Some(bot_item::Item::DrawAnswer(_) | bot_item::Item::DrawClaim(_)))
    }
}

impl Turn {
    pub(crate) fn seat_key(&self) -> SeatKey {
        SeatKey {
            match_id: self.match_id.clone(),
            seat: self.seat,
        }
    }
}
