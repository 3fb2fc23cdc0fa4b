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
    api::{FromBot, Hello, PlayRequest, PlayResponse, from_bot, play_service_client::PlayServiceClient},
};

/// A position can have thousands of moves.
const MESSAGE_AT_MOST: usize = 64 << 20;
const TOGETHER_AT_MOST: usize = 1_000;
/// As the `gone_after_ms` of a referee by default.
const WELCOME_WITHIN: Duration = Duration::from_secs(15);

/// How a stream came to its end.
#[derive(Debug)]
pub(crate) enum End {
    /// Come back.
    Broken(String),
    TakenOver,
    /// Do not come back before something has changed.
    Refused(String),
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        let sentence = format!("{:?}: {}", status.code(), status.message());
        match status.code() {
            // The contract ends a stream with it for this reason only: SESSION_TAKEN_OVER.
            Code::Aborted => End::TakenOver,
            Code::Unauthenticated | Code::PermissionDenied | Code::InvalidArgument => End::Refused(sentence),
            _ => End::Broken(sentence),
        }
    }
}

/// An open stream. To drop it is to hang up.
pub(crate) struct Session {
    heard: Streaming<PlayResponse>,
    said: UnboundedSender<FromBot>,
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
        // What came up while the last message was on its way travels together.
        let together = UnboundedReceiverStream::new(to_say)
            .ready_chunks(TOGETHER_AT_MOST)
            .map(|items| PlayRequest { items });
        let mut request = Request::new(together);
        request.metadata_mut().insert("authorization", settings.bearer.clone());
        let _ = said.send(from_bot::Item::Hello(hello).into());
        let heard = PlayServiceClient::new(channel)
            .max_decoding_message_size(MESSAGE_AT_MOST)
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

    /// The next message. It is an end if there is none for too long: the connection may be dead without either end
    /// having been told. A future that is dropped loses nothing.
    pub async fn message(&mut self) -> Result<PlayResponse, End> {
        let message = timeout_at(self.heard_at + self.max_silence, self.heard.message())
            .await
            .map_err(|_| silent(self.max_silence))??;
        self.heard_at = Instant::now();
        message.ok_or_else(|| End::Broken("the stream has ended".into()))
    }

    /// By a referee that is never silent for so long.
    pub fn welcomed(&mut self, max_silence: Duration) {
        if !max_silence.is_zero() {
            self.max_silence = max_silence;
        }
    }

    pub fn say(&self, item: FromBot) {
        // If nobody listens any more, the end of the stream will be heard next.
        let _ = self.said.send(item);
    }
}

fn silent(max_silence: Duration) -> End {
    End::Broken(format!("nothing was received for {} s", max_silence.as_secs_f64()))
}

/// What needs no number, since no verdict on it is looked for.
impl From<from_bot::Item> for FromBot {
    fn from(item: from_bot::Item) -> Self {
        FromBot {
            item_id: 0,
            item: Some(item),
        }
    }
}

/// The error with all that caused it: the first alone says only that there was one.
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
