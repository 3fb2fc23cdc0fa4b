//! Streams of what a referee sends bit by bit.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use tokio_stream::Stream;

use crate::RefereeError;

/// A stream of items, such as entries of a log or rows of a list. If it fails, the error is the last item. Dropping it
/// ends the call.
///
/// It is a [`Stream`], and [`next`](Self::next) is enough without a crate for streams.
#[must_use = "nothing is called until the first item is asked for"]
pub struct Items<T> {
    stream: Pin<Box<dyn Stream<Item = Result<T, RefereeError>> + Send>>,
}

impl<T> Items<T> {
    pub(super) fn new(stream: impl Stream<Item = Result<T, RefereeError>> + Send + 'static) -> Self {
        Self {
            stream: Box::pin(stream),
        }
    }

    /// Waits for the next item. Returns None at the end. Dropping the future loses no item.
    pub async fn next(&mut self) -> Option<Result<T, RefereeError>> {
        poll_fn(|context| self.stream.as_mut().poll_next(context)).await
    }
}

impl<T> Stream for Items<T> {
    type Item = Result<T, RefereeError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.stream.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Items")
    }
}
