use std::{
    cell::Cell,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::Instant,
};

use super::{ItemIds, key, key_of, list, load, message, number, text};
use crate::{
    Answer, Bot, BotError, End, IntoBots, Match, Options, Turn,
    api::{BotItem, bot_item::Item as Sent},
    per_seat,
    player::{Answered, Player},
    seats::choose_answer,
};

/// What this client offers of that which some vectors need.
const OFFERED: [&str; 3] = ["draws", "hooks", "rules"];

/// Returns what the code of the bot does.
fn given(answer: &Value) -> Result<Answer, BotError> {
    let is = |name: &str| answer[name] == true;
    match answer["move"].as_str() {
        Some(text) if is("offer_draw") => Ok(Answer::Choice {
            text: text.into(),
            offer_draw: true,
            score: None,
        }),
        Some(text) => Ok(text.into()),
        None if is("resigns") => Ok(Answer::Resign),
        None if is("accepts_draw") => Ok(Answer::AcceptDraw),
        None if is("claims_draw") => Ok(Answer::ClaimDraw),
        None if is("fails") => Err("no idea".into()),
        None => panic!("the answer is unknown here"),
    }
}

/// What the bot is called for, and what it is told.
#[derive(Default)]
struct Diary {
    turns: Vec<Turn>,
    tells: Vec<Value>,
}

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Diary>>);

impl Bot for Recorder {
    fn started(&mut self, game: &Match, seat: u32) {
        let mut diary = self.0.lock().unwrap();
        diary.tells.push(json!({"started": {"match": game.id, "seat": seat}}));
    }

    /// Its answer is not used: the answers come from the steps.
    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError> {
        self.0.lock().unwrap().turns.push(turn.clone());
        Ok(Answer::Resign)
    }

    fn ended(&mut self, end: &End) {
        let mut diary = self.0.lock().unwrap();
        let told = json!({"ended": {"match": end.match_id, "seat": end.seat}});
        diary.tells.push(told);
    }
}

/// A call of the bot that has not ended.
struct OpenCall {
    turn: Turn,
    answered: Answered,
    /// Whether it has been answered, or is known to be cancelled.
    done: bool,
}

thread_local! {
    /// The time of the vectors, which passes in their steps only.
    static NOW: Cell<Instant> = Cell::new(Instant::now());
}

/// Runs the steps of a vector: answers of the bot and the time come from them.
struct Harness {
    player: Player,
    recorder: Recorder,
    calls: Vec<OpenCall>,
    item_ids: ItemIds,
    outgoing: UnboundedSender<Vec<BotItem>>,
    sent: UnboundedReceiver<Vec<BotItem>>,
}

impl Harness {
    fn new() -> Self {
        let recorder = Recorder::default();
        let bots = per_seat({
            let recorder = recorder.clone();
            move || recorder.clone()
        });
        let options = Options::new("localhost:7700", "secret").spawner(|call| call());
        let mut player = Player::new(bots, options).unwrap();
        let (outgoing, sent) = unbounded_channel();
        player.outgoing = Some(outgoing.clone());
        player.now = || NOW.get();
        Self {
            player,
            recorder,
            calls: Vec::new(),
            item_ids: ItemIds::new(),
            outgoing,
            sent,
        }
    }

    /// Runs a step, and returns what the client sends, and what the bot is called for and told.
    fn run(&mut self, step: &Value) -> (Vec<BotItem>, Diary) {
        for item in list(&step["receive"]) {
            self.player.handle(message(item, &self.item_ids)).unwrap();
        }
        match step["stream"].as_str() {
            Some("ends") => self.player.outgoing = None,
            Some("opens") => self.player.start_session(self.outgoing.clone()),
            Some(other) => panic!("{other} is unknown here"),
            None => {}
        }
        NOW.set(NOW.get() + Duration::from_millis(number(&step["advance_ms"])));
        self.player.resend_due();
        if step["answer"].is_object() {
            self.answer(&step["answer"]);
        }
        self.player.flush();
        let sent = self.sent.try_recv().unwrap_or_default(); // One message.
        if let (true, Some(item)) = (step["answer"].is_object(), sent.first()) {
            self.item_ids.insert(key_of(&step["answer"]).to_string(), item.item_id);
        }
        let diary = std::mem::take(&mut *self.recorder.0.lock().unwrap());
        for turn in &diary.turns {
            self.calls.push(OpenCall {
                turn: turn.clone(),
                answered: self.player.answers.try_recv().unwrap(),
                done: false,
            });
        }
        (sent, diary)
    }

