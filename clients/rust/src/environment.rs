//! Settings from environment variables.

use std::{env, fs};

use crate::{Options, SettingError, error::parse_digits};

impl Options {
    /// Reads `BOT_REFEREE`, `BOT_TOKEN` or else the file that `BOT_TOKEN_FILE` names, `BOT_CA`, `BOT_PLAINTEXT`,
    /// `BOT_VERSION`, `BOT_MAX_MATCHES` and `BOT_VERDICTS_WITH_TURNS`. A variable that is empty counts as not set. The
    /// files are read at once; that of the token may be a pipe.
    pub fn from_environment() -> Result<Self, SettingError> {
        Self::from_variables(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
    }

    pub(crate) fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let set = |name: &str| variable(name).filter(|text| !text.is_empty());
        let is_on = |name: &str| set(name).is_some_and(|text| text == "1");
        let token = match (set("BOT_TOKEN"), set("BOT_TOKEN_FILE")) {
            (None, Some(file)) => read_token(&file)?,
            (token, _) => token.unwrap_or_default(),
        };
        let mut options = Self::new(set("BOT_REFEREE").unwrap_or_default(), token);
        if let Some(file) = set("BOT_CA") {
            let pem = fs::read(&file).map_err(|error| unreadable("BOT_CA", &file, &error))?;
            options = options.ca_pem(pem);
        }
        if let Some(text) = set("BOT_MAX_MATCHES") {
            let number = parse_digits(&text).and_then(|number| number.try_into().ok());
            let problem = || SettingError::new("BOT_MAX_MATCHES", format!("is not a number of matches: {text}"));
            options = options.max_matches(number.ok_or_else(problem)?);
        }
        options.plaintext = is_on("BOT_PLAINTEXT");
        options.verdicts_with_turns = is_on("BOT_VERDICTS_WITH_TURNS");
        Ok(options.version(set("BOT_VERSION").unwrap_or_default()))
    }
}

fn read_token(file: &str) -> Result<String, SettingError> {
    let text = fs::read_to_string(file).map_err(|error| unreadable("BOT_TOKEN_FILE", file, &error))?;
    match text.trim() {
        "" => Err(SettingError::new("BOT_TOKEN_FILE", format!("is empty: {file}"))),
        token => Ok(token.into()),
    }
}

fn unreadable(variable: &'static str, file: &str, error: &std::io::Error) -> SettingError {
    SettingError::new(variable, format!("cannot be read: {file}: {error}"))
}
