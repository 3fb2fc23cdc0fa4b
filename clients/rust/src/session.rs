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

/// It is large because a position can have thousands of moves.
const MAX_MESSAGE_BYTES: usize = 64 << 20;
const MAX_BATCH_ITEMS: usize = 1_000;
/// The heartbeat timeout until the Welcome says which one the referee uses. It equals the default of a referee.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(15);

/// How a stream ended.
#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// Reconnecting may help.
    Disconnected(String),
    TakenOver,
    /// Reconnecting does not help unless something is changed.
    Rejected(String),
}

impl From<Status> for SessionEnd {
    fn from(status: Status) -> Self {
        let reason = format!("{:?}: {}", status.code(), status.message());
        match status.code() {
            // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
            Code::Aborted => SessionEnd::TakenOver,
            Code::Unauthenticated | Code::PermissionDenied | Code::InvalidArgument => SessionEnd::Rejected(reason),
            _ => SessionEnd::Disconnected(reason),
        }
    }
}

/// An open stream. Dropping it closes the stream.
pub(crate) struct Session {
    responses: Streaming<PlayResponse>,
    outgoing: UnboundedSender<BotItem>,
    heartbeat_timeout: Duration,
    last_response: Instant,
}

impl Session {
    pub async fn open(settings: &Settings, hello: Hello) -> Result<Self, SessionEnd> {
        let connecting = timeout(WELCOME_TIMEOUT, Self::connect(settings, hello));
        connecting
            .await
            .unwrap_or_else(|_| Err(nothing_received(WELCOME_TIMEOUT)))
    }

    async fn connect(settings: &Settings, hello: Hello) -> Result<Self, SessionEnd> {
        let channel = settings
            .endpoint
            .connect()
            .await
            .map_err(|error| SessionEnd::Disconnected(message_with_causes(&error)))?;
        let (outgoing, queue) = unbounded_channel();
        // Items that are queued while a message is being sent go into one message.
        let requests = UnboundedReceiverStream::new(queue)
            .ready_chunks(MAX_BATCH_ITEMS)
            .map(|items| PlayRequest { items });
        let mut request = Request::new(requests);
        request
            .metadata_mut()
            .insert("authorization", settings.authorization.clone());
        let _ = outgoing.send(bot_item::Item::Hello(hello).into());
        let responses = PlayServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .play(request)
            .await?
            .into_inner();
        Ok(Self {
            responses,
            outgoing,
            heartbeat_timeout: WELCOME_TIMEOUT,
            last_response: Instant::now(),
        })
    }

    /// Returns the next message, or the end of the session if there is none for too long: the connection may be dead
    /// without either end having noticed. Dropping the future loses no message.
    pub async fn message(&mut self) -> Result<PlayResponse, SessionEnd> {
        let message = timeout_at(self.last_response + self.heartbeat_timeout, self.responses.message())
            .await
            .map_err(|_| nothing_received(self.heartbeat_timeout))??;
        self.last_response = Instant::now();
        message.ok_or_else(|| SessionEnd::Disconnected("the stream has ended".into()))
    }

    /// Sets the longest time for which the referee may be silent.
    pub fn set_heartbeat_timeout(&mut self, timeout: Duration) {
        if !timeout.is_zero() {
            self.heartbeat_timeout = timeout;
        }
    }

    pub fn send(&self, item: BotItem) {
        // If the stream has ended, the next `message` reports it.
        let _ = self.outgoing.send(item);
    }
}

fn nothing_received(timeout: Duration) -> SessionEnd {
    SessionEnd::Disconnected(format!("nothing was received for {} s", timeout.as_secs_f64()))
}

/// For items without an item id, because their verdicts are not needed.
impl From<bot_item::Item> for BotItem {
    fn from(item: bot_item::Item) -> Self {
        BotItem {
            item_id: 0,
            item: Some(item),
        }
    }
}

/// Returns the error with all its causes: the outermost alone says only that there was one.
fn message_with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_errors_lead_to_a_reconnect() {
        for code in [
            Code::Unavailable,
            Code::Internal,
            Code::Cancelled,
            Code::DeadlineExceeded,
        ] {
            assert!(matches!(
                SessionEnd::from(Status::new(code, "")),
                SessionEnd::Disconnected(_)
            ));
        }
        for code in [Code::Unauthenticated, Code::PermissionDenied, Code::InvalidArgument] {
            assert!(matches!(
                SessionEnd::from(Status::new(code, "")),
                SessionEnd::Rejected(_)
            ));
        }
        assert!(matches!(SessionEnd::from(Status::aborted("")), SessionEnd::TakenOver));
    }
}
