//! Requests for a move.

use std::{collections::HashMap, time::Duration};

use tokio_util::sync::CancellationToken;

use crate::{
    RefereeError,
    api::{self, Rules},
};

/// A request for a move. It is self-contained: a bot may forget everything between two turns.
///
/// Tests of a bot make turns of their own:
///
/// ```
/// # use referee_client::Turn;
/// fn choose(turn: &Turn) -> String {
///     turn.legal_moves[0].clone()
/// }
///
/// let mut turn = Turn::new("alquerque", ["c2-c3", "d2-d3"]);
/// turn.ply = 7;
/// assert_eq!(choose(&turn), "c2-c3");
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Turn {
    /// Id of the match.
    pub match_id: String,
    /// Number of the seat that has to move, from 0.
    pub seat: u32,
    /// Identifies the turn within its match.
    pub token: String,
    /// Name of the game.
    pub game: String,
    /// The value of each of the game's options.
    pub options: HashMap<String, String>,
    /// Number of moves played.
    pub ply: u32,
    /// The position in the game's notation, with "?" for what this seat may not know.
    pub position: String,
    /// The position as JSON in the game's view schema, empty unless [`Options::view`](crate::Options::view) asks for it.
    pub view: String,
    /// Moves since the last turn of this seat, or all with [`Options::full_history`](crate::Options::full_history).
    pub history: Vec<PlayedMove>,
    /// Legal moves, sorted, and no more than [`Options::max_legal_moves`](crate::Options::max_legal_moves).
    pub legal_moves: Vec<String>,
    /// Whether there are more legal moves than listed.
    pub legal_moves_truncated: bool,
    /// The clock of each seat.
    pub clocks: Vec<Clock>,
    /// Time until the flag of this seat falls, when the turn was sent. None if it has no clock.
    pub time_left: Option<Duration>,
    /// Number of answers that may still be given, including the next one.
    pub attempts_left: u32,
    /// Seats with an open draw offer. A move declines it.
    pub draw_offers: Vec<u32>,
    /// Whether other seats choose at the same time, without seeing this move.
    pub simultaneous: bool,
    /// Whether this turn was sent before, for example to an earlier process of the bot.
    pub repeated: bool,
    /// The error of the previous answer, if this is another attempt at the same move.
    pub rejection: Option<RefereeError>,
    pub(crate) cancellation: CancellationToken,
}

impl Turn {
    /// Returns a turn with these legal moves, and nothing else. It is for tests of a bot, which may set all fields.
    pub fn new<M: Into<String>>(game: impl Into<String>, legal_moves: impl IntoIterator<Item = M>) -> Self {
        Self {
            game: game.into(),
            legal_moves: legal_moves.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// Whether the answer is no longer needed.
    pub fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled()
    }

    /// The token that is cancelled when the answer is no longer needed, for a search that runs elsewhere.
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Converts a turn. Rules are those of the match if the turn has none.
    pub(crate) fn from_message(message: api::Turn, rules: Rules) -> Self {
        Self {
            match_id: message.match_id,
            seat: message.seat,
            token: message.turn_token,
            game: rules.game,
            options: rules.options,
            ply: message.ply,
            position: message.position,
            view: message.view_json,
            history: message.move_history.into_iter().map(PlayedMove::from).collect(),
            legal_moves: message.legal_moves,
            legal_moves_truncated: message.legal_moves_truncated,
            clocks: message.clocks.into_iter().map(Clock::from).collect(),
            time_left: message.time_left_ms.map(milliseconds),
            attempts_left: message.attempts_left,
            draw_offers: message.draw_offer_seats,
            simultaneous: message.simultaneous,
            repeated: message.repeated,
            rejection: None,
            cancellation: CancellationToken::new(),
        }
    }
}

/// A move of a seat, as the reader may see it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct PlayedMove {
    /// Number of the seat, from 0.
    pub seat: u32,
    /// The move in the game's notation.
    pub text: String,
}

impl From<api::SeatMove> for PlayedMove {
    fn from(message: api::SeatMove) -> Self {
        Self {
            seat: message.seat,
            text: message.r#move,
        }
    }
}

/// The clock of a seat when the turn was sent.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Clock {
    /// Number of the seat, from 0.
    pub seat: u32,
    /// Whether the seat has to move.
    pub running: bool,
    /// Time until the flag falls, including everything. None if the seat has no clock.
    pub left: Option<Duration>,
    /// The part of it that is main time or bank.
    pub main: Duration,
    /// The part of it that is the current period, delay or move.
    pub period: Duration,
    /// Byo-yomi periods that are left, including the current one; 0 if there are none.
    pub periods_left: u32,
    /// Moves until the next period; 0 if they do not count.
    pub moves_left: u32,
}

impl From<api::Clock> for Clock {
    fn from(message: api::Clock) -> Self {
        Self {
            seat: message.seat,
            running: message.running,
            left: message.time_left_us.map(microseconds),
            main: microseconds(message.main_us),
            period: microseconds(message.period_us),
            periods_left: message.periods_left,
            moves_left: message.moves_left,
        }
    }
}

/// Negative numbers count as 0.
pub(crate) fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.try_into().unwrap_or(0))
}

fn microseconds(number: i64) -> Duration {
    Duration::from_micros(number.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::SeatMove;

    #[test]
    fn a_turn_has_what_the_referee_sent() {
        let timed = api::Clock {
            seat: 1,
            running: true,
            time_left_us: Some(1_500_000),
            main_us: 1_000_000,
            period_us: 500_000,
            periods_left: 3,
            moves_left: 4,
            ..api::Clock::default()
        };
        let message = api::Turn {
            match_id: "m1".into(),
            seat: 1,
            turn_token: "t1".into(),
            ply: 7,
            position: "p".into(),
            view_json: "{}".into(),
            move_history: vec![SeatMove {
                seat: 0,
                r#move: "x".into(),
            }],
            legal_moves: vec!["a".into(), "b".into()],
            legal_moves_truncated: true,
            clocks: vec![api::Clock::default(), timed],
            time_left_ms: Some(-1),
            attempts_left: 2,
            draw_offer_seats: vec![0],
            simultaneous: true,
            repeated: true,
            ..api::Turn::default()
        };
        let rules = Rules {
            game: "troke".into(),
            options: [("huff".into(), "true".into())].into(),
            ..Rules::default()
        };
        let turn = Turn::from_message(message, rules.clone());
        assert_eq!(
            (turn.match_id.as_str(), turn.seat, turn.token.as_str()),
            ("m1", 1, "t1")
        );
        assert_eq!((turn.game, turn.options), (rules.game, rules.options));
        assert_eq!((turn.ply, turn.position.as_str(), turn.view.as_str()), (7, "p", "{}"));
        let (seat, text) = (0, "x".into());
        assert_eq!(turn.history, [PlayedMove { seat, text }]);
        assert_eq!(
            (turn.legal_moves, turn.legal_moves_truncated),
            (vec!["a".into(), "b".into()], true)
        );
        let seconds = Duration::from_secs_f64;
        let timed = Clock {
            seat: 1,
            running: true,
            left: Some(seconds(1.5)),
            main: seconds(1.0),
            period: seconds(0.5),
            periods_left: 3,
            moves_left: 4,
        };
        assert_eq!(turn.clocks, [Clock::default(), timed]);
        assert_eq!((turn.time_left, turn.attempts_left), (Some(Duration::ZERO), 2));
        assert_eq!(
            (turn.draw_offers, turn.simultaneous, turn.repeated),
            (vec![0], true, true)
        );
    }
}
