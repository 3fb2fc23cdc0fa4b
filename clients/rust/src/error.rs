//! What can go wrong.

use std::{collections::HashMap, error::Error, fmt, time::Duration};

use prost::Message;
use tonic::{Code, Status};

use crate::api::{ErrorDetail, ErrorReason};

const LONGEST_RETRY_MS: u64 = 60_000;
const DEFAULT_RETRY_MS: u64 = 1_000;

/// An error of a bot's own code.
pub type BotError = Box<dyn Error + Send + Sync>;

/// Why [`play`](crate::play) has ended without being cancelled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum PlayError {
    /// A setting is missing or invalid. Nothing was connected.
    Setting(SettingError),
    /// A newer session of the same bot and version has taken over its seats. Reconnecting would make the two sessions
    /// replace each other for ever.
    TakenOver,
    /// The referee rejects the bot, for example because of its token. Reconnecting does not help until something is
    /// changed.
    Rejected(RefereeError),
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(error) => error.fmt(f),
            Self::TakenOver => f.write_str("a newer session of this bot has taken over its seats"),
            Self::Rejected(_) => f.write_str("the referee rejects this bot"),
        }
    }
}

impl Error for PlayError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Rejected(error) => Some(error),
            Self::Setting(_) | Self::TakenOver => None, // Their texts have everything.
        }
    }
}

impl From<SettingError> for PlayError {
    fn from(error: SettingError) -> Self {
        Self::Setting(error)
    }
}

/// A setting that is missing or invalid.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SettingError {
    variable: &'static str,
    problem: String,
}

impl SettingError {
    pub(crate) fn new(variable: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { variable, problem }
    }

    /// The environment variable of the setting, also if it was set in another way.
    pub fn variable(&self) -> &str {
        self.variable
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.variable, self.problem)
    }
}

impl Error for SettingError {}

/// An error of the referee: it rejected an answer, a bot or a call.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct RefereeError {
    /// An upper-case name from the contract, such as `ILLEGAL_MOVE`. Programs should use it, and never the message. If
    /// the error is not from the referee itself, it is the name of a gRPC status code.
    pub reason: String,
    /// One sentence for people.
    pub message: String,
    /// The variables of the message by name.
    pub metadata: HashMap<String, String>,
}

impl RefereeError {
    /// Returns an error without metadata, for tests of a bot.
    pub fn new(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            message: message.into(),
            metadata: HashMap::new(),
        }
    }

    /// Returns the error of a call of an organiser.
    #[cfg(feature = "organiser")]
    pub(crate) fn of_call(status: &Status) -> Self {
        let mut error = Self::from(status);
        if let Some(cause) = status.source() {
            // tonic's own code for a connection that breaks during a call is UNKNOWN.
            error.reason = "UNAVAILABLE".into();
            error.message = connection_error(cause);
        }
        error
    }

    /// Returns the time after which the same answer may be accepted, if the error is temporary.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let text = self.metadata.get("retry_after_ms")?;
        let milliseconds = parse_digits(text).filter(|&number| number <= LONGEST_RETRY_MS);
        Some(Duration::from_millis(milliseconds.unwrap_or(DEFAULT_RETRY_MS)))
    }
}

impl fmt::Display for RefereeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.reason)
    }
}

impl Error for RefereeError {}

impl From<ErrorDetail> for RefereeError {
    fn from(detail: ErrorDetail) -> Self {
        let reason = detail.reason().as_str_name().trim_start_matches("ERROR_REASON_");
        // A reason that is newer than this client stays a number.
        let known = ErrorReason::try_from(detail.reason).is_ok();
        Self {
            reason: if known {
                reason.into()
            } else {
                detail.reason.to_string()
            },
            message: detail.message,
            metadata: detail.metadata,
        }
    }
}