    /// Lets the bot answer its last call for a turn.
    fn answer(&mut self, answer: &Value) {
        let mut calls = self.calls.iter_mut();
        let call = calls.rfind(|call| key_of_turn(&call.turn) == key_of(answer)).unwrap();
        call.done = true;
        let answer = answer.clone();
        let mut bot = (move |_: &Turn| given(&answer)).into_bots().create();
        let (call, answer) = (call.answered.call.clone(), choose_answer(&mut *bot, &call.turn));
        self.player.on_answer(Answered { call, answer });
    }

    /// Returns the calls that are cancelled now and were not before, in order.
    fn newly_cancelled(&mut self) -> Vec<Value> {
        let calls = self.calls.iter_mut();
        let cancelled = calls.filter(|call| !call.done && call.turn.is_cancelled());
        let mark = |call: &mut OpenCall| {
            call.done = true;
            key_of_turn(&call.turn)
        };
        cancelled.map(mark).collect()
    }
}

fn key_of_turn(turn: &Turn) -> Value {
    key(&turn.match_id, turn.seat, &turn.token)
}

/// Returns an item as the vectors write it.
fn sent_form(item: &BotItem) -> Value {
    match item.item.clone().unwrap() {
        Sent::Move(sent) => {
            let mut form = json!({"match": sent.match_id, "token": sent.turn_token, "move": sent.r#move});
            if sent.offer_draw {
                form["offer_draw"] = true.into();
            }
            json!({ "move": form })
        }
        Sent::Resignation(sent) => json!({"resignation": {"match": sent.match_id, "seat": sent.seat}}),
        Sent::DrawAnswer(sent) => {
            json!({"draw_answer": {"match": sent.match_id, "seat": sent.seat, "accept": sent.accept}})
        }
        Sent::DrawClaim(sent) => json!({"draw_claim": {"match": sent.match_id, "seat": sent.seat}}),
        Sent::Nonce(sent) => json!({"nonce": {"match": sent.match_id, "seat": sent.seat}}),
        Sent::Pong(sent) => json!({"pong": {"id": sent.id.to_string()}}),
        other => panic!("{other:?}"),
    }
}

/// Checks that the same answer has the same item id again, and each other answer another one.
fn check_item_ids(name: &str, known: &mut Vec<(Value, u64)>, item: &BotItem) {
    if matches!(item.item, Some(Sent::Pong(_) | Sent::Nonce(_))) {
        return;
    }
    assert_ne!(item.item_id, 0, "{name}");
    let form = sent_form(item);
    for (other, id) in known.iter() {
        assert_eq!(*other == form, *id == item.item_id, "{name}: {other} and {form}");
    }
    known.push((form, item.item_id));
}

#[test]
fn turns() {
    run_vectors("turns.json");
}

#[test]
fn open_turns() {
    run_vectors("open_turns.json");
}

fn run_vectors(file: &str) {
    for vector in list(&load(file)["vectors"]) {
        let needs = list(&vector["needs"]);
        assert!(
            needs.iter().all(|need| OFFERED.contains(&text(need).as_str())),
            "{needs:?}"
        );
        let mut harness = Harness::new();
        let mut item_ids = Vec::new();
        for (number, step) in list(&vector["steps"]).iter().enumerate() {
            let name = format!("{}, step {number}", vector["name"]);
            let (sent, diary) = harness.run(step);
            assert_eq!(
                sent.iter().map(sent_form).collect::<Vec<_>>(),
                list(&step["sends"]),
                "{name}"
            );
            sent.iter().for_each(|item| check_item_ids(&name, &mut item_ids, item));
            let cancels: Vec<_> = list(&step["cancels"]).iter().map(key_of).collect();
            assert_eq!(harness.newly_cancelled(), cancels, "{name}");
            if needs.iter().any(|need| need == "hooks") {
                assert_eq!(diary.tells, list(&step["tells"]), "{name}");
            }
            check_calls(&name, &diary.turns, list(&step["calls"]));
        }
    }
}

fn check_calls(name: &str, turns: &[Turn], calls: &[Value]) {
    assert_eq!(turns.len(), calls.len(), "{name}");
    for (turn, call) in turns.iter().zip(calls) {
        assert_eq!(key_of_turn(turn), key_of(call), "{name}");
        let rejection = turn.rejection.as_ref().map(|error| error.message.as_str());
        assert_eq!(rejection, call["rejection"].as_str(), "{name}");
        if let Some(game) = call["game"].as_str() {
            assert_eq!(turn.game, game, "{name}");
        }
    }
}
