use std::{collections::HashMap, time::Duration};

use serde::Deserialize;
use tokio::time::Instant;
use tonic::{Code, Status};

use super::{Item, load, options, player, unhex};
use crate::{
    Options,
    api::{RefereeItem, Welcome, referee_item},
    backoff::Backoff,
    program::exit_status,
    session::{SessionEnd, stream_ended},
};

fn any_options() -> Options {
    let environment = [("BOT_REFEREE", "localhost:7700"), ("BOT_TOKEN", "secret")];
    options(&environment.map(|(name, text)| (name.into(), text.into())).into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Heartbeats {
    vectors: Vec<HeartbeatVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeartbeatVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    heartbeat_timeout_ms: Option<i64>,
    silence_ms: u64,
}

#[test]
fn heartbeat() {
    for vector in load::<Heartbeats>("heartbeat.json").vectors {
        let mut player = player(any_options());
        if let Some(heartbeat_timeout_ms) = vector.heartbeat_timeout_ms {
            let welcome = Welcome {
                heartbeat_timeout_ms,
                ..Welcome::default()
            };
            let item = Some(referee_item::Item::Welcome(welcome));
            player.handle(RefereeItem { item }).unwrap();
        }
        let expected = Duration::from_millis(vector.silence_ms);
        assert_eq!(player.heartbeat_timeout, expected, "{}", vector.name);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Backoffs {
    vectors: Vec<BackoffVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BackoffVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    ends: Vec<PausedEnd>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PausedEnd {
    welcomed_ms: Option<u64>,
    draining_ms: Option<u64>,
    #[serde(default)]
    open_turn: bool,
    pause_ms: [u128; 2],
}

#[test]
fn backoff() {
    for vector in load::<Backoffs>("backoff.json").vectors {
        for (number, random) in [0.0, 1.0].into_iter().enumerate() {
            let mut backoff = Backoff::default();
            let mut now = Instant::now();
            for end in &vector.ends {
                now += Duration::from_secs(20);
                if let Some(welcomed_ms) = end.welcomed_ms {
                    backoff.on_welcome(now);
                    now += Duration::from_millis(welcomed_ms);
                }
                let pause = match end.draining_ms {
                    Some(delay) => Backoff::after_draining(Duration::from_millis(delay), random),
                    None => backoff.next(now, end.open_turn, random),
                };
                assert_eq!(pause.as_millis(), end.pause_ms[number], "{}", vector.name);
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    vectors: Vec<EndVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    received: Vec<Item>,
    status: EndStatus,
    #[serde(default)]
    failures: usize,
    pause_ms: Option<[u128; 2]>,
    exit: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndStatus {
    code: String,
    details: Option<String>,
}

impl EndStatus {
    /// Returns the end of a session whose stream ends with this status.
    fn end(self) -> SessionEnd {
        let codes = (0..=16).map(Code::from);
        let name_of = |code: &Code| format!("{code:?}").to_uppercase();
        let name = self.code.replace('_', "");
        let code = codes.into_iter().find(|code| name_of(code) == name).unwrap();
        if code == Code::Ok {
            return stream_ended();
        }
        let details = unhex(&self.details.unwrap_or_default());
        Status::with_details(code, "why", details.into()).into()
    }
}

#[test]
fn ends() {
    for (number, random) in [0.0, 1.0].into_iter().enumerate() {
        for vector in load::<Ends>("ends.json").vectors {
            let name = &vector.name;
            let mut player = player(any_options().spawner(drop));
            let mut items = vector.received.into_iter();
            let handled = items.try_for_each(|item| player.handle(item.into_message(&HashMap::new())));
            match (handled.err().unwrap_or_else(|| vector.status.end()), vector.exit) {
                (SessionEnd::Final(error), Some(exit)) => assert_eq!(exit_status(&error), exit, "{name}"),
                (SessionEnd::Disconnected(_), None) => {
                    for _ in 0..vector.failures {
                        player.next_pause(random);
                    }
                    let pause = player.next_pause(random);
                    assert_eq!(pause.as_millis(), vector.pause_ms.unwrap()[number], "{name}");
                }
                (end, _) => panic!("{name}: {end:?}"),
            }
        }
    }
}
