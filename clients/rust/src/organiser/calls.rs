//! Calls with the token, retries, and errors of the referee.

use std::{collections::VecDeque, error::Error, time::Duration};

use futures_util::{Stream, StreamExt, stream};
use tokio::time::{Instant, sleep, timeout};
use tonic::{
    Code, Request, Response, Status, Streaming,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};

use crate::{RefereeError, backoff::Backoff, error::message_with_causes, options::Target, organiser::items::Items};

/// It is large because a page can have hundreds of tournaments with all their entrants.
pub(super) const MAX_MESSAGE_BYTES: usize = 64 << 20;
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// HTTP/2 pings find a dead connection while a call is open: a stream may be silent for hours.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ATTEMPTS: usize = 5;

/// The connection, which adds the token to each call.
pub(super) type Link = InterceptedService<Channel, Authorization>;

#[derive(Clone)]
pub(super) struct Authorization(MetadataValue<Ascii>);

impl Interceptor for Authorization {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

#[derive(Clone)]
pub(super) struct Calls {
    link: Link,
}

/// Something that has a number in the log of a match or contest.
pub(super) trait Numbered {
    fn number(&self) -> u64;
}

impl Calls {
    pub fn new(target: Target) -> Self {
        let endpoint = target
            .endpoint
            .http2_keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT);
        let link = InterceptedService::new(endpoint.connect_lazy(), Authorization(target.authorization));
        Self { link }
    }

    /// Makes a call once.
    pub async fn once<A>(
        &self,
        call: impl AsyncFnOnce(Link) -> Result<Response<A>, Status>,
    ) -> Result<A, RefereeError> {
        let answer = in_time(call(self.link.clone())).await;
        answer.map(Response::into_inner).map_err(|status| call_error(&status))
    }

    /// Makes a call, again if it is interrupted, and returns the answer.
    pub async fn call<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Link, Q) -> F) -> Result<A, RefereeError>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let attempt = async || Ok(in_time(call(self.link.clone(), request.clone())).await?.into_inner());
        retried(attempt, sleep).await
    }

    /// Returns all messages of a finite stream, from the beginning again if it is interrupted.
    pub async fn all<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Link, Q) -> F) -> Result<Vec<A>, RefereeError>
    where
        F: Future<Output = Result<Response<Streaming<A>>, Status>>,
    {
        let attempt = async || {
            let mut stream = in_time(call(self.link.clone(), request.clone())).await?.into_inner();
            let mut messages = Vec::new();
            while let Some(message) = in_time(stream.message()).await? {
                messages.push(message);
            }
            Ok(messages)
        };
        retried(attempt, sleep).await
    }

    /// Returns the entries of a log after a number, which `open` is called with again after an interruption.
    pub fn watch<A, E, F>(
        &self,
        after: u64,
        open: impl Fn(Link, u64) -> F + Send + 'static,
        entries: fn(A) -> Vec<E>,
    ) -> Items<E>
    where
        A: Send + 'static,
        E: Numbered + Send + 'static,
        F: Future<Output = Result<Response<Streaming<A>>, Status>> + Send + 'static,
    {
        let link = self.link.clone();
        let watch = Watch {
            open: move |after| {
                let opening = open(link.clone(), after);
                async { Ok(in_time(opening).await?.into_inner()) }
            },
            entries,
            after,
            stream: None,
            received: VecDeque::new(),
            backoff: Backoff::default(),
            is_over: false,
            pause: sleep,
        };
        Items::new(stream::unfold(watch, |mut watch| async {
            watch.next().await.map(|entry| (entry, watch))
        }))
    }
}

/// Where a watch stands.
struct Watch<O, S, A, E, P> {
    /// Opens a stream of what follows a number.
    open: O,
    entries: fn(A) -> Vec<E>,
    /// Number of the last entry that was received.
    after: u64,
    /// None while there is no connection.
    stream: Option<S>,
    received: VecDeque<E>,
    backoff: Backoff,
    is_over: bool,
    pause: fn(Duration) -> P,
}

impl<O, F, S, A, E, P> Watch<O, S, A, E, P>
where
    O: Fn(u64) -> F,
    F: Future<Output = Result<S, Status>>,
    S: Stream<Item = Result<A, Status>> + Unpin,
    E: Numbered,
    P: Future<Output = ()>,
{
    async fn next(&mut self) -> Option<Result<E, RefereeError>> {
        loop {
            if let Some(entry) = self.received.pop_front() {
                return Some(Ok(entry));
            }
            if self.is_over {
                return None;
            }
            match self.receive().await {
                Ok(()) => {}
                Err(status) if is_interruption(&status) => {
                    self.stream = None;
                    (self.pause)(self.backoff.next(Instant::now(), fastrand::f64())).await;
                }
                Err(status) => {
                    self.is_over = true;
                    return Some(Err(call_error(&status)));
                }
            }
        }
    }

    /// Receives the next message. Connects before if necessary.
    async fn receive(&mut self) -> Result<(), Status> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => self.stream.insert((self.open)(self.after).await?),
        };
        let Some(message) = stream.next().await else {
            self.is_over = true;
            return Ok(());
        };
        self.received.extend((self.entries)(message?));
        if let Some(last) = self.received.back() {
            self.after = last.number();
            self.backoff = Backoff::default();
        }
        Ok(())
    }
}

