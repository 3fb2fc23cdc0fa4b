use std::{
    sync::mpsc::{Sender, channel},
    thread,
};

use super::*;
use crate::{BotError, IntoBots, Options, api::Turn as TurnMessage, async_bot, per_seat};

/// Returns seats whose calls are made at once.
fn seats(bots: impl IntoBots) -> Seats {
    Seats::new(bots.into_bots(), Arc::new(|call| call()))
}

fn turn(ply: u32) -> Turn {
    let message = TurnMessage {
        match_id: "m1".into(),
        seat: 2,
        ply,
        ..TurnMessage::default()
    };
    Turn::from_message(message, Rules::default())
}

#[test]
fn a_bot_that_panics_or_returns_an_error_resigns() {
    let mut seats = seats(|turn: &Turn| -> Result<String, BotError> {
        match turn.ply {
            0 => panic!("no idea"),
            _ => Err("no idea".into()),
        }
    });
    for ply in [0, 1] {
        let (sender, answers) = channel();
        seats.choose(Arc::new(turn(ply)), move |answer| sender.send(answer).unwrap());
        assert_eq!(answers.recv().unwrap(), Answer::Resign.into_item(&turn(ply)));
    }
}

#[test]
fn a_call_that_was_cancelled_before_it_began_is_not_made() {
    let mut seats = seats(|_: &Turn| -> String { panic!("called") });
    let cancelled = turn(0);
    cancelled.cancellation().cancel();
    seats.choose(Arc::new(cancelled), |_| panic!("answered"));
}

/// Writes down its calls, and sends them at the end.
struct Diary(Vec<String>, Sender<Vec<String>>);

impl Bot for Diary {
    fn started(&mut self, game: &Match, seat: u32) {
        self.0.push(format!("started {}.{seat}", game.id));
    }

    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError> {
        self.0.push(format!("chose {}", turn.ply));
        Ok(Answer::Resign)
    }

    fn ended(&mut self, end: &End) {
        self.0.push(format!("ended {}", end.match_id));
        self.1.send(self.0.clone()).unwrap();
    }
}

#[test]
fn a_bot_per_seat_is_told_everything_in_order() {
    let (sender, diaries) = channel();
    let bots = per_seat(move || Diary(Vec::new(), sender.clone()));
    let spawn = |call: crate::Call| drop(thread::spawn(call));
    let mut seats = Seats::new(bots, Arc::new(spawn));
    seats.on_match_started(MatchStarted {
        r#match: Some(api::Match {
            id: "m1".into(),
            ..api::Match::default()
        }),
        seat: 2,
        ..MatchStarted::default()
    });
    for ply in 0..50 {
        seats.choose(Arc::new(turn(ply)), |_| ());
    }
    let (match_id, seat) = ("m1".into(), 2);
    seats.on_match_ended(MatchEnded {
        match_id,
        seat,
        ..MatchEnded::default()
    });
    let mut expected = vec!["started m1.2".to_owned()];
    expected.extend((0..50).map(|ply| format!("chose {ply}")));
    expected.push("ended m1".into());
    assert_eq!(diaries.recv().unwrap(), expected);
    assert!(seats.by_key.is_empty());
}

/// Returns the answer of a call that is made as `play` makes it: on a blocking thread of a runtime.
fn async_answer(bots: Bots, turn: Turn) -> bot_item::Item {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut seats = Seats::new(bots, Options::new("", "").spawn);
    let (sender, answers) = tokio::sync::oneshot::channel();
    runtime.block_on(async {
        seats.choose(Arc::new(turn), move |answer| sender.send(answer).unwrap());
        answers.await.unwrap()
    })
}

#[test]
fn an_async_function_is_a_bot() {
    let bots = async_bot(|turn: Turn| async move {
        tokio::task::yield_now().await;
        format!("move {}", turn.ply)
    });
    assert_eq!(async_answer(bots, turn(7)), Answer::from("move 7").into_item(&turn(7)));
}

#[test]
fn the_future_of_a_turn_is_dropped_when_its_answer_is_no_longer_needed() {
    let bots = async_bot(|turn: Turn| async move {
        turn.cancellation().cancel();
        std::future::pending::<String>().await
    });
    async_answer(bots, turn(7));
}
