//! Calls with the token, retries, and errors of the referee.

use std::{collections::VecDeque, error::Error, sync::Arc, time::Duration};

use futures_util::{Stream, StreamExt, TryStreamExt, stream};
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
/// The largest that the contract permits.
pub(super) const PAGE_SIZE: u32 = 1_000;
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

/// Something that arrives in a watch of the log of a match or contest.
pub(super) trait Numbered {
    /// Returns the number after which the log continues. `after` is the one before; None if only new entries are watched.
    fn number(&self, after: Option<u64>) -> Option<u64>;
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

    /// Makes a call, again if it is interrupted, and returns the answer.
    pub async fn call<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Link, Q) -> F) -> Result<A, RefereeError>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let attempt = || in_time(call(self.link.clone(), request.clone()));
        Ok(retried(attempt, sleep).await?.into_inner())
    }

    /// Returns all messages of a finite stream, from the beginning again if it is interrupted.
    pub async fn all<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Link, Q) -> F) -> Result<Vec<A>, RefereeError>
    where
        F: Future<Output = Result<Response<Streaming<A>>, Status>>,
    {
        let attempt = || read_all(call(self.link.clone(), request.clone()));
        retried(attempt, sleep).await
    }

    /// Returns the items of all pages of a list. `fetch` is called with the token of each page, and `items` returns what
    /// is in it and the token of the next one.
    pub fn pages<A, T, F>(
        &self,
        fetch: impl Fn(Link, String) -> F + Send + Sync + 'static,
        items: fn(A) -> (Vec<T>, String),
    ) -> Items<T>
    where
        A: Send + 'static,
        T: Send + 'static,
        F: Future<Output = Result<Response<A>, Status>> + Send + 'static,
    {
        let calls = self.clone();
        let fetch = Arc::new(fetch);
        let pages = stream::try_unfold(Some(String::new()), move |token| {
            let (calls, fetch) = (calls.clone(), fetch.clone());
            async move {
                let Some(token) = token else {
                    return Ok::<_, RefereeError>(None);
                };
                let (items, next) = items(calls.call(token, &*fetch).await?);
                let next = Some(next).filter(|token| !token.is_empty());
                Ok(Some((stream::iter(items).map(Ok), next)))
            }
        });
        Items::new(pages.try_flatten())
    }

    /// Returns the entries of a log after a number, which `open` is called with again after an interruption.
    pub fn watch<A, E, F>(
        &self,
        after: Option<u64>,
        open: impl Fn(Link, Option<u64>) -> F + Send + 'static,
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
    /// Number of the last entry that was received. None if only new entries are watched, and none has arrived.
    after: Option<u64>,
    /// None while there is no connection.
    stream: Option<S>,
    received: VecDeque<E>,
    backoff: Backoff,
    is_over: bool,
    pause: fn(Duration) -> P,
}

impl<O, F, S, A, E, P> Watch<O, S, A, E, P>
where
    O: Fn(Option<u64>) -> F,
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
                    (self.pause)(pause_after(&call_error(&status), &mut self.backoff)).await;
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
        let after = self
            .received
            .iter()
            .fold(self.after, |after, entry| entry.number(after));
        if after != self.after {
            self.after = after;
            self.backoff = Backoff::default();
        }
        Ok(())
    }
}

/// Repeats what is interrupted or rejected for a moment, a few times.
///
/// It takes no asynchronous closures: the compiler could not tell whether the future is `Send`.
async fn retried<A, F, P>(attempt: impl Fn() -> F, pause: impl Fn(Duration) -> P) -> Result<A, RefereeError>
where
    F: Future<Output = Result<A, Status>>,
    P: Future<Output = ()>,
{
    let mut backoff = Backoff::default();
    for _ in 1..MAX_ATTEMPTS {
        let status = match attempt().await {
            Ok(answer) => return Ok(answer),
            Err(status) => status,
        };
        let error = call_error(&status);
        if error.retry_after().is_none() && !is_unreachable(&status) {
            return Err(error);
        }
        pause(pause_after(&error, &mut backoff)).await;
    }
    attempt().await.map_err(|status| call_error(&status))
}

/// Returns the pause after an error: what the referee asks for, or else that of the backoff.
fn pause_after(error: &RefereeError, backoff: &mut Backoff) -> Duration {
    let asked = error.retry_after().filter(|time| !time.is_zero());
    asked.unwrap_or_else(|| backoff.next(Instant::now(), false, fastrand::f64()))
}

async fn read_all<A>(opening: impl Future<Output = Result<Response<Streaming<A>>, Status>>) -> Result<Vec<A>, Status> {
    let mut stream = in_time(opening).await?.into_inner();
    let mut messages = Vec::new();
    while let Some(message) = in_time(stream.message()).await? {
        messages.push(message);
    }
    Ok(messages)
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
        // tonic's own code for a connection that breaks during a call is UNKNOWN.
        error.reason = "UNAVAILABLE".into();
        error.message = message_with_causes(cause);
    }
    error
}

/// Returns an id by which the referee recognises a repeated call.
pub(super) fn request_id() -> String {
    format!("{:032x}", fastrand::u128(..))
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