/// Repeats what is interrupted or rejected for a moment, a few times.
async fn retried<A, P: Future<Output = ()>>(
    attempt: impl AsyncFn() -> Result<A, Status>,
    pause: impl Fn(Duration) -> P,
) -> Result<A, RefereeError> {
    let mut backoff = Backoff::default();
    for _ in 1..MAX_ATTEMPTS {
        let status = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(status) => status,
        };
        let error = call_error(&status);
        let time = match error.retry_after() {
            Some(time) => time,
            None if is_unreachable(&status) => backoff.next(Instant::now(), fastrand::f64()),
            None => return Err(error),
        };
        pause(time).await;
    }
    attempt().await.map_err(|status| call_error(&status))
}

async fn in_time<A>(answer: impl Future<Output = Result<A, Status>>) -> Result<A, Status> {
    timeout(CALL_TIMEOUT, answer).await.unwrap_or_else(|_| {
        let seconds = CALL_TIMEOUT.as_secs();
        Err(Status::deadline_exceeded(format!(
            "nothing was received for {seconds} s"
        )))
    })
}

/// Tells whether the referee may not have answered. A status that has a source was made on this side.
fn is_unreachable(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) || status.source().is_some()
}

/// Tells whether a watch may continue. A watcher that is too slow gets RESOURCE_EXHAUSTED.
fn is_interruption(status: &Status) -> bool {
    let codes = [Code::Cancelled, Code::Internal, Code::ResourceExhausted, Code::Unknown];
    is_unreachable(status) || codes.contains(&status.code())
}

fn call_error(status: &Status) -> RefereeError {
    let mut error = RefereeError::from(status);
    if let Some(cause) = status.source() {
        error.message = message_with_causes(cause);
    }
    error
}

/// Returns an id by which the referee recognises a repeated call.
pub(super) fn request_id() -> String {
    format!("{:032x}", fastrand::u128(..))
}

#[cfg(test)]
mod tests {
    use std::{
        cell::{Cell, RefCell},
        future::{Ready, ready},
    };

    use futures_util::FutureExt;

    use super::*;

    impl Numbered for u64 {
        fn number(&self) -> u64 {
            *self
        }
    }

    fn broken() -> Status {
        Status::unavailable("no route to host")
    }

    /// Returns what a watch yields if each call gets the messages of one element, until there are no more of them.
    fn watched(calls: Vec<Vec<Result<Vec<u64>, Status>>>) -> (Vec<Result<u64, RefereeError>>, Vec<u64>) {
        let calls = RefCell::new(calls.into_iter());
        let afters = RefCell::new(Vec::new());
        let mut watch = Watch {
            open: |after| {
                afters.borrow_mut().push(after);
                ready(
                    calls
                        .borrow_mut()
                        .next()
                        .map(stream::iter)
                        .ok_or_else(|| Status::not_found("gone")),
                )
            },
            entries: |message: Vec<u64>| message,
            after: 3,
            stream: None,
            received: VecDeque::new(),
            backoff: Backoff::default(),
            is_over: false,
            pause: |_| ready(()),
        };
        let mut items = Vec::new();
        while let Some(item) = watch.next().now_or_never().expect("nothing waits") {
            items.push(item);
        }
        (items, afters.into_inner())
    }

    #[test]
    fn a_watch_continues_after_the_last_entry_that_it_has_received() {
        let calls = vec![
            vec![Ok(vec![]), Ok(vec![4, 5]), Err(broken())],
            vec![Err(Status::resource_exhausted("too slow"))],
            vec![Ok(vec![6]), Ok(vec![7, 8])],
        ];
        let (items, afters) = watched(calls);
        assert_eq!(items, [4, 5, 6, 7, 8].map(Ok));
        assert_eq!(afters, [3, 5, 5]);
    }

    #[test]
    fn an_error_after_which_no_retry_helps_is_the_last_item_of_a_watch() {
        let calls = vec![vec![
            Ok(vec![4]),
            Err(Status::permission_denied("not yours")),
            Ok(vec![5]),
        ]];
        let (items, _) = watched(calls);
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
        let attempt = async || answers.borrow_mut().pop().expect("a further answer");
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
    fn a_rejected_call_is_not_made_again() {
        let error = RefereeError::new("ALREADY_EXISTS", "taken");
        assert_eq!(called(vec![Err(Status::already_exists("taken"))]), (Err(error), 0));
    }
}
