//! What a bot answers.

use std::fmt;

use crate::{
    BotError, Turn,
    api::{DrawAnswer, DrawClaim, Move, Resignation, bot_item},
};

/// No game has longer moves, and the referee rejects longer texts.
const MAX_MOVE_CHARS: usize = 1_000;

/// The highest score that is sent, and the negative of the lowest.
const MAX_SCORE: i32 = 1_000_000;

/// What a bot does in its turn.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// Plays a move, in the game's notation.
    Move(String),
    /// Plays a move with more than its text.
    Choice {
        /// The move, in the game's notation.
        text: String,
        /// Whether to offer a draw with it.
        offer_draw: bool,
        /// What the bot expects for its side, in hundredths of a point of the game; positive: it is ahead. Others find
        /// it only in the record of the finished match. None: the bot does not say.
        score: Option<i32>,
    },
    /// Resigns the match.
    Resign,
    /// Accepts a draw offer, see [`Turn::draw_offers`]. If the offer is no longer open, the bot is called again for the
    /// same turn, with the error in [`Turn::rejection`].
    AcceptDraw,
    /// Claims a draw by the rules. If there is none, the bot is called again for the same turn, with the error in
    /// [`Turn::rejection`].
    ClaimDraw,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(text) => f.write_str(text),
            Self::Choice {
                text,
                offer_draw,
                score,
            } => {
                f.write_str(text)?;
                if *offer_draw {
                    f.write_str(", and offer a draw")?;
                }
                score.map_or(Ok(()), |score| write!(f, ", with score {score}"))
            }
            Self::Resign => f.write_str("resign"),
            Self::AcceptDraw => f.write_str("accept the draw"),
            Self::ClaimDraw => f.write_str("claim a draw"),
        }
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::Move(text)
    }
}

impl From<&str> for Answer {
    fn from(text: &str) -> Self {
        Self::Move(text.into())
    }
}

/// What a function that is a bot may return: an answer, the text of a move, or a result with one of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an answer",
    note = "a bot returns an `Answer`, a `String`, or a `Result` with one of them"
)]
pub trait IntoAnswer {
    /// Returns the answer, or why there is none.
    fn into_answer(self) -> Result<Answer, BotError>;
}

impl IntoAnswer for Answer {
    fn into_answer(self) -> Result<Answer, BotError> {
        Ok(self)
    }
}

impl IntoAnswer for String {
    fn into_answer(self) -> Result<Answer, BotError> {
        Ok(self.into())
    }
}

impl IntoAnswer for &str {
    fn into_answer(self) -> Result<Answer, BotError> {
        Ok(self.into())
    }
}

impl<A: IntoAnswer, E: Into<BotError>> IntoAnswer for Result<A, E> {
    fn into_answer(self) -> Result<Answer, BotError> {
        self.map_err(Into::into)?.into_answer()
    }
}

impl Answer {
    /// Returns the answer as an item of the contract.
    pub(crate) fn into_item(self, turn: &Turn) -> bot_item::Item {
        let (match_id, seat) = (turn.match_id.clone(), Some(turn.seat));
        let (text, offer_draw, score) = match self {
            Self::Move(text) => (text, false, None),
            Self::Choice {
                text,
                offer_draw,
                score,
            } => (text, offer_draw, score),
            Self::Resign => return bot_item::Item::Resignation(Resignation { match_id, seat }),
            Self::AcceptDraw => {
                let accept = true;
                return bot_item::Item::DrawAnswer(DrawAnswer { match_id, seat, accept });
            }
            Self::ClaimDraw => return bot_item::Item::DrawClaim(DrawClaim { match_id, seat }),
        };
        let (turn_token, r#move) = (turn.token.clone(), sendable(text, turn));
        bot_item::Item::Move(Move {
            match_id,
            turn_token,
            r#move,
            offer_draw,
            score: score.map(|score| score.clamp(-MAX_SCORE, MAX_SCORE)),
        })
    }
}

/// Returns the move, or, if it is too long, a beginning that the referee rejects. All of it would break the stream, and
/// with it all other matches; this way it costs one attempt.
fn sendable(text: String, turn: &Turn) -> String {
    let chars = text.chars().count();
    if chars <= MAX_MOVE_CHARS {
        return text;
    }
    let (match_id, seat) = (&turn.match_id, turn.seat);
    tracing::error!(
        match_id,
        seat,
        "match {match_id}, seat {seat}: the answer has {chars} characters, the limit is {MAX_MOVE_CHARS}; the referee \
         will reject it"
    );
    text.chars().take(MAX_MOVE_CHARS + 1).collect()
}
