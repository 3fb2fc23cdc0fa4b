//! Settings: the address of the referee, the identity of the bot, and what it asks for.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use rustls_pki_types::{CertificateDer, pem::PemObject};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;
use tonic::{
    metadata::{Ascii, MetadataValue},
    transport::{Certificate, ClientTlsConfig, Endpoint},
};

use crate::{
    SettingError,
    api::{Hello, TurnOptions},
    error::{message_with_causes, parse_digits},
    nonces::{ChooseNonce, random_nonce},
};

const DEFAULT_MAX_MATCHES: u32 = 1;
const DEFAULT_MAX_LEGAL_MOVES: u32 = 5_000;

/// A call of a bot, which may block.
pub type Call = Box<dyn FnOnce() + Send>;

/// Runs a call elsewhere.
pub(crate) type Spawn = Arc<dyn Fn(Call) + Send + Sync>;

/// Settings of [`play`](crate::play).
///
/// They are checked when the bot starts to play. [`Options::from_environment`] reads them from environment variables.
#[derive(Clone)]
#[must_use]
pub struct Options {
    pub(crate) address: String,
    pub(crate) token: String,
    /// Certificate authorities in PEM. None: those of the system.
    pub(crate) ca_pem: Option<Vec<u8>>,
    pub(crate) plaintext: bool,
    pub(crate) version: String,
    pub(crate) games: Vec<String>,
    pub(crate) max_matches: u32,
    pub(crate) turn_options: TurnOptions,
    pub(crate) verdicts_with_turns: bool,
    pub(crate) nonce: ChooseNonce,
    pub(crate) spawn: Spawn,
    pub(crate) cancellation: CancellationToken,
}

impl Options {
    /// Returns the default settings for a server (HOST:PORT) and the token of a bot.
    pub fn new(address: impl Into<String>, token: impl Into<String>) -> Self {
        Self {
            address: address.into(),
            token: token.into(),
            ca_pem: None,
            plaintext: false,
            version: String::new(),
            games: Vec::new(),
            max_matches: DEFAULT_MAX_MATCHES,
            turn_options: TurnOptions {
                max_legal_moves: DEFAULT_MAX_LEGAL_MOVES,
                ..TurnOptions::default()
            },
            verdicts_with_turns: false,
            nonce: Arc::new(|_, _| random_nonce()),
            spawn: Arc::new(|call| drop(spawn_blocking(call))),
            cancellation: CancellationToken::new(),
        }
    }

