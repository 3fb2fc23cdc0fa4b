//! Retries of calls, watches and lists.

use std::{
    cell::{Cell, RefCell},
    future::{Ready, ready},
    sync::mpsc::channel,
};

use futures_util::FutureExt;
use tokio::runtime::Builder;

use super::*;

impl Watched for Vec<u64> {
    type Item = u64;

    fn items(self) -> Vec<u64> {
        self
    }

    fn continue_after(item: &u64, _: Option<u64>) -> Option<u64> {
        Some(*item)
    }
}

fn broken() -> Status {
    Status::unavailable("no route to host")
}

#[test]
fn a_watch_of_new_entries_continues_after_its_first_snapshot() {
    use api::watch_ladder_item::Item;
    let item = |item| api::WatchLadderItem { item: Some(item) };
    let snapshot = |entry_number| {
        item(Item::Snapshot(api::LadderSnapshot {
            entry_number,
            ..Default::default()
        }))
    };
    let entry = item(Item::Entry(api::LadderEntry {
        number: 8,
        ..Default::default()
    }));
    let after = api::WatchLadderResponse::continue_after;
    assert_eq!(after(&snapshot(7), None), Some(7));
    assert_eq!(after(&snapshot(9), Some(3)), Some(3));
    assert_eq!(after(&entry, Some(3)), Some(8));
    let unknown = api::WatchMatchItem::default();
    assert_eq!(api::WatchMatchResponse::continue_after(&unknown, Some(3)), Some(3));
}

#[test]
fn an_error_after_which_no_retry_helps_is_the_last_item_of_a_watch() {
    let message = [Ok(vec![4]), Err(Status::permission_denied("not yours")), Ok(vec![5])];
    let open = |_| ready(Ok(stream::iter(message.clone())));
    let items: Vec<_> = watch(Some(3), open, |_| ready(()))
        .collect()
        .now_or_never()
        .expect("nothing waits");
    assert_eq!(items, [Ok(4), Err(RefereeError::new("PERMISSION_DENIED", "not yours"))]);
}

/// Returns the result of a call, and how often it has paused.
fn called(mut answers: Vec<Result<u64, Status>>) -> (Result<u64, RefereeError>, usize) {
    answers.reverse();
    let answers = RefCell::new(answers);
    let pauses = Cell::new(0);
    let pause = |_| -> Ready<()> {
        pauses.set(pauses.get() + 1);
        ready(())
    };
    let attempt = || ready(answers.borrow_mut().pop().expect("a further answer"));
    let result = retried(attempt, pause).now_or_never().expect("nothing waits");
    (result, pauses.get())
}

#[test]
fn a_call_is_made_again_while_the_referee_cannot_be_reached() {
    assert_eq!(called(vec![Err(broken()), Err(broken()), Ok(7)]), (Ok(7), 2));
    let error = RefereeError::new("UNAVAILABLE", "no route to host");
    assert_eq!(
        called(vec![Err(broken()); MAX_ATTEMPTS]),
        (Err(error), MAX_ATTEMPTS - 1)
    );
}

#[test]
fn a_pause_is_as_long_as_the_referee_asks_and_otherwise_that_of_the_backoff() {
    let mut error = RefereeError::new("NODE_UNAVAILABLE", "no");
    let mut backoff = Backoff::default();
    for (asked, shortest, longest) in [("1500", 1_500, 1_500), ("0", 250, 750), ("soon", 1_000, 1_000)] {
        error.metadata.insert("retry_after_ms".into(), asked.into());
        let pause = backoff.after_error(&error, fastrand::f64()).as_millis();
        assert!((shortest..=longest).contains(&pause), "{pause} ms for {asked}");
    }
    error.metadata.clear();
    assert!((500..=1_500).contains(&backoff.after_error(&error, fastrand::f64()).as_millis()));
}

#[test]
fn a_list_is_read_to_its_last_page_when_its_items_are_wanted() {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (asked, tokens) = channel();
    let read = async {
        let fetch = move |token: String| {
            asked.send(token.clone()).expect("the test waits for it");
            let page = match token.as_str() {
                "" => (vec![1, 2], "b".to_owned()),
                "b" => (vec![], "c".to_owned()),
                _ => (vec![3], String::new()),
            };
            ready(Ok(Response::new(page)))
        };
        let organiser = Organiser::new(Options::new("127.0.0.1:1", "rf_token")).expect("valid settings");
        let mut items = organiser.pages(fetch, |page| page);
        assert_eq!(items.next().await, Some(Ok(1)));
        assert_eq!(tokens.try_iter().collect::<Vec<_>>(), [""]);
        let rest: Vec<_> = items.collect().await;
        assert_eq!(rest, [Ok(2), Ok(3)]);
        assert_eq!(tokens.try_iter().collect::<Vec<_>>(), ["b", "c"]);
    };
    runtime.block_on(read);
}
