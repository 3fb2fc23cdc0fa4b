//! One stream from Hello to its end.

use std::{error::Error, time::Duration};

use futures_util::StreamExt;
use tokio::{
    sync::mpsc::{UnboundedSender, unbounded_channel},
    time::{Instant, timeout, timeout_at},
};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Code, Request, Status, Streaming};

use crate::{
    PlayError,
    api::{BotItem, Hello, PlayRequest, PlayResponse, bot_item, play_service_client::PlayServiceClient},
    error::connection_error,
    options::Target,
};

/// It is large because a position can have thousands of moves.
const MAX_MESSAGE_BYTES: usize = 64 << 20;
const MAX_JOINED: usize = 100;
/// The heartbeat timeout until a Welcome says which one the referee uses.
pub(crate) const WELCOME_TIMEOUT: Duration = Duration::from_secs(5);

/// How a stream ended.
#[derive(Debug)]
pub(crate) enum SessionEnd {
    /// Reconnecting may help.
    Disconnected(String),
    /// Reconnecting does not help.
    Final(PlayError),
}

/// Only the status code decides.
impl From<Status> for SessionEnd {
    fn from(status: Status) -> Self {
        match status.code() {
            // The contract uses this code for one reason only: SESSION_TAKEN_OVER.
            Code::Aborted => Self::Final(PlayError::TakenOver),
            Code::Unauthenticated | Code::PermissionDenied | Code::InvalidArgument => {
                Self::Final(PlayError::Rejected((&status).into()))
            }
            code => Self::Disconnected(format!("{code:?}: {}", status.message())),
        }
    }
}

/// An open stream. Dropping it closes the connection.
pub(crate) struct Session {
    responses: Streaming<PlayResponse>,
    last_response: Instant,
    /// What is sent. Items that wait while a message is being sent go into one message.
    pub outgoing: UnboundedSender<Vec<BotItem>>,
}

impl Session {
    pub async fn open(target: Target, hello: Hello) -> Result<Self, SessionEnd> {
        let connecting = timeout(WELCOME_TIMEOUT, Self::connect(target, hello));
        connecting
            .await
            .unwrap_or_else(|_| Err(nothing_received(WELCOME_TIMEOUT)))
    }

    async fn connect(target: Target, hello: Hello) -> Result<Self, SessionEnd> {
        let channel = target
            .endpoint
            .connect()
            .await
            .map_err(|error| SessionEnd::Disconnected(connection_error(&error)))?;
        let (outgoing, queue) = unbounded_channel();
        let requests = UnboundedReceiverStream::new(queue)
            .ready_chunks(MAX_JOINED)
            .map(|waiting| PlayRequest {
                items: waiting.into_iter().flatten().collect(),
            });
        let mut request = Request::new(requests);
        request.metadata_mut().insert("authorization", target.authorization);
        let _ = outgoing.send(vec![bot_item::Item::Hello(hello).into()]);
        let responses = PlayServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .play(request)
            .await
            .map_err(opening_failed)?
            .into_inner();
        let last_response = Instant::now();
        Ok(Self {
            responses,
            last_response,
            outgoing,
        })
    }

    /// Returns the next message, or the end of the session if there is none for too long: the connection may be dead
    /// without either end having noticed. Dropping the future loses no message.
    pub async fn message(&mut self, heartbeat_timeout: Duration) -> Result<PlayResponse, SessionEnd> {
        let message = timeout_at(self.last_response + heartbeat_timeout, self.responses.message())
            .await
            .map_err(|_| nothing_received(heartbeat_timeout))??;
        self.last_response = Instant::now();
        message.ok_or_else(stream_ended)
    }
}

/// tonic reports a connection that breaks before the referee has said anything with this code and a cause.
fn opening_failed(status: Status) -> SessionEnd {
    match status.source() {
        Some(cause) if status.code() == Code::Unknown => SessionEnd::Disconnected(connection_error(cause)),
        _ => status.into(),
    }
}

pub(crate) fn stream_ended() -> SessionEnd {
    SessionEnd::Disconnected("the stream has ended".into())
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
