//! Administration of matches and contests, over the generated stubs of the contract in [`api`]: `examples/organise.rs`
//! creates a match, watches it and reads its record.

use std::{error::Error, pin::Pin, time::Duration};

use futures_util::{Stream, TryStreamExt, stream};
use tokio::time::{sleep, timeout};
use tonic::{Code, Response, Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

pub use crate::options::Authorization;
use crate::{Options, RefereeError, SettingError, backoff::Backoff};
pub use futures_util::StreamExt;

/// Messages of the contract, and the stubs of its services, as the compiler of the contract generates them.
#[allow(missing_docs, clippy::large_enum_variant)] // They follow from the contract.
pub mod api {
    pub use crate::api::*;
    include!("stubs/organiser.rs");
}

const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// HTTP/2 pings find a dead connection while a call is open: a stream may be silent for hours.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ATTEMPTS: usize = 5;

/// The connection, which adds the token to each call. The stubs of [`api`] take it.
pub type AuthorizedChannel = InterceptedService<Channel, Authorization>;

/// A stream of items. If it fails, the error is the last one. Dropping it ends the call.
pub type Items<T> = Pin<Box<dyn Stream<Item = Result<T, RefereeError>> + Send>>;

/// Makes calls with the token of an organiser, author or spectator. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Organiser {
    channel: AuthorizedChannel,
}

impl Organiser {
    /// Returns an organiser, which connects with its first call. Options that are about bots have no effect.
    ///
    /// It must be called on a runtime of tokio with time and network enabled, on which the connection lives.
    pub fn new(options: Options) -> Result<Self, SettingError> {
        let target = options.target()?;
        let endpoint = target.endpoint.http2_keep_alive_interval(PING_INTERVAL);
        let channel = endpoint.keep_alive_timeout(PING_TIMEOUT).connect_lazy();
        let channel = InterceptedService::new(channel, Authorization(target.authorization));
        Ok(Self { channel })
    }

    /// Returns the connection for a stub.
    pub fn channel(&self) -> AuthorizedChannel {
        self.channel.clone()
    }

    /// Makes a call, up to five times while the referee cannot be reached or asks for a pause. The request is the same
    /// each time: with a [`request_id`], nothing is created twice. An attempt takes up to 30 seconds.
    pub async fn call<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Q) -> F) -> Result<A, RefereeError>
    where
        F: Future<Output = Result<Response<A>, Status>>,
    {
        let attempt = || in_time(call(request.clone()));
        Ok(retried(attempt, sleep).await?.into_inner())
    }

    /// Returns all messages of a call for a file, such as a record, from the beginning again if that breaks.
    pub async fn read_all<Q: Clone, A, F>(&self, request: Q, call: impl Fn(Q) -> F) -> Result<Vec<A>, RefereeError>
    where
        F: Future<Output = Result<Response<Streaming<A>>, Status>>,
    {
        let attempt = || async {
            let mut stream = in_time(call(request.clone())).await?.into_inner();
            let mut messages = Vec::new();
            while let Some(message) = in_time(stream.message()).await? {
                messages.push(message);
            }
            Ok(messages)
        };
        retried(attempt, sleep).await
    }

    /// Returns the items of all pages of a list. `fetch` is called with the token of each page, and `items` returns what
    /// is in it and the token of the next one.
    pub fn pages<A, T, F>(
        &self,
        fetch: impl Fn(String) -> F + Clone + Send + Sync + 'static,
        items: fn(A) -> (Vec<T>, String),
    ) -> Items<T>
    where
        A: Send + 'static,
        T: Send + 'static,
        F: Future<Output = Result<Response<A>, Status>> + Send + 'static,
    {
        let organiser = self.clone();
        let pages = stream::try_unfold(Some(String::new()), move |token| {
            let (organiser, fetch) = (organiser.clone(), fetch.clone());
            async move {
                let Some(token) = token else {
                    return Ok::<_, RefereeError>(None);
                };
                let (items, next) = items(organiser.call(token, fetch).await?);
                let next = Some(next).filter(|token| !token.is_empty());
                Ok(Some((stream::iter(items).map(Ok), next)))
            }
        });
        Box::pin(pages.try_flatten())
    }

    /// Returns the items of a match or contest that is watched. `open` is called with the number to continue after (None:
    /// only new entries), again after an interruption. The next item is then another snapshot; each entry comes once.
    pub fn watch<A, F>(&self, after: Option<u64>, open: impl Fn(Option<u64>) -> F + Send + 'static) -> Items<A::Item>
    where
        A: Watched + Send + 'static,
        F: Future<Output = Result<Response<Streaming<A>>, Status>> + Send + 'static,
    {
        let open = move |after| {
            let opening = open(after);
            async { Ok(in_time(opening).await?.into_inner()) }
        };
        Box::pin(watch(after, open, sleep))
    }
}

