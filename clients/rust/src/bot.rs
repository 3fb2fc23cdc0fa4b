//! What a bot is: a function, or an object for each seat.

use std::sync::Arc;

use tokio::runtime::Handle;

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

/// Makes bots of an asynchronous function, which is called for different seats at the same time.
///
/// Its future is dropped when the answer is no longer needed. It is polled on a thread of the runtime that runs
/// [`play`](crate::play), so that timers and connections of this runtime work, and so do blocking calls. It needs the
/// default of [`Options::spawner`](crate::Options::spawner).
///
/// ```
/// use referee_client::{Turn, async_bot};
///
/// async fn choose(turn: Turn) -> String {
///     tokio::time::sleep(std::time::Duration::from_millis(10)).await;
///     turn.legal_moves[0].clone()
/// }
///
/// let bots = async_bot(choose);
/// # let _ = bots;
/// ```
pub fn async_bot<F, R, A>(choose: F) -> Bots
where
    F: Fn(Turn) -> R + Send + Sync + 'static,
    R: Future<Output = A>,
    A: IntoAnswer,
{
    per_seat_function(move |turn: &Turn| {
        let answer = choose(turn.clone());
        Handle::try_current()?.block_on(async {
            tokio::select! {
                answer = answer => answer.into_answer(),
                () = turn.cancellation().cancelled() => Err("the answer is no longer needed".into()),
            }
        })
    })
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
        per_seat_function(move |turn: &Turn| self(turn).into_answer())
    }
}

fn per_seat_function(choose: impl Fn(&Turn) -> Result<Answer, BotError> + Send + Sync + 'static) -> Bots {
    let choose = Arc::new(choose);
    per_seat(move || SharedFunction(choose.clone()))
}

struct SharedFunction<F>(Arc<F>);

impl<F> Bot for SharedFunction<F>
where
    F: Fn(&Turn) -> Result<Answer, BotError> + Send + Sync + 'static,
{
    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError> {
        (self.0)(turn)
    }
}
