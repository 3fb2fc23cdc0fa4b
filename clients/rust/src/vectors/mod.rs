//! Runs the test vectors of the client specification, which are in the repository but not in this crate.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use tracing::{Event, Metadata, Subscriber, span};

use crate::{
    api::{
        Acceptance, Draining, ErrorDetail, Match, MatchEnded, MatchStarted, MatchTerms, NonceRequest, Ping,
        RefereeItem, Rejection, Rules, SessionTakenOver, StaleAnswer, Turn as TurnMessage, TurnExpired, Verdict,
        Welcome, referee_item::Item, verdict::Outcome,
    },
    program,
};

mod sessions;
mod settings;
mod texts;
mod turns;

fn load(name: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
    let text = fs::read_to_string(file).expect("the test vectors are in clients/vectors of the repository");
    serde_json::from_str(&text).unwrap()
}

/// Returns the elements of a list, which may be missing.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text; one that is missing is empty.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().into()
}

/// Returns a number; one that is missing is 0.
fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn seat(fields: &Value) -> u32 {
    number(&fields["seat"]).try_into().unwrap()
}

fn texts(object: &Value) -> HashMap<String, String> {
    let fields = object.as_object().into_iter().flatten();
    fields.map(|(name, value)| (name.clone(), text(value))).collect()
}

fn unhex(value: &Value) -> Vec<u8> {
    let text = text(value);
    let digit = |index| u8::from_str_radix(&text[index..index + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

/// Returns what the code has reported to the author of the bot, as warnings and errors.
fn reports_of(code: impl FnOnce()) -> Vec<String> {
    let recorder = Recorder::default();
    let reports = recorder.0.clone();
    tracing::subscriber::with_default(recorder, code);
    let reports = reports.lock().unwrap();
    reports.clone()
}

#[derive(Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = program::Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push(message.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// Item ids of the answers that were sent, by [`key`].
type ItemIds = HashMap<String, u64>;

/// Identifies a turn.
fn key(match_id: &str, seat: u32, token: &str) -> Value {
    json!({"match": match_id, "seat": seat, "token": token})
}

fn key_of(fields: &Value) -> Value {
    key(&text(&fields["match"]), seat(fields), &text(&fields["token"]))
}

/// Returns the item of the contract that the vectors write in this way.
fn message(item: &Value, item_ids: &ItemIds) -> RefereeItem {
    let (kind, fields) = item.as_object().unwrap().iter().next().unwrap();
    let (match_id, seat, turn_token) = (text(&fields["match"]), seat(fields), text(&fields["token"]));
    let rules = fields["game"].as_str().map(|game| Rules {
        game: game.into(),
        ..Rules::default()
    });
    let item = match kind.as_str() {
        "turn" => Item::Turn(TurnMessage {
            match_id,
            seat,
            turn_token,
            rules,
            repeated: fields["repeated"] == true,
            ..TurnMessage::default()
        }),
        "verdict" => Item::Verdict(Verdict {
            match_id,
            turn_token,
            item_id: match &fields["item_id_of"] {
                Value::Null => 0,
                answered => item_ids[&key_of(answered).to_string()],
            },
            outcome: outcome(fields),
            ..Verdict::default()
        }),
        "turn_expired" => Item::TurnExpired(TurnExpired {
            match_id,
            turn_token,
            ..TurnExpired::default()
        }),
        "match_started" => {
            let terms = Some(MatchTerms {
                rules,
                ..MatchTerms::default()
            });
            let started = Match {
                id: match_id,
                terms,
                ..Match::default()
            };
            Item::MatchStarted(MatchStarted {
                r#match: Some(started),
                seat,
                ..MatchStarted::default()
            })
        }
        "match_ended" => Item::MatchEnded(MatchEnded {
            match_id,
            seat,
            ..MatchEnded::default()
        }),
        "ping" => Item::Ping(Ping {
            id: text(&fields["id"]).parse().unwrap(),
            ..Ping::default()
        }),
        "nonce_request" => Item::NonceRequest(nonce_request(fields)),
        "welcome" => Item::Welcome(Welcome {
            version: text(&fields["version"]),
            ..Welcome::default()
        }),
        "draining" => Item::Draining(Draining {
            reconnect_delay_ms: fields["reconnect_delay_ms"].as_i64().unwrap(),
            ..Draining::default()
        }),
        "session_taken_over" => Item::SessionTakenOver(SessionTakenOver::default()),
        other => panic!("the item {other} is unknown here"),
    };
    RefereeItem { item: Some(item) }
}

fn nonce_request(fields: &Value) -> NonceRequest {
    NonceRequest {
        match_id: text(&fields["match"]),
        seat: seat(fields),
        commitment: unhex(&fields["commitment"]),
        ..NonceRequest::default()
    }
}

fn outcome(verdict: &Value) -> Option<Outcome> {
    if !verdict["rejected"].is_null() {
        let error = ErrorDetail {
            message: text(&verdict["rejected"]["message"]),
            metadata: texts(&verdict["rejected"]["metadata"]),
            ..ErrorDetail::default()
        };
        return Some(Outcome::Rejected(Rejection {
            error: Some(error),
            ..Rejection::default()
        }));
    }
    if verdict["stale"] == true {
        return Some(Outcome::Stale(StaleAnswer::default()));
    }
    (verdict["accepted"] == true).then(|| Outcome::Accepted(Acceptance::default()))
}