/// A message of a watch.
pub trait Watched {
    /// A snapshot, or an entry.
    type Item: Send + 'static;

    /// Returns its items.
    fn items(self) -> Vec<Self::Item>;

    /// Returns the number after which the log continues; `after` is the one before. A snapshot tells where a watch of new
    /// entries began.
    fn continue_after(item: &Self::Item, after: Option<u64>) -> Option<u64>;
}

macro_rules! watched {
    ($response:ident, $item:ident, $kinds:ident, $snapshot:ident => $number:expr) => {
        impl Watched for api::$response {
            type Item = api::$item;

            fn items(self) -> Vec<Self::Item> {
                self.items
            }

            fn continue_after(item: &Self::Item, after: Option<u64>) -> Option<u64> {
                match &item.item {
                    Some(api::$kinds::Item::Entry(entry)) => Some(entry.number),
                    Some(api::$kinds::Item::Snapshot($snapshot)) => after.or($number),
                    None => after,
                }
            }
        }
    };
}

watched!(WatchMatchResponse, WatchMatchItem, watch_match_item, it => it.state.as_ref().map(|state| state.entry_number));
watched!(WatchLadderResponse, WatchLadderItem, watch_ladder_item, it => Some(it.entry_number));
watched!(WatchTournamentResponse, WatchTournamentItem, watch_tournament_item, it => Some(it.entry_number));

/// Returns the items of the streams that `open` returns, one after the other.
fn watch<A: Watched, S, F, P: Future<Output = ()>>(
    after: Option<u64>,
    open: impl Fn(Option<u64>) -> F,
    pause: impl Fn(Duration) -> P,
) -> impl Stream<Item = Result<A::Item, RefereeError>>
where
    F: Future<Output = Result<S, Status>>,
    S: Stream<Item = Result<A, Status>> + Unpin,
{
    let state = (after, None::<S>, Backoff::default(), open, pause);
    let batches = stream::try_unfold(state, |(mut after, mut stream, mut backoff, open, pause)| async move {
        loop {
            let received = match &mut stream {
                Some(stream) => stream.next().await,
                None => match open(after).await {
                    Ok(opened) => stream.insert(opened).next().await,
                    Err(status) => Some(Err(status)),
                },
            };
            match received {
                None => return Ok(None),
                Some(Ok(message)) => {
                    let items = message.items();
                    let last = items.iter().fold(after, |after, item| A::continue_after(item, after));
                    if last != after {
                        (after, backoff) = (last, Backoff::default());
                    }
                    let items = stream::iter(items).map(Ok);
                    return Ok(Some((items, (after, stream, backoff, open, pause))));
                }
                Some(Err(status)) if is_interruption(&status) => {
                    stream = None;
                    pause(backoff.after_error(&RefereeError::of_call(&status), fastrand::f64())).await;
                }
                Some(Err(status)) => return Err(RefereeError::of_call(&status)),
            }
        }
    });
    batches.try_flatten()
}

/// Repeats what is interrupted or rejected for a moment, a few times.
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
        let error = RefereeError::of_call(&status);
        if error.retry_after().is_none() && !is_unreachable(&status) {
            return Err(error);
        }
        pause(backoff.after_error(&error, fastrand::f64())).await;
    }
    attempt().await.map_err(|status| RefereeError::of_call(&status))
}

async fn in_time<A>(answer: impl Future<Output = Result<A, Status>>) -> Result<A, Status> {
    let late = |_| Status::deadline_exceeded(format!("nothing was received for {} s", CALL_TIMEOUT.as_secs()));
    timeout(CALL_TIMEOUT, answer).await.map_err(late)?
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

/// Returns a new id, by which the referee recognises a repeated call.
pub fn request_id() -> String {
    format!("{:032x}", fastrand::u128(..))
}

#[cfg(test)]
#[path = "organiser_tests.rs"]
mod tests;
