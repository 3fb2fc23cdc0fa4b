//! Starts and ends of matches.

use std::collections::HashMap;

use crate::api::{self, Ending, ForfeitCause, VoidCause, result::Kind};

/// What is known about a match.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Match {
    /// Id of the match.
    pub id: String,
    /// Name of the game.
    pub game: String,
    /// The value of each of the game's options.
    pub options: HashMap<String, String>,
    /// The name of each seat, such as "white".
    pub seat_names: Vec<String>,
    /// The seats of each side.
    pub sides: Vec<Vec<u32>>,
    /// The bot of each seat, empty if the seat is open.
    pub bots: Vec<String>,
    /// Title of the match.
    pub title: String,
    /// The ladder that the match belongs to, or empty.
    pub ladder: String,
    /// The tournament that the match belongs to, or empty.
    pub tournament: String,
    /// None until the match is over.
    pub result: Option<MatchResult>,
}

impl From<api::Match> for Match {
    fn from(message: api::Match) -> Self {
        let rules = message.terms.and_then(|terms| terms.rules).unwrap_or_default();
        let layout = message.seat_layout.unwrap_or_default();
        Self {
            id: message.id,
            game: rules.game,
            options: rules.options,
            seat_names: layout.seat_names,
            sides: layout.sides.into_iter().map(|side| side.seats).collect(),
            bots: message.seats.into_iter().map(|seat| seat.bot).collect(),
            title: message.title,
            ladder: message.ladder,
            tournament: message.tournament,
            result: message.result.map(MatchResult::from),
        }
    }
}

/// In which of three ways a match ended.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum ResultKind {
    /// The players finished the game.
    Played,
    /// A side lost by a fault.
    Forfeited,
    /// The match does not count.
    #[default]
    Void,
}

/// How a match ended.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MatchResult {
    /// In which way it ended.
    pub kind: ResultKind,
    /// As in [`End::reason`].
    pub reason: String,
    /// The score of each seat in the game's own points. Empty if the match is void.
    pub scores: Vec<f64>,
    /// The rank of each seat, where 1 is best. Empty if the match is void.
    pub ranks: Vec<u32>,
}

impl From<api::Result> for MatchResult {
    fn from(message: api::Result) -> Self {
        let (kind, reason) = kind_and_reason(message.kind);
        let seats = if kind == ResultKind::Void {
            &[][..]
        } else {
            &message.seats
        };
        Self {
            kind,
            reason,
            scores: seats.iter().map(|seat| seat.score).collect(),
            ranks: seats.iter().map(|seat| seat.rank).collect(),
        }
    }
}

/// The end of a match, as it is told to one of its seats.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct End {
    /// Id of the match.
    pub match_id: String,
    /// Number of the seat, from 0.
    pub seat: u32,
    /// In which way it ended.
    pub kind: ResultKind,
    /// For a match that was played, a reason of its game, or "resignation", "draw_agreed", "draw_claimed" or
    /// "adjudication"; for a forfeit its cause, such as "time" or "illegal_move"; otherwise the cause of the void match.
    pub reason: String,
    /// The score of each seat in the game's own points. Empty if the match is void.
    pub scores: Vec<f64>,
    /// The rank of each seat, where 1 is best. Empty if the match is void.
    pub ranks: Vec<u32>,
}

impl End {
    /// Returns an end for tests of a bot, which may set all fields.
    pub fn new(match_id: impl Into<String>, seat: u32, kind: ResultKind, reason: impl Into<String>) -> Self {
        Self {
            match_id: match_id.into(),
            seat,
            kind,
            reason: reason.into(),
            ..Self::default()
        }
    }

    pub(crate) fn from_message(message: api::MatchEnded) -> Self {
        let result = MatchResult::from(message.result.unwrap_or_default());
        Self {
            match_id: message.match_id,
            seat: message.seat,
            kind: result.kind,
            reason: result.reason,
            scores: result.scores,
            ranks: result.ranks,
        }
    }
}

/// Values that are newer than this client stay numbers.
fn kind_and_reason(kind: Option<Kind>) -> (ResultKind, String) {
    match kind {
        Some(Kind::Played(played)) if played.reason.is_empty() => {
            let ending = Ending::try_from(played.ending).map(|ending| ending.as_str_name());
            (ResultKind::Played, word(played.ending, ending.ok(), "ENDING_"))
        }
        Some(Kind::Played(played)) => (ResultKind::Played, played.reason),
        Some(Kind::Forfeited(forfeited)) => {
            let number = forfeited.forfeits.first().map_or(0, |forfeit| forfeit.cause);
            let cause = ForfeitCause::try_from(number).map(|cause| cause.as_str_name());
            (ResultKind::Forfeited, word(number, cause.ok(), "FORFEIT_CAUSE_"))
        }
        Some(Kind::Voided(voided)) => {
            let cause = VoidCause::try_from(voided.cause).map(|cause| cause.as_str_name());
            (ResultKind::Void, word(voided.cause, cause.ok(), "VOID_CAUSE_"))
        }
        None => (ResultKind::Void, String::new()),
    }
}

/// Returns the word for a value: `FORFEIT_CAUSE_TIME` is "time".
pub(crate) fn word(number: i32, name: Option<&str>, prefix: &str) -> String {
    name.map_or_else(
        || number.to_string(),
        |name| name.trim_start_matches(prefix).to_lowercase(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Forfeit, ForfeitedResult, MatchEnded, PlayedResult, Result, SeatResult, VoidResult};

    fn end(kind: Kind) -> End {
        let seats = [(0, 1.0, 1), (1, 0.0, 2)];
        let seats = seats.map(|(seat, score, rank)| SeatResult { seat, score, rank });
        End::from_message(MatchEnded {
            match_id: "m1".into(),
            seat: 1,
            result: Some(Result {
                seats: seats.into(),
                sides: Vec::new(),
                kind: Some(kind),
            }),
            ..MatchEnded::default()
        })
    }

    #[test]
    fn an_end_is_read_from_each_kind_of_result() {
        let played = |ending: Ending, reason: &str| {
            Kind::Played(PlayedResult {
                ending: ending.into(),
                reason: reason.into(),
            })
        };
        let forfeit = Forfeit {
            cause: ForfeitCause::IllegalMove.into(),
            ..Forfeit::default()
        };
        let forfeits = vec![forfeit];
        let newer = VoidResult {
            cause: 99,
            ..VoidResult::default()
        };
        let aborted = VoidResult {
            cause: VoidCause::Aborted.into(),
            ..VoidResult::default()
        };
        for (kind, expected, reason) in [
            (played(Ending::Rules, "no_moves"), ResultKind::Played, "no_moves"),
            (played(Ending::DrawAgreed, ""), ResultKind::Played, "draw_agreed"),
            (
                Kind::Forfeited(ForfeitedResult { forfeits }),
                ResultKind::Forfeited,
                "illegal_move",
            ),
            (Kind::Voided(aborted), ResultKind::Void, "aborted"),
            (Kind::Voided(newer), ResultKind::Void, "99"),
        ] {
            let mut wanted = End::new("m1", 1, expected, reason);
            if expected != ResultKind::Void {
                (wanted.scores, wanted.ranks) = (vec![1.0, 0.0], vec![1, 2]);
            }
            assert_eq!(end(kind), wanted);
        }
    }
}
