//! What a bot is: a function, or an object for each seat.

use std::sync::Arc;

use crate::{Answer, BotError, End, IntoAnswer, Match, Turn};

/// Plays one seat of one match, and may keep what it knows about it.
///
/// Its methods are called one after the other, on a thread that may block. [`per_seat`] makes the bots. If `choose`
/// returns an error or panics, the seat resigns; other matches continue.
pub trait Bot: Send + 'static {
    /// Is told of the start of the match, before the first turn. After a restart of the program, matches in play are not
    /// announced again.
    fn started(&mut self, game: &Match, seat: u32) {
        let _ = (game, seat);
    }

    /// Returns what to do. A long computation may check [`Turn::is_cancelled`] regularly, and stop.
    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError>;

    /// Is told of the end of the match, after the last turn.
    fn ended(&mut self, end: &End) {
        let _ = end;
    }
}

/// Makes a bot for each seat of each match: `per_seat(MyBot::default)`.
pub fn per_seat<B: Bot>(mut create: impl FnMut() -> B + Send + 'static) -> Bots {
    Bots(Box::new(move || Box::new(create())))
}

/// The bots of all seats, see [`per_seat`].
pub struct Bots(Box<dyn FnMut() -> Box<dyn Bot> + Send>);

impl Bots {
    /// Returns the bot for another seat.
    pub(crate) fn create(&mut self) -> Box<dyn Bot> {
        (self.0)()
    }
}

impl std::fmt::Debug for Bots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Bots")
    }
}

/// What can play: [`Bots`], or a function that chooses the answer to a turn. The function is called for different seats
/// at the same time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bot",
    note = "a bot is a function like `fn choose(turn: &Turn) -> String`, or `per_seat(...)` for objects that implement \
            `Bot`; a closure needs the type of its argument: `|turn: &Turn|`"
)]
pub trait IntoBots {
    /// Returns the bots of all seats.
    fn into_bots(self) -> Bots;
}

impl IntoBots for Bots {
    fn into_bots(self) -> Bots {
        self
    }
}

impl<F, A> IntoBots for F
where
    F: Fn(&Turn) -> A + Send + Sync + 'static,
    A: IntoAnswer,
{
    fn into_bots(self) -> Bots {
        let choose = Arc::new(self);
        per_seat(move || SharedFunction(choose.clone()))
    }
}

struct SharedFunction<F>(Arc<F>);

impl<F, A> Bot for SharedFunction<F>
where
    F: Fn(&Turn) -> A + Send + Sync + 'static,
    A: IntoAnswer,
{
    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError> {
        (self.0)(turn).into_answer()
    }
}