    /// Replaces the token, for example that of the environment.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = token.into();
        self
    }

    /// Trusts the certificate authorities of this PEM text, and no others. The connection then always uses TLS.
    ///
    /// Without it, TLS is used with the certificate authorities of the system, except for addresses of this machine.
    pub fn ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.ca_pem = Some(pem.into());
        self
    }

    /// Permits connections to other machines without TLS.
    pub fn plaintext(mut self) -> Self {
        self.plaintext = true;
        self
    }

    /// Sets the version that the bot plays as. Default: the last one that was registered.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the games that the bot plays. Default: all.
    pub fn games<G: Into<String>>(mut self, games: impl IntoIterator<Item = G>) -> Self {
        self.games = games.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how many matches the bot plays at once. Default: 1, because concurrent matches share the CPU while all of
    /// their clocks run. With 0 the bot gets no new matches.
    pub fn max_matches(mut self, matches: u32) -> Self {
        self.max_matches = matches;
        self
    }

    /// Sets how many legal moves a turn lists at most. Default: 5000. With 0 it lists none.
    pub fn max_legal_moves(mut self, moves: u32) -> Self {
        self.turn_options.max_legal_moves = moves;
        self
    }

    /// Asks for the position as JSON in each turn.
    pub fn view(mut self) -> Self {
        self.turn_options.include_view = true;
        self
    }

    /// Asks for all moves of the match in each turn, instead of those since the last turn of the seat.
    pub fn full_history(mut self) -> Self {
        self.turn_options.full_move_history = true;
        self
    }

    /// Lets the verdict on an accepted move arrive with the next turn, which saves messages.
    pub fn verdicts_with_turns(mut self) -> Self {
        self.verdicts_with_turns = true;
        self
    }

    /// Lets the bot choose what it adds to the seed of a match, from the match id and the seat: up to 64 bytes that
    /// nobody can guess. Default: 32 random bytes. The function must return at once.
    pub fn nonce(mut self, choose: impl Fn(&str, u32) -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.nonce = Arc::new(choose);
        self
    }

    /// Sets what runs the calls of the bot. Default: the blocking threads of tokio.
    ///
    /// The function must return at once, and run the call on another thread: pings are answered meanwhile.
    pub fn spawner(mut self, spawn: impl Fn(Call) + Send + Sync + 'static) -> Self {
        self.spawn = Arc::new(spawn);
        self
    }

    /// Sets the token that ends [`play`](crate::play) when it is cancelled.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Returns what a new session says first.
    pub(crate) fn hello(&self) -> Hello {
        Hello {
            version: self.version.clone(),
            games: self.games.clone(),
            max_matches: Some(self.max_matches),
            turn_options: Some(self.turn_options),
            client: concat!("referee-client-rust/", env!("CARGO_PKG_VERSION")).into(),
            verdicts_with_turns: self.verdicts_with_turns,
        }
    }

    /// Checks the settings, and returns how to connect.
    pub(crate) fn target(&self) -> Result<Target, SettingError> {
        let host = checked_host(&self.address)?;
        let tls = self.ca_pem.is_some() || !(self.plaintext || is_loopback(host));
        let authorization = self.authorization()?;
        let scheme = if tls { "https" } else { "http" };
        let mut endpoint =
            Endpoint::from_shared(format!("{scheme}://{}", self.address)).map_err(|_| not_host_port(&self.address))?;
        if tls {
            let problem = match self.ca_pem {
                Some(_) => "has a certificate that cannot be used: ",
                None => "is not set, and the certificate authorities of the system cannot be used: ",
            };
            endpoint = endpoint
                .tls_config(self.tls(host)?)
                .map_err(|error| SettingError::new("BOT_CA", format!("{problem}{}", message_with_causes(&error))))?;
        }
        Ok(Target {
            endpoint,
            authorization,
        })
    }

    fn tls(&self, host: &str) -> Result<ClientTlsConfig, SettingError> {
        let tls = ClientTlsConfig::new().domain_name(host);
        let Some(pem) = &self.ca_pem else {
            return Ok(tls.with_native_roots());
        };
        // An empty set of authorities would trust nobody, and the bot would try for ever.
        match CertificateDer::pem_slice_iter(pem).next() {
            Some(Ok(_)) => Ok(tls.ca_certificate(Certificate::from_pem(pem))),
            _ => Err(SettingError::new("BOT_CA", "has no certificate in PEM")),
        }
    }

    fn authorization(&self) -> Result<MetadataValue<Ascii>, SettingError> {
        if self.token.is_empty() {
            return Err(SettingError::new("BOT_TOKEN", "is not set"));
        }
        let invalid = || {
            SettingError::new(
                "BOT_TOKEN",
                "has characters that no token has, such as the end of a line",
            )
        };
        if !self.token.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(invalid());
        }
        let mut value: MetadataValue<Ascii> = format!("Bearer {}", self.token).parse().map_err(|_| invalid())?;
        value.set_sensitive(true);
        Ok(value)
    }
}

/// Does not show the token.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("address", &self.address)
            .field("version", &self.version)
            .field("games", &self.games)
            .field("max_matches", &self.max_matches)
            .finish_non_exhaustive()
    }
}

/// Where and as whom to connect.
#[derive(Clone)]
pub(crate) struct Target {
    /// The referee, with the certificate authorities to trust.
    pub endpoint: Endpoint,
    /// The `authorization` metadata of each stream.
    pub authorization: MetadataValue<Ascii>,
}

/// Adds the token to each call of an organiser.
#[cfg(feature = "organiser")]
#[derive(Clone, Debug)]
pub struct Authorization(pub(crate) MetadataValue<Ascii>);

#[cfg(feature = "organiser")]
impl tonic::service::Interceptor for Authorization {
    fn call(&mut self, mut request: tonic::Request<()>) -> Result<tonic::Request<()>, tonic::Status> {
        request.metadata_mut().insert("authorization", self.0.clone());
        Ok(request)
    }
}

/// Returns the host of HOST:PORT, without the brackets of an IPv6 address.
fn checked_host(address: &str) -> Result<&str, SettingError> {
    if address.is_empty() {
        let problem = "is not set: it is the address of the referee, HOST:PORT";
        return Err(SettingError::new("BOT_REFEREE", problem));
    }
    let (host, port) = address.rsplit_once(':').ok_or_else(|| not_host_port(address))?;
    if !parse_digits(port).is_some_and(|port| (1..=u16::MAX.into()).contains(&port)) {
        let problem = format!("has no port from 1 to 65535: {address}");
        return Err(SettingError::new("BOT_REFEREE", problem));
    }
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let valid = match bracketed {
        Some(host) => host.parse::<Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        }
    };
    if valid {
        Ok(bracketed.unwrap_or(host))
    } else {
        Err(not_host_port(address))
    }
}

fn not_host_port(address: &str) -> SettingError {
    SettingError::new("BOT_REFEREE", format!("is not HOST:PORT: {address}"))
}

/// Tells whether the host is this machine. A name that only begins like an address may be another one.
fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
