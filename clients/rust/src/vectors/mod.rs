//! Runs the test vectors of the client specification, which are in the repository but not in this crate.

use std::{
    collections::HashMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, de::DeserializeOwned};
use tracing::{Event, Metadata, Subscriber, span};

use crate::{
    IntoBots, Options, Turn,
    api::{
        Acceptance, Draining, ErrorDetail, Match, MatchEnded, MatchStarted, MatchTerms, NonceRequest, Ping,
        RefereeItem, Rejection, Rules, SessionTakenOver, StaleAnswer, Turn as TurnMessage, TurnExpired, Verdict,
        Welcome, referee_item::Item as Message, verdict::Outcome,
    },
    player::Player,
    program,
};

mod sessions;
mod settings;
mod texts;
mod turns;

/// Reads a file of the vectors. Unknown keys fail.
fn load<T: DeserializeOwned>(name: &str) -> T {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
    let text = fs::read_to_string(file).expect("the test vectors are in clients/vectors of the repository");
    serde_json::from_str(&text).unwrap()
}

fn unhex(text: &str) -> Vec<u8> {
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

fn options(environment: &HashMap<String, String>) -> Options {
    Options::from_variables(|name| environment.get(name).cloned()).unwrap()
}

/// Returns a player without a connection, whose bot is never called.
fn player(options: Options) -> Player {
    let choose = |_: &Turn| -> String { unreachable!() };
    Player::new(choose.into_bots(), options).unwrap()
}

#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(deny_unknown_fields)]
struct Key {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    #[serde(default)]
    token: String,
}

/// An item of the server, as the vectors write it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Item {
    Turn(TurnItem),
    Verdict(VerdictItem),
    TurnExpired(Key),
    MatchStarted(StartItem),
    MatchEnded(Key),
    Ping(PingItem),
    NonceRequest(NonceItem),
    Welcome(WelcomeItem),
    Draining(DrainingItem),
    SessionTakenOver(TakenOverItem),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnItem {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    token: String,
    game: Option<String>,
    #[serde(default)]
    repeated: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictItem {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    token: String,
    item_id_of: Option<Key>,
    #[serde(default)]
    accepted: bool,
    #[serde(default)]
    stale: bool,
    rejected: Option<RejectedItem>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RejectedItem {
    #[serde(default)]
    message: String,
    #[serde(default)]
    metadata: HashMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StartItem {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    game: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PingItem {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NonceItem {
    #[serde(rename = "match")]
    match_id: String,
    #[serde(default)]
    seat: u32,
    commitment: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WelcomeItem {
    version: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DrainingItem {
    reconnect_delay_ms: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TakenOverItem {}

impl Item {
    /// Returns the item of the contract. The item ids of answers that were sent are needed for some verdicts.
    fn into_message(self, item_ids: &HashMap<Key, u64>) -> RefereeItem {
        let item = match self {
            Self::Turn(turn) => Message::Turn(TurnMessage {
                match_id: turn.match_id,
                seat: turn.seat,
                turn_token: turn.token,
                repeated: turn.repeated,
                rules: turn.game.map(rules),
                ..TurnMessage::default()
            }),
            Self::Verdict(verdict) => Message::Verdict(Verdict {
                match_id: verdict.match_id,
                turn_token: verdict.token,
                item_id: verdict.item_id_of.map_or(0, |key| item_ids[&key]),
                outcome: match verdict.rejected {
                    Some(rejected) => Some(rejection(rejected)),
                    None if verdict.stale => Some(Outcome::Stale(StaleAnswer::default())),
                    None => verdict.accepted.then(|| Outcome::Accepted(Acceptance::default())),
                },
                ..Verdict::default()
            }),
            Self::TurnExpired(key) => Message::TurnExpired(TurnExpired {
                match_id: key.match_id,
                turn_token: key.token,
                ..TurnExpired::default()
            }),
            Self::MatchStarted(started) => Message::MatchStarted(MatchStarted {
                r#match: Some(Match {
                    id: started.match_id,
                    terms: Some(MatchTerms {
                        rules: started.game.map(rules),
                        ..MatchTerms::default()
                    }),
                    ..Match::default()
                }),
                seat: started.seat,
                ..MatchStarted::default()
            }),
            Self::MatchEnded(key) => Message::MatchEnded(MatchEnded {
                match_id: key.match_id,
                seat: key.seat,
                ..MatchEnded::default()
            }),
            Self::Ping(ping) => Message::Ping(Ping {
                id: ping.id.parse().unwrap(),
                round_trip_us: 0,
            }),
            Self::NonceRequest(request) => Message::NonceRequest(NonceRequest {
                match_id: request.match_id,
                seat: request.seat,
                commitment: unhex(&request.commitment),
                ..NonceRequest::default()
            }),
            Self::Welcome(WelcomeItem { version }) => Message::Welcome(Welcome {
                version,
                ..Welcome::default()
            }),
            Self::Draining(draining) => Message::Draining(Draining {
                reconnect_delay_ms: draining.reconnect_delay_ms,
                ..Draining::default()
            }),
            Self::SessionTakenOver(_) => Message::SessionTakenOver(SessionTakenOver::default()),
        };
        RefereeItem { item: Some(item) }
    }
}

fn rules(game: String) -> Rules {
    Rules {
        game,
        ..Rules::default()
    }
}

fn rejection(rejected: RejectedItem) -> Outcome {
    let error = ErrorDetail {
        message: rejected.message,
        metadata: rejected.metadata,
        ..ErrorDetail::default()
    };
    Outcome::Rejected(Rejection {
        error: Some(error),
        ..Rejection::default()
    })
}
