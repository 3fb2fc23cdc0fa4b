//! The bots of all seats, and their calls: one after the other for each seat.

use std::{
    any::Any,
    collections::{HashMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    Answer, Bot, Bots, End, Match, Turn,
    api::{self, MatchEnded, MatchStarted, Rules, bot_item},
    error::message_with_causes,
    open_turns::SeatKey,
    options::Spawn,
};

/// Holds the bot of each seat, and calls it.
pub(crate) struct Seats {
    bots: Bots,
    spawn: Spawn,
    by_key: HashMap<SeatKey, Seat>,
}

struct Seat {
    /// Those that arrived last for this seat: turns omit large ones.
    rules: Rules,
    calls: Arc<Calls>,
}

impl Seats {
    pub fn new(bots: Bots, spawn: Spawn) -> Self {
        let by_key = HashMap::new();
        Self { bots, spawn, by_key }
    }

    /// Tells the bot, once for each seat.
    pub fn on_match_started(&mut self, message: MatchStarted) {
        let started = message.r#match.unwrap_or_default();
        let rules = started.terms.as_ref().and_then(|terms| terms.rules.clone());
        let seat = message.seat;
        let match_id = started.id.clone();
        let key = SeatKey { match_id, seat };
        let known = self.by_key.contains_key(&key);
        self.get_mut(&key).rules = rules.unwrap_or_default();
        if !known {
            let started = Match::from(started);
            let call = move |bot: &mut dyn Bot| {
                call_hook("started", &started.id, seat, || bot.started(&started, seat));
            };
            self.start(&key, Box::new(call));
        }
    }

    /// Returns the turn as the bot gets it.
    pub fn turn(&mut self, mut message: api::Turn) -> Turn {
        let (match_id, seat) = (message.match_id.clone(), message.seat);
        let known = self.get_mut(&SeatKey { match_id, seat });
        if let Some(rules) = message.rules.take() {
            known.rules = rules;
        }
        let rules = known.rules.clone();
        Turn::from_message(message, rules)
    }

    /// Computes the answer to a turn, and calls back unless the answer is no longer needed.
    pub fn choose(&mut self, turn: Arc<Turn>, answered: impl FnOnce(bot_item::Item) + Send + 'static) {
        let key = turn.seat_key();
        let call = move |bot: &mut dyn Bot| {
            if !turn.is_cancelled() {
                answered(choose_answer(bot, &turn));
            }
        };
        self.start(&key, Box::new(call));
    }

    /// Tells the bot, once for each seat that is known.
    pub fn on_match_ended(&mut self, message: MatchEnded) {
        let end = End::from_message(message);
        let match_id = end.match_id.clone();
        let key = SeatKey {
            match_id,
            seat: end.seat,
        };
        if self.by_key.contains_key(&key) {
            let call = move |bot: &mut dyn Bot| call_hook("ended", &end.match_id, end.seat, || bot.ended(&end));
            self.start(&key, Box::new(call));
            self.by_key.remove(&key);
        }
    }

    fn get_mut(&mut self, key: &SeatKey) -> &mut Seat {
        self.by_key.entry(key.clone()).or_insert_with(|| Seat {
            rules: Rules::default(),
            calls: Arc::new(Calls::new(self.bots.create())),
        })
    }

    fn start(&mut self, key: &SeatKey, call: BotCall) {
        let calls = self.get_mut(key).calls.clone();
        if calls.add(call) {
            (self.spawn)(Box::new(move || calls.run()));
        }
    }
}

type BotCall = Box<dyn FnOnce(&mut dyn Bot) + Send>;

/// The calls of one bot, which are made one after the other.
struct Calls(Mutex<CallQueue>);

struct CallQueue {
    /// None while calls are made.
    idle: Option<Box<dyn Bot>>,
    /// Whether somebody makes the calls.
    running: bool,
    waiting: VecDeque<BotCall>,
}

impl Calls {
    fn new(bot: Box<dyn Bot>) -> Self {
        Self(Mutex::new(CallQueue {
            idle: Some(bot),
            running: false,
            waiting: VecDeque::new(),
        }))
    }

    /// Adds a call. If nobody makes the calls, `run` must be called, and true is returned.
    fn add(&self, call: BotCall) -> bool {
        let mut queue = self.lock();
        queue.waiting.push_back(call);
        !std::mem::replace(&mut queue.running, true)
    }

    /// Makes calls until none is waiting.
    fn run(&self) {
        let Some(mut bot) = self.lock().idle.take() else { return };
        loop {
            let next = {
                let mut queue = self.lock();
                match queue.waiting.pop_front() {
                    Some(call) => call,
                    None => {
                        queue.idle = Some(bot);
                        queue.running = false;
                        return;
                    }
                }
            };
            next(bot.as_mut());
        }
    }

    fn lock(&self) -> MutexGuard<'_, CallQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the bot's answer, or its resignation if its code fails.
pub(crate) fn choose_answer(bot: &mut dyn Bot, turn: &Turn) -> bot_item::Item {
    let reason = match catch_unwind(AssertUnwindSafe(|| bot.choose(turn))) {
        Ok(Ok(answer)) => return answer.into_item(turn),
        Ok(Err(error)) => message_with_causes(&*error),
        Err(panic) => panic_message(&*panic),
    };
    let (match_id, seat, ply) = (&turn.match_id, turn.seat, turn.ply);
    if !turn.is_cancelled() {
        tracing::error!(
            match_id,
            seat,
            ply,
            "match {match_id}, seat {seat}, ply {ply}: the bot failed and resigns: {reason}"
        );
    }
    Answer::Resign.into_item(turn)
}

/// Calls a method of the bot, and reports a panic.
fn call_hook(name: &str, match_id: &str, seat: u32, call: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
        let reason = panic_message(&*panic);
        tracing::error!(
            match_id,
            seat,
            "match {match_id}, seat {seat}: {name} of the bot failed: {reason}"
        );
    }
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic").into()
}

#[cfg(test)]
#[path = "seats_tests.rs"]
mod tests;