/// The end of a stream. Details that are missing or malformed leave the name of the status code.
impl From<&Status> for RefereeError {
    fn from(status: &Status) -> Self {
        let details = StatusDetails::decode(status.details()).unwrap_or_default().details;
        let info = details
            .iter()
            .find(|detail| detail.type_url.ends_with("/google.rpc.ErrorInfo"));
        let info = info.and_then(|detail| ErrorInfo::decode(detail.value.as_slice()).ok());
        let info = info.unwrap_or_else(|| ErrorInfo {
            reason: code_name(status.code()),
            metadata: HashMap::new(),
        });
        Self {
            reason: info.reason,
            message: status.message().into(),
            metadata: info.metadata,
        }
    }
}

/// The part of `google.rpc.Status` that is needed here.
#[derive(Clone, PartialEq, Message)]
struct StatusDetails {
    #[prost(message, repeated, tag = "3")]
    details: Vec<prost_types::Any>,
}

/// The part of `google.rpc.ErrorInfo` that is needed here.
#[derive(Clone, PartialEq, Message)]
struct ErrorInfo {
    #[prost(string, tag = "1")]
    reason: String,
    #[prost(map = "string, string", tag = "3")]
    metadata: HashMap<String, String>,
}

/// Returns the name of a code as the contract writes it: `PermissionDenied` is `PERMISSION_DENIED`.
fn code_name(code: Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}

/// Parses a number that is written in decimal digits only.
pub(crate) fn parse_digits(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    None
}

/// Returns the error with all its causes: the outermost alone says only that there was one.
pub(crate) fn message_with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}

/// Returns why a connection failed, with what is likely wrong, which the causes do not say.
pub(crate) fn connection_error(error: &(dyn Error + 'static)) -> String {
    let message = message_with_causes(error);
    let likely = if message.contains("closed because of a broken pipe") {
        "; the server may use TLS at this port: set BOT_CA to the file of its certificate authority, or, for another \
         machine with a public one, do not set BOT_PLAINTEXT"
    } else if message.contains("InvalidContentType") {
        "; the server uses no TLS at this port: do not set BOT_CA, and for another machine set BOT_PLAINTEXT=1"
    } else {
        ""
    };
    message + likely
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_with_an_error_info_has_its_reason_and_metadata() {
        let info = ErrorInfo {
            reason: "BAD_TOKEN".into(),
            metadata: [("bot".into(), "anna".into())].into(),
        };
        let details = [("other", vec![1, 2]), ("google.rpc.ErrorInfo", info.encode_to_vec())];
        let details = StatusDetails {
            details: details
                .map(|(name, value)| prost_types::Any {
                    type_url: format!("type.googleapis.com/{name}"),
                    value,
                })
                .into(),
        };
        let status = Status::with_details(Code::Unauthenticated, "no", details.encode_to_vec().into());
        let error = RefereeError::from(&status);
        assert_eq!(error.to_string(), "no (BAD_TOKEN)");
        assert_eq!(error.metadata, info.metadata);
    }

    #[test]
    fn a_status_without_details_has_the_name_of_its_code() {
        let status = Status::with_details(Code::PermissionDenied, "no", vec![0xff].into());
        assert_eq!(
            RefereeError::from(&status),
            RefereeError::new("PERMISSION_DENIED", "no")
        );
    }

    #[test]
    fn an_error_in_the_stream_has_the_name_of_its_reason() {
        let reason_of = |reason| {
            RefereeError::from(ErrorDetail {
                reason,
                ..ErrorDetail::default()
            })
            .reason
        };
        assert_eq!(reason_of(ErrorReason::IllegalMove.into()), "ILLEGAL_MOVE");
        assert_eq!(reason_of(9_999), "9999");
    }

    #[test]
    fn the_text_of_an_error_says_what_is_wrong() {
        let setting = SettingError::new("BOT_TOKEN", "is not set");
        assert_eq!(PlayError::from(setting).to_string(), "BOT_TOKEN is not set");
        let rejected = PlayError::Rejected(RefereeError::new("BAD_TOKEN", "the token is wrong"));
        assert_eq!(
            message_with_causes(&rejected),
            "the referee rejects this bot: the token is wrong (BAD_TOKEN)"
        );
    }
}
