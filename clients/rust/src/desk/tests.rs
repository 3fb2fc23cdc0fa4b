use super::*;
use crate::api::{Acceptance, Move, Rejection, Resignation, StaleAnswer};

fn turn(token: &str) -> Turn {
    turn_of("m1", 0, token)
}

fn turn_of(match_id: &str, seat: u32, token: &str) -> Turn {
    Turn {
        match_id: match_id.into(),
        seat,
        turn_token: token.into(),
        ..Turn::default()
    }
}

fn id(token: &str) -> TurnId {
    TurnId::from(&turn(token))
}

fn a_move(text: &str) -> bot_item::Item {
    bot_item::Item::Move(Move {
        r#move: text.into(),
        ..Move::default()
    })
}

fn verdict(token: &str, outcome: verdict::Outcome) -> Verdict {
    Verdict {
        match_id: "m1".into(),
        turn_token: token.into(),
        outcome: Some(outcome),
        ..Verdict::default()
    }
}

fn accepted(token: &str) -> Verdict {
    verdict(token, verdict::Outcome::Accepted(Acceptance::default()))
}

fn refused(token: &str, refusal: ErrorDetail) -> Verdict {
    verdict(
        token,
        verdict::Outcome::Rejected(Rejection {
            error: Some(refusal),
            attempts_left: None,
        }),
    )
}

fn no_c9() -> ErrorDetail {
    ErrorDetail {
        message: "there is no c9".into(),
        ..ErrorDetail::default()
    }
}

fn not_now() -> ErrorDetail {
    ErrorDetail {
        metadata: [("retry_after_ms".into(), "250".into())].into(),
        ..ErrorDetail::default()
    }
}

fn to_think(next: Next) -> Box<Asked> {
    match next {
        Next::Think(asked) => asked,
        _ => panic!("the bot is not asked"),
    }
}

fn said(next: Next) -> Option<BotItem> {
    match next {
        Next::Say(item) => Some(item),
        _ => None,
    }
}

/// A desk that was asked t1 and has said c2-c3.
fn answered() -> Desk {
    let mut desk = Desk::default();
    to_think(desk.asked(turn("t1")));
    assert_eq!(
        said(desk.found(&id("t1"), a_move("c2-c3"))).unwrap().item,
        Some(a_move("c2-c3"))
    );
    desk
}

#[test]
fn the_same_turn_again_is_answered_with_the_very_same_answer() {
    let mut desk = Desk::default();
    to_think(desk.asked(turn("t1")));
    let first = said(desk.found(&id("t1"), a_move("c2-c3")));
    desk.judged(accepted("t1"));
    assert_eq!(said(desk.asked(turn("t1"))), first);
}

#[test]
fn the_same_turn_again_is_not_thought_about_twice() {
    let mut desk = Desk::default();
    let asked = to_think(desk.asked(turn("t1")));
    assert!(matches!(desk.asked(turn("t1")), Next::Nothing));
    assert!(asked.wanted());
}

#[test]
fn an_answer_found_while_nobody_was_there_is_said_when_the_turn_is_asked_again() {
    let mut desk = Desk::default();
    to_think(desk.asked(turn("t1")));
    desk.found(&id("t1"), a_move("c2-c3"));
    assert_eq!(said(desk.asked(turn("t1"))).unwrap().item, Some(a_move("c2-c3")));
}

#[test]
fn a_turn_never_has_two_answers() {
    let mut desk = answered();
    assert_eq!(said(desk.found(&id("t1"), a_move("d2-d3"))), None);
    assert_eq!(said(desk.asked(turn("t1"))).unwrap().item, Some(a_move("c2-c3")));
}

#[test]
fn after_a_refusal_the_new_token_is_thought_about_and_says_why() {
    let mut desk = answered();
    desk.judged(refused("t1", no_c9()));
    assert_eq!(to_think(desk.asked(turn("t2"))).refused, Some(no_c9()));
    assert_eq!(to_think(desk.asked(turn("t3"))).refused, None);
}

#[test]
fn a_refusal_that_names_a_time_is_no_verdict_on_the_move() {
    let mut desk = answered();
    let later = desk.judged(refused("t1", not_now()));
    assert!(matches!(later, Next::Later(turn, after) if turn == id("t1") && after.as_millis() == 250));
    assert_eq!(said(desk.due(&id("t1"))).unwrap().item, Some(a_move("c2-c3")));
}

#[test]
fn a_resignation_that_could_not_be_taken_is_said_again() {
    let mut desk = Desk::default();
    to_think(desk.asked(turn("t1")));
    let resignation = said(desk.found(&id("t1"), bot_item::Item::Resignation(Resignation::default())));
    let item_id = resignation.as_ref().unwrap().item_id;
    let later = desk.judged(Verdict {
        item_id,
        ..refused("", not_now())
    });
    assert!(matches!(later, Next::Later(turn, _) if turn == id("t1")));
    assert_eq!(said(desk.due(&id("t1"))), resignation);
}

#[test]
fn what_is_stale_or_lapsed_or_followed_by_another_turn_is_wanted_no_more() {
    let mut desk = Desk::default();
    let stale = to_think(desk.asked(turn_of("m1", 0, "t1")));
    let lapsed = to_think(desk.asked(turn_of("m1", 1, "t2")));
    let followed = to_think(desk.asked(turn_of("m1", 2, "t3")));
    desk.judged(verdict("t1", verdict::Outcome::Stale(StaleAnswer::default())));
    desk.lapsed("m1", "t2");
    to_think(desk.asked(turn_of("m1", 2, "t4")));
    for asked in [stale, lapsed, followed] {
        assert!(!asked.wanted());
        assert_eq!(said(desk.found(&TurnId::from(&asked.turn), a_move("c2-c3"))), None);
    }
}

#[test]
fn turns_of_different_matches_may_have_the_same_token() {
    let mut desk = Desk::default();
    let matches: Vec<String> = (0..8).map(|number| format!("m{number}")).collect();
    let asked: Vec<_> = matches
        .iter()
        .map(|id| to_think(desk.asked(turn_of(id, 0, "t1"))))
        .collect();
    for last in (0..matches.len()).rev() {
        desk.judged(Verdict {
            match_id: matches[last].clone(),
            ..verdict("t1", verdict::Outcome::Stale(StaleAnswer::default()))
        });
        let wanted: Vec<bool> = asked.iter().map(|each| each.wanted()).collect();
        let expected: Vec<bool> = (0..matches.len()).map(|number| number < last).collect();
        assert_eq!(wanted, expected);
    }
}

#[test]
fn a_match_that_ended_is_forgotten_and_the_others_are_not() {
    let mut desk = Desk::default();
    let over = to_think(desk.asked(turn_of("m1", 0, "t1")));
    let open = to_think(desk.asked(turn_of("m2", 0, "t2")));
    desk.ended("m1");
    desk.ended("m1");
    assert!(!over.wanted());
    assert!(open.wanted());
}
