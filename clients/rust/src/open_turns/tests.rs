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

fn move_item(text: &str) -> bot_item::Item {
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

fn rejected(token: &str, error: ErrorDetail) -> Verdict {
    verdict(
        token,
        verdict::Outcome::Rejected(Rejection {
            error: Some(error),
            attempts_left: None,
        }),
    )
}

fn permanent_error() -> ErrorDetail {
    ErrorDetail {
        message: "there is no c9".into(),
        ..ErrorDetail::default()
    }
}

fn temporary_error() -> ErrorDetail {
    ErrorDetail {
        metadata: [("retry_after_ms".into(), "250".into())].into(),
        ..ErrorDetail::default()
    }
}

/// Returns the request that the bot gets. Panics if it gets none.
fn request(action: Action) -> Box<TurnRequest> {
    match action {
        Action::Choose(request) => request,
        _ => panic!("the bot is not called"),
    }
}

fn sent(action: Action) -> Option<BotItem> {
    match action {
        Action::Send(item) => Some(item),
        _ => None,
    }
}

/// Returns open turns with the turn t1, which was answered with c2-c3.
fn answered() -> OpenTurns {
    let mut turns = OpenTurns::default();
    request(turns.on_turn(turn("t1")));
    assert_eq!(
        sent(turns.set_answer(&id("t1"), move_item("c2-c3"))).unwrap().item,
        Some(move_item("c2-c3"))
    );
    turns
}

#[test]
fn a_repeated_turn_gets_the_same_answer() {
    let mut turns = OpenTurns::default();
    request(turns.on_turn(turn("t1")));
    let first = sent(turns.set_answer(&id("t1"), move_item("c2-c3")));
    turns.on_verdict(accepted("t1"));
    assert_eq!(sent(turns.on_turn(turn("t1"))), first);
}

#[test]
fn the_bot_is_called_once_for_a_repeated_turn() {
    let mut turns = OpenTurns::default();
    let request = request(turns.on_turn(turn("t1")));
    assert!(matches!(turns.on_turn(turn("t1")), Action::Nothing));
    assert!(!request.is_cancelled());
}

#[test]
fn an_answer_computed_without_a_session_is_sent_when_the_turn_is_repeated() {
    let mut turns = OpenTurns::default();
    request(turns.on_turn(turn("t1")));
    turns.set_answer(&id("t1"), move_item("c2-c3"));
    assert_eq!(sent(turns.on_turn(turn("t1"))).unwrap().item, Some(move_item("c2-c3")));
}

#[test]
fn only_the_first_answer_to_a_turn_is_sent() {
    let mut turns = answered();
    assert_eq!(sent(turns.set_answer(&id("t1"), move_item("d2-d3"))), None);
    assert_eq!(sent(turns.on_turn(turn("t1"))).unwrap().item, Some(move_item("c2-c3")));
}

#[test]
fn the_next_attempt_has_the_rejection_of_the_previous_one() {
    let mut turns = answered();
    turns.on_verdict(rejected("t1", permanent_error()));
    assert_eq!(request(turns.on_turn(turn("t2"))).rejection, Some(permanent_error()));
    assert_eq!(request(turns.on_turn(turn("t3"))).rejection, None);
}

#[test]
fn an_answer_that_is_rejected_temporarily_is_sent_again_after_the_delay() {
    let mut turns = answered();
    let action = turns.on_verdict(rejected("t1", temporary_error()));
    assert!(matches!(action, Action::ScheduleResend(turn, delay) if turn == id("t1") && delay.as_millis() == 250));
    assert_eq!(sent(turns.resend(&id("t1"))).unwrap().item, Some(move_item("c2-c3")));
}

#[test]
fn a_resignation_that_is_rejected_temporarily_is_sent_again() {
    let mut turns = OpenTurns::default();
    request(turns.on_turn(turn("t1")));
    let resignation = sent(turns.set_answer(&id("t1"), bot_item::Item::Resignation(Resignation::default())));
    let item_id = resignation.as_ref().unwrap().item_id;
    let action = turns.on_verdict(Verdict {
        item_id,
        ..rejected("", temporary_error())
    });
    assert!(matches!(action, Action::ScheduleResend(turn, _) if turn == id("t1")));
    assert_eq!(sent(turns.resend(&id("t1"))), resignation);
}

#[test]
fn a_turn_that_is_stale_expired_or_replaced_is_cancelled() {
    let mut turns = OpenTurns::default();
    let stale = request(turns.on_turn(turn_of("m1", 0, "t1")));
    let expired = request(turns.on_turn(turn_of("m1", 1, "t2")));
    let replaced = request(turns.on_turn(turn_of("m1", 2, "t3")));
    turns.on_verdict(verdict("t1", verdict::Outcome::Stale(StaleAnswer::default())));
    turns.on_turn_expired("m1", "t2");
    request(turns.on_turn(turn_of("m1", 2, "t4")));
    for request in [stale, expired, replaced] {
        assert!(request.is_cancelled());
        let id = TurnId::from(&request.turn);
        assert_eq!(sent(turns.set_answer(&id, move_item("c2-c3"))), None);
    }
}

#[test]
fn turns_of_different_matches_may_have_the_same_token() {
    let mut turns = OpenTurns::default();
    let match_ids: Vec<String> = (0..8).map(|number| format!("m{number}")).collect();
    let requests: Vec<_> = match_ids
        .iter()
        .map(|match_id| request(turns.on_turn(turn_of(match_id, 0, "t1"))))
        .collect();
    for last in (0..match_ids.len()).rev() {
        turns.on_verdict(Verdict {
            match_id: match_ids[last].clone(),
            ..verdict("t1", verdict::Outcome::Stale(StaleAnswer::default()))
        });
        let cancelled: Vec<bool> = requests.iter().map(|request| request.is_cancelled()).collect();
        let expected: Vec<bool> = (0..match_ids.len()).map(|number| number >= last).collect();
        assert_eq!(cancelled, expected);
    }
}

#[test]
fn the_end_of_a_match_cancels_its_turns_only() {
    let mut turns = OpenTurns::default();
    let ended = request(turns.on_turn(turn_of("m1", 0, "t1")));
    let open = request(turns.on_turn(turn_of("m2", 0, "t2")));
    turns.on_match_ended("m1");
    turns.on_match_ended("m1");
    assert!(ended.is_cancelled());
    assert!(!open.is_cancelled());
}
