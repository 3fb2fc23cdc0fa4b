use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tonic::{Code, Status};

use super::{ItemIds, list, load, message, number, text, unhex};
use crate::{
    IntoBots, Options, Turn,
    backoff::Backoff,
    player::Player,
    program::exit_status,
    session::{SessionEnd, stream_ended},
};

#[test]
fn backoff() {
    for vector in list(&load("backoff.json")["vectors"]) {
        for (index, random) in [0.0, 1.0].into_iter().enumerate() {
            let mut backoff = Backoff::default();
            let mut now = Instant::now();
            for end in list(&vector["ends"]) {
                now += Duration::from_secs(20);
                if let Some(welcomed_ms) = end["welcomed_ms"].as_u64() {
                    backoff.on_welcome(now);
                    now += Duration::from_millis(welcomed_ms);
                }
                let pause = match end["draining_ms"].as_u64() {
                    Some(delay) => Backoff::after_draining(Duration::from_millis(delay), random),
                    None => backoff.next(now, end["open_turn"] == true, random),
                };
                check_pause(pause, end, index);
            }
        }
    }
}

fn check_pause(pause: Duration, expected: &Value, index: usize) {
    assert_eq!(
        pause.as_millis(),
        number(&expected["pause_ms"][index]).into(),
        "{expected}"
    );
}

/// Returns the end of a session whose stream ends with this status.
fn end_of(status: &Value) -> SessionEnd {
    let codes = (0..=16).map(Code::from);
    let name_of = |code: &Code| format!("{code:?}").to_uppercase();
    let name = text(&status["code"]).replace('_', "");
    let code = codes.into_iter().find(|code| name_of(code) == name).unwrap();
    if code == Code::Ok {
        return stream_ended();
    }
    Status::with_details(code, "why", unhex(&status["details"]).into()).into()
}

#[test]
fn ends() {
    for (index, random) in [0.0, 1.0].into_iter().enumerate() {
        for vector in list(&load("ends.json")["vectors"]) {
            let choose = |_: &Turn| -> String { unreachable!() };
            let options = Options::new("localhost:7700", "secret").spawner(drop);
            let mut player = Player::new(choose.into_bots(), options).unwrap();
            let mut items = list(&vector["received"]).iter();
            let handled = items.try_for_each(|item| player.handle(message(item, &ItemIds::new())));
            let end = handled.err().unwrap_or_else(|| end_of(&vector["status"]));
            match (end, vector["exit"].as_u64()) {
                (SessionEnd::Final(error), Some(exit)) => assert_eq!(u64::from(exit_status(&error)), exit, "{vector}"),
                (SessionEnd::Disconnected(_), None) => {
                    for _ in 0..number(&vector["failures"]) {
                        player.next_pause(random);
                    }
                    check_pause(player.next_pause(random), vector, index);
                }
                (end, _) => panic!("{vector}: {end:?}"),
            }
        }
    }
}
