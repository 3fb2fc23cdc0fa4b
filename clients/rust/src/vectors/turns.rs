use std::{
    cell::Cell,
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::Instant,
};

use super::{Item, Key, load};
use crate::{
    Answer, Bot, BotError, End, Match, Options, Turn,
    api::{BotItem, bot_item::Item as Sent},
    per_seat,
    player::{Answered, Player},
    seats::choose_answer,
};

/// What this client offers of that which some vectors need.
const OFFERED: [&str; 3] = ["draws", "hooks", "rules"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turns {
    vectors: Vec<TurnVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(default)]
    receive: Vec<Item>,
    answer: Option<Given>,
    stream: Option<String>,
    advance_ms: Option<u64>,
    #[serde(default)]
    sends: Vec<Value>,
    #[serde(default)]
    calls: Vec<Call>,
    #[serde(default)]
    cancels: Vec<Key>,
    #[serde(default)]
    tells: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    token: String,
    r#move: Option<String>,
    #[serde(default)]
    offer_draw: bool,
    #[serde(default)]
    resigns: bool,
    #[serde(default)]
    accepts_draw: bool,
    #[serde(default)]
    claims_draw: bool,
    #[serde(default)]
    fails: bool,
}

impl Given {
    fn key(&self) -> Key {
        Key {
            match_id: self.match_id.clone(),
            seat: self.seat,
            token: self.token.clone(),
        }
    }
}

impl Bot for Given {
    fn choose(&mut self, _: &Turn) -> Result<Answer, BotError> {
        match self.r#move.clone() {
            Some(text) if self.offer_draw => Ok(Answer::Choice {
                text,
                offer_draw: true,
                score: None,
            }),
            Some(text) => Ok(Answer::Move(text)),
            None if self.resigns => Ok(Answer::Resign),
            None if self.accepts_draw => Ok(Answer::AcceptDraw),
            None if self.claims_draw => Ok(Answer::ClaimDraw),
            None if self.fails => Err("no idea".into()),
            None => panic!("the answer is unknown here"),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    token: String,
    rejection: Option<String>,
    game: Option<String>,
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
    item_ids: HashMap<Key, u64>,
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
            item_ids: HashMap::new(),
            outgoing,
            sent,
        }
    }

    /// Runs a step, and returns what the client sends, and what the bot is called for and told.
    fn run(&mut self, step: Step) -> (Vec<BotItem>, Diary) {
        for item in step.receive {
            self.player.handle(item.into_message(&self.item_ids)).unwrap();
        }
        match step.stream.as_deref() {
            Some("ends") => self.player.outgoing = None,
            Some("opens") => self.player.start_session(self.outgoing.clone()),
            Some(other) => panic!("{other} is unknown here"),
            None => {}
        }
        if let Some(advance_ms) = step.advance_ms {
            NOW.set(NOW.get() + Duration::from_millis(advance_ms));
            self.player.resend_due();
        }
        let answered = step.answer.map(|given| self.answer(given));
        self.player.flush();
        let sent = self.sent.try_recv().unwrap_or_default(); // One message.
        if let (Some(key), Some(item)) = (answered, sent.first()) {
            self.item_ids.insert(key, item.item_id);
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
    fn answer(&mut self, mut given: Given) -> Key {
        let key = given.key();
        let call = self.calls.iter_mut().rfind(|call| key_of(&call.turn) == key).unwrap();
        call.done = true;
        let (call, answer) = (call.answered.call.clone(), choose_answer(&mut given, &call.turn));
        self.player.on_answer(Answered { call, answer });
        key
    }

    /// Returns the calls that are cancelled now and were not before, in order.
    fn newly_cancelled(&mut self) -> Vec<Key> {
        let calls = self
            .calls
            .iter_mut()
            .filter(|call| !call.done && call.turn.is_cancelled());
        calls
            .map(|call| {
                call.done = true;
                key_of(&call.turn)
            })
            .collect()
    }
}

fn key_of(turn: &Turn) -> Key {
    Key {
        match_id: turn.match_id.clone(),
        seat: turn.seat,
        token: turn.token.clone(),
    }
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
    for vector in load::<Turns>(file).vectors {
        for need in &vector.needs {
            assert!(
                OFFERED.contains(&need.as_str()),
                "{}: {need} is unknown here",
                vector.name
            );
        }
        let hooks = vector.needs.iter().any(|need| need == "hooks");
        let mut harness = Harness::new();
        let mut item_ids = Vec::new();
        for (number, mut step) in vector.steps.into_iter().enumerate() {
            let name = format!("{}, step {number}", vector.name);
            let (sends, calls) = (std::mem::take(&mut step.sends), std::mem::take(&mut step.calls));
            let (cancels, tells) = (std::mem::take(&mut step.cancels), std::mem::take(&mut step.tells));
            let (sent, diary) = harness.run(step);
            assert_eq!(sent.iter().map(sent_form).collect::<Vec<_>>(), sends, "{name}");
            sent.iter().for_each(|item| check_item_ids(&name, &mut item_ids, item));
            assert_eq!(harness.newly_cancelled(), cancels, "{name}");
            if hooks {
                assert_eq!(diary.tells, tells, "{name}");
            }
            check_calls(&name, &diary.turns, &calls);
        }
    }
}

fn check_calls(name: &str, turns: &[Turn], calls: &[Call]) {
    assert_eq!(turns.len(), calls.len(), "{name}");
    for (turn, call) in turns.iter().zip(calls) {
        let expected = (&call.match_id, call.seat, &call.token);
        assert_eq!((&turn.match_id, turn.seat, &turn.token), expected, "{name}");
        let rejection = turn.rejection.as_ref().map(|error| &error.message);
        assert_eq!(rejection, call.rejection.as_ref(), "{name}");
        if let Some(game) = &call.game {
            assert_eq!(turn.game, *game, "{name}");
        }
    }
}
