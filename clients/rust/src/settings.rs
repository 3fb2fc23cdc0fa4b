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
    /// The referee, with the root certificates to trust.
    pub(crate) endpoint: Endpoint,
    /// The `authorization` metadata of each stream.
    pub(crate) bearer: MetadataValue<Ascii>,
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

    fn read(setting: impl Fn(&str) -> Option<String>) -> Result<Self, BotError> {
        let needed = |name: &str| setting(name).ok_or_else(|| format!("{name} is not set"));
        let token = match (setting("BOT_TOKEN"), setting("BOT_TOKEN_FILE")) {
            (None, Some(file)) => {
                std::fs::read_to_string(&file).map_err(|why| format!("BOT_TOKEN_FILE: {file}: {why}"))?
            }
            _ => needed("BOT_TOKEN")?,
        };
        let mut bearer: MetadataValue<Ascii> = format!("Bearer {}", token.trim())
            .parse()
            .map_err(|_| "BOT_TOKEN has characters that no token has")?;
        bearer.set_sensitive(true);
        let enabled = |name: &str| setting(name).is_some_and(|text| text == "1");
        Ok(Self {
            endpoint: endpoint(&needed("BOT_REFEREE")?, setting("BOT_CA"), enabled("BOT_PLAINTEXT"))?,
            bearer,
            version: setting("BOT_VERSION").unwrap_or_default(),
            max_matches: match setting("BOT_MAX_MATCHES") {
                Some(text) => text
                    .parse()
                    .map_err(|_| format!("BOT_MAX_MATCHES is no number: {text}"))?,
                None => DEFAULT_MAX_MATCHES,
            },
            verdicts_with_turns: enabled("BOT_VERDICTS_WITH_TURNS"),
        })
    }
}

/// Uses TLS, except if the host is this machine or plaintext is permitted. With root certificates, it is always TLS.
fn endpoint(referee: &str, roots: Option<String>, plaintext: bool) -> Result<Endpoint, BotError> {
    let (host, port) = referee.rsplit_once(':').unwrap_or((referee, ""));
    port.parse::<u16>()
        .map_err(|_| format!("BOT_REFEREE is not HOST:PORT: {referee}"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if roots.is_none() && (plaintext || is_loopback(host)) {
        return Ok(Endpoint::from_shared(format!("http://{referee}"))?);
    }
    let tls = ClientTlsConfig::new().domain_name(host);
    let tls = match roots {
        Some(file) => {
            let pem = std::fs::read(&file).map_err(|why| format!("BOT_CA: {file}: {why}"))?;
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

    fn scheme(given: &[(&str, &str)]) -> String {
        let settings = settings(given).unwrap();
        settings.endpoint.uri().scheme_str().unwrap().to_owned()
    }

    fn settings(given: &[(&str, &str)]) -> Result<Settings, String> {
        let token = [("BOT_TOKEN", "secret")];
        let find = |name: &str| {
            let mut all = given.iter().chain(&token);
            all.find(|(known, _)| *known == name)
                .map(|(_, text)| text.to_string())
                .filter(|text| !text.is_empty())
        };
        Settings::read(find).map_err(|why| why.to_string())
    }

    #[test]
    fn only_this_machine_is_spoken_to_in_plaintext() {
        for near in ["localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"] {
            assert_eq!(scheme(&[("BOT_REFEREE", near)]), "http", "{near}");
        }
        let lookalikes = ["127.0.0.1.evil.example:1", "localhost.evil.example:1"];
        for far in ["referee.example:443", "10.0.0.1:1", "[2001:db8::1]:1"]
            .into_iter()
            .chain(lookalikes)
        {
            assert_eq!(scheme(&[("BOT_REFEREE", far)]), "https", "{far}");
        }
    }

    #[test]
    fn plaintext_elsewhere_has_to_be_permitted() {
        let far = ("BOT_REFEREE", "referee.example:443");
        assert_eq!(scheme(&[far, ("BOT_PLAINTEXT", "1")]), "http");
        assert_eq!(scheme(&[far, ("BOT_PLAINTEXT", "0")]), "https");
    }

    #[test]
    fn only_1_turns_on_verdicts_with_turns() {
        for (value, expected) in [("", false), ("0", false), ("true", false), ("1", true)] {
            let given = [("BOT_REFEREE", "localhost:1"), ("BOT_VERDICTS_WITH_TURNS", value)];
            assert_eq!(settings(&given).unwrap().verdicts_with_turns, expected, "{value:?}");
        }
    }

    #[test]
    fn the_token_is_read_from_a_file_where_it_is_not_given() {
        let file = env::temp_dir().join(format!("token-{}", std::process::id()));
        std::fs::write(&file, "from-a-file\n").unwrap();
        let given = [
            ("BOT_REFEREE", "localhost:1"),
            ("BOT_TOKEN_FILE", file.to_str().unwrap()),
        ];
        let bearer = |token| {
            settings(&[&[("BOT_TOKEN", token)], &given[..]].concat())
                .unwrap()
                .bearer
        };
        assert_eq!(bearer("").to_str().unwrap(), "Bearer from-a-file");
        assert_eq!(bearer("given").to_str().unwrap(), "Bearer given");
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn what_is_wrong_is_named() {
        let why = |given: &[(&str, &str)]| settings(given).err().unwrap();
        assert_eq!(why(&[]), "BOT_REFEREE is not set");
        for address in ["here", "here:65536"] {
            let wrong = format!("BOT_REFEREE is not HOST:PORT: {address}");
            assert_eq!(why(&[("BOT_REFEREE", address)]), wrong);
        }
        let near = ("BOT_REFEREE", "localhost:1");
        assert_eq!(
            why(&[near, ("BOT_MAX_MATCHES", "many")]),
            "BOT_MAX_MATCHES is no number: many"
        );
        let file = [near, ("BOT_TOKEN", ""), ("BOT_TOKEN_FILE", "/no/such")];
        assert!(why(&file).starts_with("BOT_TOKEN_FILE: /no/such: "));
        assert!(why(&[near, ("BOT_CA", "/no/such.pem")]).starts_with("BOT_CA: /no/such.pem: "));
    }
}
