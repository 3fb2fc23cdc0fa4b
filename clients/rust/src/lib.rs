//! Write a bot for Referee: say how to [`choose`](Bot::choose), and [`run`] does the rest.
//!
//! The rest is to find the referee by the [settings](Settings) in the environment, to open the stream, to answer
//! pings while the bot thinks, to think about several matches at once, and to come back after a break without
//! losing a turn or answering one twice.

mod backoff;
mod desk;
mod player;
mod session;
mod settings;

pub use desk::Asked;
pub use player::run;
pub use settings::Settings;

/// The contract, as `generate/` makes it from `proto/`.
#[allow(clippy::large_enum_variant)] // Its sizes are its own.
pub mod api {
    include!("stubs/referee_api.v1.rs");
}

/// What a bot's own code may fail with.
pub type BotError = Box<dyn std::error::Error + Send + Sync>;

/// A bot: it is asked for moves.
pub trait Bot: Send + Sync + 'static {
    /// The move to play, in the game's notation.
    ///
    /// Called on a thread of its own for each turn, so that turns of different matches are thought about at the same
    /// time. An error or a panic resigns the seat; the other matches go on.
    fn choose(&self, asked: &Asked) -> Result<String, BotError>;

    /// What each turn should carry beyond the position. Default: nothing.
    fn wishes(&self) -> api::TurnWishes {
        api::TurnWishes::default()
    }
}
