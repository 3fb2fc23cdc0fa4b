//! Terms of matches.

use std::{collections::HashMap, time::Duration};

use crate::api::{self, BotRef, ClockRule, Rules, clock_rule::Kind};

/// The time control of a match.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum TimeControl {
    /// No clock.
    #[default]
    Untimed,
    /// A main time with an increment for each move.
    Fischer {
        /// Time for the whole match.
        main: Duration,
        /// Time that each move adds.
        increment: Duration,
    },
    /// A time for all moves.
    SuddenDeath(Duration),
    /// A time for each move.
    PerMove(Duration),
}

impl TimeControl {
    fn message(self) -> api::TimeControl {
        let kind = match self {
            Self::Untimed => Kind::Untimed(api::Untimed {}),
            Self::Fischer { main, increment } => Kind::Fischer(api::Fischer {
                main_ms: milliseconds(main),
                increment_ms: milliseconds(increment),
            }),
            Self::SuddenDeath(main) => Kind::SuddenDeath(api::SuddenDeath {
                main_ms: milliseconds(main),
            }),
            Self::PerMove(time) => Kind::PerMove(api::PerMove {
                move_ms: milliseconds(time),
            }),
        };
        api::TimeControl {
            rule: Some(ClockRule { kind: Some(kind) }),
            ..api::TimeControl::default()
        }
    }
}

/// The terms of a match, or of the matches of a contest.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct MatchTerms {
    game: String,
    preset: String,
    options: HashMap<String, String>,
    clock: TimeControl,
    start_timeout: Duration,
    pub(super) title: String,
}

impl MatchTerms {
    /// Returns terms with the default variant of a game, and without a clock.
    pub fn new(game: impl Into<String>) -> Self {
        Self {
            game: game.into(),
            preset: String::new(),
            options: HashMap::new(),
            clock: TimeControl::default(),
            start_timeout: Duration::ZERO,
            title: String::new(),
        }
    }

    /// Sets the variant of the game by name.
    pub fn preset(mut self, preset: impl Into<String>) -> Self {
        self.preset = preset.into();
        self
    }

    /// Sets an option of the game.
    pub fn option(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.insert(name.into(), value.into());
        self
    }

    /// Sets the time control of all seats.
    pub fn clock(mut self, clock: TimeControl) -> Self {
        self.clock = clock;
        self
    }

    /// Sets the time within which all bots must be online. Default: that of the referee.
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// Sets the title of a match that is created with these terms. Contests have titles of their own.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    pub(super) fn message(&self) -> api::MatchTerms {
        api::MatchTerms {
            rules: Some(Rules {
                game: self.game.clone(),
                preset: self.preset.clone(),
                options: self.options.clone(),
                ..Rules::default()
            }),
            time_control: Some(self.clock.message()),
            start_timeout_ms: milliseconds(self.start_timeout),
            ..api::MatchTerms::default()
        }
    }
}

/// Reads a bot, as `anna`, or with a version as `anna/1.4`.
pub(super) fn bot_ref(text: &str) -> BotRef {
    let (bot, version) = text.split_once('/').unwrap_or((text, ""));
    BotRef {
        bot: bot.into(),
        version: version.into(),
    }
}

/// Returns the text that [`bot_ref`] reads.
pub(super) fn bot_text(bot: BotRef) -> String {
    match bot.version.as_str() {
        "" => bot.bot,
        version => format!("{}/{version}", bot.bot),
    }
}

/// Returns the name of the game of matches.
pub(super) fn game_of(terms: Option<api::MatchTerms>) -> String {
    terms.and_then(|terms| terms.rules).unwrap_or_default().game
}

fn milliseconds(time: Duration) -> i64 {
    time.as_millis().try_into().unwrap_or(i64::MAX)
}
