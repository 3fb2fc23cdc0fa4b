use std::{collections::HashSet, error::Error, fmt};

use serde::Deserialize;

use super::{load, reports_of, unhex};
use crate::{
    Answer, IntoBots, RefereeError, Turn,
    api::{Match, NonceRequest, SeatNonce, SeedCommitment, bot_item},
    nonces::{ChooseNonce, Nonces, random_nonce},
    seats::choose_answer,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    vectors: Vec<AnswerVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    text: Option<String>,
    repeat: Option<(String, usize)>,
    utf8: Option<String>,
    utf16: Option<Vec<u16>>,
    sent: Option<String>,
    sent_repeat: Option<(String, usize)>,
    #[serde(rename = "sent_pattern")]
    _sent_pattern: Option<String>,
    #[serde(rename = "sent_chars")]
    _sent_chars: Option<usize>,
    score: Option<i32>,
    sent_score: Option<i32>,
    reports: usize,
}

#[test]
fn answers() {
    let repeated = |(text, count): (String, usize)| text.repeat(count);
    for vector in load::<Answers>("answers.json").vectors {
        // Text in Rust is Unicode: it cannot contain what these vectors have.
        if let Some(bytes) = vector.utf8 {
            assert!(String::from_utf8(unhex(&bytes)).is_err(), "{}", vector.name);
            continue;
        }
        if let Some(units) = vector.utf16 {
            assert!(String::from_utf16(&units).is_err(), "{}", vector.name);
            continue;
        }
        let text = vector.text.or(vector.repeat.map(repeated)).unwrap();
        let answer = match vector.score {
            None => Answer::Move(text),
            score => Answer::Choice {
                text,
                offer_draw: false,
                score,
            },
        };
        let mut sent = None;
        let reports = reports_of(|| sent = Some(answer.into_item(&Turn::default())));
        let Some(bot_item::Item::Move(sent)) = sent else {
            panic!("{}", vector.name)
        };
        let expected = vector.sent.or(vector.sent_repeat.map(repeated)).unwrap();
        assert!(sent.r#move == expected, "{}", vector.name);
        assert_eq!(sent.score, vector.sent_score, "{}", vector.name);
        assert_eq!(reports.len(), vector.reports, "{}: {reports:?}", vector.name);
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NonceFile {
    vectors: Vec<NonceVector>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NonceVector {
    name: String,
    #[serde(rename = "rules")]
    _rules: Vec<String>,
    own: Option<String>,
    requests: Vec<Request>,
    nonces: Vec<Expected>,
    started: Option<Started>,
    ended: Vec<Ended>,
    reports: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    #[serde(rename = "match")]
    match_id: String,
    seat: u32,
    commitment: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    nonce: Option<String>,
    same_as: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Started {
    #[serde(rename = "match")]
    match_id: String,
    commitment: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    #[serde(rename = "match")]
    match_id: String,
    commitment: String,
    seed: String,
    nonces: Vec<String>,
}

fn choice(own: Option<String>) -> ChooseNonce {
    std::sync::Arc::new(move |_, _| match own.as_deref() {
        None => random_nonce(),
        Some("fails") => panic!("no idea"),
        Some("large") => vec![0; 65],
        Some(nonce) => unhex(nonce),
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

#[test]
fn nonces() {
    for vector in load::<NonceFile>("nonces.json").vectors {
        let name = &vector.name;
        let reports = reports_of(|| {
            let mut nonces = Nonces::new(choice(vector.own));
            send_nonces(name, &mut nonces, vector.requests, vector.nonces);
            if let Some(started) = vector.started {
                nonces.on_match_started(&Match {
                    id: started.match_id,
                    seed_commitment: Some(SeedCommitment {
                        commitment: unhex(&started.commitment),
                        ..SeedCommitment::default()
                    }),
                    ..Match::default()
                });
            }
            for ended in vector.ended {
                let used = (0..).zip(&ended.nonces).map(|(seat, nonce)| SeatNonce {
                    seat,
                    nonce: unhex(nonce),
                });
                let published = SeedCommitment {
                    commitment: unhex(&ended.commitment),
                    seed: unhex(&ended.seed),
                    nonces: used.collect(),
                    ..SeedCommitment::default()
                };
                nonces.on_match_ended(&ended.match_id, &published);
            }
        });
        assert_eq!(reports.len(), vector.reports.len(), "{name}: {reports:?}");
        for (report, expected) in reports.iter().zip(&vector.reports) {
            assert!(report.contains(problem(expected)), "{name}: {report}");
        }
    }
}

fn send_nonces(name: &str, nonces: &mut Nonces, requests: Vec<Request>, expected: Vec<Expected>) {
    assert_eq!(requests.len(), expected.len(), "{name}");
    let mut sent = Vec::new();
    let mut random = HashSet::new();
    for (request, expected) in requests.into_iter().zip(expected) {
        let nonce = nonces.on_request(NonceRequest {
            match_id: request.match_id,
            seat: request.seat,
            commitment: unhex(&request.commitment),
            ..NonceRequest::default()
        });
        let nonce = nonce.nonce;
        match (expected.same_as, expected.nonce.as_deref()) {
            (Some(earlier), _) => assert_eq!(nonce, sent[earlier], "{name}"),
            (None, Some("random")) => {
                assert_eq!(nonce.len(), 32, "{name}");
                assert!(random.insert(nonce.clone()), "{name}");
            }
            (None, own) => assert_eq!(nonce, unhex(own.unwrap()), "{name}"),
        }
        sent.push(nonce);
    }
}
