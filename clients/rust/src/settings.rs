//! Settings from the environment: the address of the referee, and the identity of the bot.

use std::{env, net::IpAddr};

use tonic::{
    metadata::{Ascii, MetadataValue},
    transport::{Certificate, ClientTlsConfig, Endpoint},
};

use crate::BotError;

const DEFAULT_MAX_MATCHES: u32 = 1;

/// The address of the referee, and the identity of the bot.
pub struct Settings {
    /// The referee, with the certificate authorities to trust.
    pub(crate) endpoint: Endpoint,
    /// The `authorization` metadata of each stream.
    pub(crate) authorization: MetadataValue<Ascii>,
    pub(crate) version: String,
    pub(crate) max_matches: u32,
    /// Whether the verdict on an accepted move should arrive together with the next turn.
    pub(crate) verdicts_with_turns: bool,
}

impl Settings {
    /// Reads `BOT_REFEREE`, `BOT_TOKEN` (or the file that `BOT_TOKEN_FILE` names), `BOT_CA`, `BOT_PLAINTEXT`,
    /// `BOT_VERSION`, `BOT_MAX_MATCHES` and `BOT_VERDICTS_WITH_TURNS`. The error says what is wrong with them.
    pub fn from_env() -> Result<Self, BotError> {
        Self::read(|name| env::var(name).ok().filter(|text| !text.is_empty()))
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, BotError> {
        let required = |name: &str| variable(name).ok_or_else(|| format!("{name} is not set"));
        let token = match (variable("BOT_TOKEN"), variable("BOT_TOKEN_FILE")) {
            (None, Some(file)) => {
                std::fs::read_to_string(&file).map_err(|error| format!("BOT_TOKEN_FILE: {file}: {error}"))?
            }
            _ => required("BOT_TOKEN")?,
        };
        let mut authorization: MetadataValue<Ascii> = format!("Bearer {}", token.trim())
            .parse()
            .map_err(|_| "BOT_TOKEN has characters that no token has")?;
        authorization.set_sensitive(true);
        let enabled = |name: &str| variable(name).is_some_and(|text| text == "1");
        Ok(Self {
            endpoint: endpoint(&required("BOT_REFEREE")?, variable("BOT_CA"), enabled("BOT_PLAINTEXT"))?,
            authorization,
            version: variable("BOT_VERSION").unwrap_or_default(),
            max_matches: match variable("BOT_MAX_MATCHES") {
                Some(text) => text
                    .parse()
                    .map_err(|_| format!("BOT_MAX_MATCHES is not a number: {text}"))?,
                None => DEFAULT_MAX_MATCHES,
            },
            verdicts_with_turns: enabled("BOT_VERDICTS_WITH_TURNS"),
        })
    }
}

/// Uses TLS, except if the host is this machine or plaintext is permitted. With a file of certificate authorities, it
/// is always TLS.
fn endpoint(referee: &str, ca_file: Option<String>, plaintext: bool) -> Result<Endpoint, BotError> {
    let (host, port) = referee.rsplit_once(':').unwrap_or((referee, ""));
    port.parse::<u16>()
        .map_err(|_| format!("BOT_REFEREE is not HOST:PORT: {referee}"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if ca_file.is_none() && (plaintext || is_loopback(host)) {
        return Ok(Endpoint::from_shared(format!("http://{referee}"))?);
    }
    let tls = ClientTlsConfig::new().domain_name(host);
    let tls = match ca_file {
        Some(file) => {
            let pem = std::fs::read(&file).map_err(|error| format!("BOT_CA: {file}: {error}"))?;
            tls.ca_certificate(Certificate::from_pem(pem))
        }
        None => tls.with_native_roots(),
    };
    Ok(Endpoint::from_shared(format!("https://{referee}"))?.tls_config(tls)?)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(variables: &[(&str, &str)]) -> String {
        let settings = settings(variables).unwrap();
        settings.endpoint.uri().scheme_str().unwrap().to_owned()
    }

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let token = [("BOT_TOKEN", "secret")];
        let variable = |name: &str| {
            let mut all = variables.iter().chain(&token);
            all.find(|(key, _)| *key == name)
                .map(|(_, text)| text.to_string())
                .filter(|text| !text.is_empty())
        };
        Settings::read(variable).map_err(|error| error.to_string())
    }

    #[test]
    fn plaintext_is_the_default_for_loopback_addresses_only() {
        for loopback in ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"] {
            assert_eq!(scheme(&[("BOT_REFEREE", loopback)]), "http", "{loopback}");
        }
        let lookalikes = ["127.0.0.1.evil.example:1", "localhost.evil.example:1"];
        for remote in ["referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1"]
            .into_iter()
            .chain(lookalikes)
        {
            assert_eq!(scheme(&[("BOT_REFEREE", remote)]), "https", "{remote}");
        }
    }

    #[test]
    fn plaintext_to_other_machines_must_be_allowed() {
        let remote = ("BOT_REFEREE", "referee.example:443");
        assert_eq!(scheme(&[remote, ("BOT_PLAINTEXT", "1")]), "http");
        assert_eq!(scheme(&[remote, ("BOT_PLAINTEXT", "0")]), "https");
    }

    #[test]
    fn verdicts_with_turns_are_requested_by_the_value_1_only() {
        for (value, expected) in [("", false), ("0", false), ("true", false), ("1", true)] {
            let variables = [("BOT_REFEREE", "localhost:1"), ("BOT_VERDICTS_WITH_TURNS", value)];
            assert_eq!(settings(&variables).unwrap().verdicts_with_turns, expected, "{value:?}");
        }
    }

    #[test]
    fn the_token_is_read_from_a_file_if_bot_token_is_not_set() {
        let file = env::temp_dir().join(format!("token-{}", std::process::id()));
        std::fs::write(&file, "from-a-file\n").unwrap();
        let variables = [
            ("BOT_REFEREE", "localhost:1"),
            ("BOT_TOKEN_FILE", file.to_str().unwrap()),
        ];
        let authorization = |token| {
            settings(&[&[("BOT_TOKEN", token)], &variables[..]].concat())
                .unwrap()
                .authorization
        };
        assert_eq!(authorization("").to_str().unwrap(), "Bearer from-a-file");
        assert_eq!(authorization("given").to_str().unwrap(), "Bearer given");
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn errors_name_the_invalid_variable() {
        let error = |variables: &[(&str, &str)]| settings(variables).err().unwrap();
        assert_eq!(error(&[]), "BOT_REFEREE is not set");
        for address in ["here", "here:65536"] {
            let expected = format!("BOT_REFEREE is not HOST:PORT: {address}");
            assert_eq!(error(&[("BOT_REFEREE", address)]), expected);
        }
        let loopback = ("BOT_REFEREE", "localhost:1");
        assert_eq!(
            error(&[loopback, ("BOT_MAX_MATCHES", "many")]),
            "BOT_MAX_MATCHES is not a number: many"
        );
        let file = [loopback, ("BOT_TOKEN", ""), ("BOT_TOKEN_FILE", "/no/such")];
        assert!(error(&file).starts_with("BOT_TOKEN_FILE: /no/such: "));
        assert!(error(&[loopback, ("BOT_CA", "/no/such.pem")]).starts_with("BOT_CA: /no/such.pem: "));
    }
}
