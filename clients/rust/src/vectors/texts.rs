use std::{collections::HashSet, error::Error, fmt};

use serde_json::Value;

use super::{list, load, nonce_request, number, reports_of, text, unhex};
use crate::{
    Answer, IntoBots, RefereeError, Turn,
    api::{Match, SeatNonce, SeedCommitment, bot_item},
    nonces::{ChooseNonce, Nonces, random_nonce},
    seats::choose_answer,
};

/// Returns a text that is written as such, or as a part and how often that is repeated.
fn long_text(written: &Value, parts: &Value) -> String {
    let repeated = || text(&parts[0]).repeat(usize::try_from(number(&parts[1])).unwrap());
    written.as_str().map_or_else(repeated, String::from)
}

#[test]
fn answers() {
    for vector in list(&load("answers.json")["vectors"]) {
        let name = &vector["name"];
        // Text in Rust is Unicode: it cannot contain what these vectors have.
        if !vector["utf8"].is_null() {
            assert!(String::from_utf8(unhex(&vector["utf8"])).is_err(), "{name}");
            continue;
        }
        if let Some(units) = vector["utf16"].as_array() {
            let units: Vec<u16> = units.iter().map(|unit| number(unit).try_into().unwrap()).collect();
            assert!(String::from_utf16(&units).is_err(), "{name}");
            continue;
        }
        let text = long_text(&vector["text"], &vector["repeat"]);
        let answer = match vector["score"].as_i64() {
            None => Answer::Move(text),
            Some(score) => Answer::Choice {
                text,
                offer_draw: false,
                score: Some(score.try_into().unwrap()),
            },
        };
        let mut sent = None;
        let reports = reports_of(|| sent = Some(answer.into_item(&Turn::default())));
        let Some(bot_item::Item::Move(sent)) = sent else {
            panic!("{name}")
        };
        assert!(
            sent.r#move == long_text(&vector["sent"], &vector["sent_repeat"]),
            "{name}"
        );
        assert_eq!(sent.score.map(i64::from), vector["sent_score"].as_i64(), "{name}");
        assert_eq!(reports.len(), vector["reports"], "{name}: {reports:?}");
    }
}

#[test]
fn a_failed_call_is_reported_with_its_match_and_the_cause_of_its_error() {
    let turn = Turn {
        match_id: "m1".into(),
        seat: 2,
        ply: 7,
        ..Turn::default()
    };
    let choose =
        |_: &Turn| -> Result<String, SearchFailed> { Err(SearchFailed(RefereeError::new("NO_BOOK", "no book"))) };
    let reports = reports_of(|| drop(choose_answer(&mut *choose.into_bots().create(), &turn)));
    assert_eq!(
        reports,
        ["match m1, seat 2, ply 7: the bot failed and resigns: the search failed: no book (NO_BOOK)"]
    );
}

/// An error of a bot with a cause.
#[derive(Debug)]
struct SearchFailed(RefereeError);

impl fmt::Display for SearchFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search failed")
    }
}

impl Error for SearchFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn choice(own: Value) -> ChooseNonce {
    std::sync::Arc::new(move |_, _| match own.as_str() {
        None => random_nonce(),
        Some("fails") => panic!("no idea"),
        Some("large") => vec![0; 65],
        Some(_) => unhex(&own),
    })
}

/// Returns the text of a report.
fn problem(report: &str) -> &'static str {
    match report {
        "commitment replaced" => "the referee has replaced its commitment to the seed",
        "seed does not match" => "the seed of the referee does not match its commitment",
        "nonce missing" => "the seed was made without the nonce of seat",
        "nonce replaced" => "the seed was made with another nonce of seat",
        "random nonce" => "a random one is sent",
        _ => panic!("the report {report} is unknown here"),
    }
}

fn published(fields: &Value) -> SeedCommitment {
    let used = (0..).zip(list(&fields["nonces"])).map(|(seat, nonce)| SeatNonce {
        seat,
        nonce: unhex(nonce),
    });
    SeedCommitment {
        commitment: unhex(&fields["commitment"]),
        seed: unhex(&fields["seed"]),
        nonces: used.collect(),
        ..SeedCommitment::default()
    }
}

#[test]
fn nonces() {
    for vector in list(&load("nonces.json")["vectors"]) {
        let name = &vector["name"];
        let reports = reports_of(|| {
            let mut nonces = Nonces::new(choice(vector["own"].clone()));
            check_nonces(&mut nonces, vector);
            let started = &vector["started"];
            if started.is_object() {
                nonces.on_match_started(&Match {
                    id: text(&started["match"]),
                    seed_commitment: Some(published(started)),
                    ..Match::default()
                });
            }
            for ended in list(&vector["ended"]) {
                nonces.on_match_ended(&text(&ended["match"]), &published(ended));
            }
        });
        let expected = list(&vector["reports"]);
        assert_eq!(reports.len(), expected.len(), "{name}: {reports:?}");
        for (report, expected) in reports.iter().zip(expected) {
            assert!(report.contains(problem(&text(expected))), "{name}: {report}");
        }
    }
}

fn check_nonces(nonces: &mut Nonces, vector: &Value) {
    let (name, requests, expected) = (&vector["name"], list(&vector["requests"]), list(&vector["nonces"]));
    assert_eq!(requests.len(), expected.len(), "{name}");
    let mut sent = Vec::new();
    let mut random = HashSet::new();
    for (request, expected) in requests.iter().zip(expected) {
        let nonce = nonces.on_request(nonce_request(request)).nonce;
        if expected["nonce"] == "random" {
            assert_eq!(nonce.len(), 32, "{name}");
            assert!(random.insert(nonce.clone()), "{name}");
        } else if let Some(earlier) = expected["same_as"].as_u64() {
            assert_eq!(nonce, sent[usize::try_from(earlier).unwrap()], "{name}");
        } else {
            assert_eq!(nonce, unhex(&expected["nonce"]), "{name}");
        }
        sent.push(nonce);
    }
}
