use tokio_util::sync::CancellationToken;

use super::*;
use crate::Turn;

fn first(turn: &Turn) -> String {
    turn.legal_moves[0].clone()
}

fn is_send<T: Send>(value: T) -> T {
    value
}

#[tokio::test]
async fn an_invalid_setting_is_returned_at_once() {
    let error = is_send(play(first, Options::new("localhost", "secret")))
        .await
        .unwrap_err();
    let PlayError::Setting(setting) = error else {
        panic!("{error}");
    };
    assert_eq!(setting.variable(), "BOT_REFEREE");
}

#[tokio::test]
async fn cancelling_ends_it_without_an_error() {
    let token = CancellationToken::new();
    let options = Options::new("localhost:1", "secret").cancellation(token.clone());
    let playing = tokio::spawn(play(first, options));
    tokio::task::yield_now().await;
    token.cancel();
    playing.await.unwrap().unwrap();
}

#[tokio::test]
async fn calls_of_the_bot_are_cancelled_when_it_ends() {
    let (sender, turns) = std::sync::mpsc::channel();
    let choose = move |turn: &Turn| {
        sender.send(turn.cancellation().clone()).unwrap();
        "c2-c3"
    };
    let options = Options::new("localhost:1", "secret").spawner(|call| call());
    let mut player = Player::new(choose.into_bots(), options).unwrap();
    let item = Some(Item::Turn(crate::api::Turn::default()));
    player.handle(RefereeItem { item }).unwrap();
    let token = turns.recv().unwrap();
    assert!(!token.is_cancelled());
    drop(player);
    assert!(token.is_cancelled());
}

#[tokio::test]
async fn an_answer_that_is_ready_before_the_session_is_kept() {
    let options = Options::new("localhost:1", "secret").spawner(|call| call());
    let mut player = Player::new((|_: &Turn| "c2-c3").into_bots(), options).unwrap();
    let turn = || RefereeItem {
        item: Some(Item::Turn(crate::api::Turn::default())),
    };
    player.handle(turn()).unwrap();
    player.meanwhile(tokio::task::yield_now()).await;
    let (outgoing, mut sent) = unbounded_channel();
    player.outgoing = Some(outgoing);
    player.flush();
    assert!(sent.try_recv().is_err());
    player.handle(turn()).unwrap();
    player.flush();
    let [item] = &sent.try_recv().unwrap()[..] else {
        panic!("one item");
    };
    assert!(matches!(item.item, Some(bot_item::Item::Move(_))));
}

#[test]
fn options_do_not_show_their_token() {
    let shown = format!("{:?}", Options::new("localhost:1", "sesame"));
    assert!(shown.contains("localhost:1"));
    assert!(!shown.contains("sesame"));
}

#[test]
fn options_reach_the_hello() {
    let options = Options::new("localhost:1", "secret")
        .version("3")
        .games(["trox", "toc"]);
    let hello = options
        .max_matches(2)
        .max_legal_moves(7)
        .view()
        .full_history()
        .verdicts_with_turns()
        .hello();
    assert_eq!(
        (hello.version.as_str(), hello.games),
        ("3", vec!["trox".into(), "toc".into()])
    );
    assert_eq!((hello.max_matches, hello.verdicts_with_turns), (Some(2), true));
    let turns = hello.turn_options.unwrap();
    assert_eq!(
        (turns.max_legal_moves, turns.include_view, turns.full_move_history),
        (7, true, true)
    );
}
