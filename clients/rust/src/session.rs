//! One stream from Hello to its end.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::{Instant, timeout, timeout_at},
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Request, Status, Streaming};

use crate::{
    Settings,
    api::{BotItem, Hello, PlayRequest, PlayResponse, bot_item, play_service_client::PlayServiceClient},
};

/// A position can have thousands of moves.
const MAX_MESSAGE: usize = 64 << 20;
const MAX_BATCH: usize = 1_000;
/// The default `heartbeat_timeout_ms` of a referee.
const WELCOME_WITHIN: Duration = Duration::from_secs(15);

/// How a stream ended.
#[derive(Debug)]
pub(crate) enum End {
    /// Reconnecting may help.
    Broken(String),
    TakenOver,
    /// Reconnecting does not help before something is changed.
    Refused(String),
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        let sentence = format!("{:?}: {}", status.code(), status.message());
        match status.code() {
            // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
            Code::Aborted => End::TakenOver,
            Code::Unauthenticated | Code::PermissionDenied | Code::InvalidArgument => End::Refused(sentence),
            _ => End::Broken(sentence),
        }
    }
}

/// An open stream. Dropping it closes the stream.
pub(crate) struct Session {
    heard: Streaming<PlayResponse>,
    said: UnboundedSender<BotItem>,
    max_silence: Duration,
    heard_at: Instant,
}

impl Session {
    pub async fn open(settings: &Settings, hello: Hello) -> Result<Self, End> {
        let opening = timeout(WELCOME_WITHIN, Self::opened(settings, hello));
        opening.await.unwrap_or_else(|_| Err(silent(WELCOME_WITHIN)))
    }

    async fn opened(settings: &Settings, hello: Hello) -> Result<Self, End> {
        let channel = settings
            .endpoint
            .connect()
            .await
            .map_err(|why| End::Broken(sentence(&why)))?;
        let (said, to_say) = unbounded_channel();
        // Items that are queued while a message is being sent go into one message.
        let together = UnboundedReceiverStream::new(to_say)
            .ready_chunks(MAX_BATCH)
            .map(|items| PlayRequest { items });
        let mut request = Request::new(together);
        request.metadata_mut().insert("authorization", settings.bearer.clone());
        let _ = said.send(bot_item::Item::Hello(hello).into());
        let heard = PlayServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE)
            .play(request)
            .await?
            .into_inner();
        Ok(Self {
            heard,
            said,
            max_silence: WELCOME_WITHIN,
            heard_at: Instant::now(),
        })
    }

    /// Returns the next message, or an end if there is none for too long: the connection may be dead without either end
    /// having noticed. Dropping the future loses no message.
    pub async fn message(&mut self) -> Result<PlayResponse, End> {
        let message = timeout_at(self.heard_at + self.max_silence, self.heard.message())
            .await
            .map_err(|_| silent(self.max_silence))??;
        self.heard_at = Instant::now();
        message.ok_or_else(|| End::Broken("the stream has ended".into()))
    }

    /// Sets the longest time for which the referee may be silent.
    pub fn welcomed(&mut self, max_silence: Duration) {
        if !max_silence.is_zero() {
            self.max_silence = max_silence;
        }
    }

    pub fn say(&self, item: BotItem) {
        // If the stream has ended, the next `message` reports it.
        let _ = self.said.send(item);
    }
}

fn silent(max_silence: Duration) -> End {
    End::Broken(format!("nothing was received for {} s", max_silence.as_secs_f64()))
}

/// For items without a number, because their verdicts are not needed.
impl From<bot_item::Item> for BotItem {
    fn from(item: bot_item::Item) -> Self {
        BotItem {
            item_id: 0,
            item: Some(item),
        }
    }
}

/// Returns the error with all its causes: the outermost alone says only that there was one.
fn sentence(why: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(why), |why| why.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_by_itself_is_a_break() {
        for code in [
            Code::Unavailable,
            Code::Internal,
            Code::Cancelled,
            Code::DeadlineExceeded,
        ] {
            assert!(matches!(End::from(Status::new(code, "")), End::Broken(_)));
        }
        for code in [Code::Unauthenticated, Code::PermissionDenied, Code::InvalidArgument] {
            assert!(matches!(End::from(Status::new(code, "")), End::Refused(_)));
        }
        assert!(matches!(End::from(Status::aborted("")), End::TakenOver));
    }
}
