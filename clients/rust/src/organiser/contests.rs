//! What tournaments and ladders have in common: entrants and pairings.

use crate::organiser::{
    api::{self, DuplicatePlay, PartnerRule},
    terms::{bot_ref, bot_text},
};

/// A participant of a contest: a bot, several bots that play as partners, or a team.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Entrant {
    /// Name in tables. Empty in a request: that of its only bot.
    pub name: String,
    /// Its bots in the order of seats or boards, as `anna`, or with a version as `anna/1.4`.
    pub bots: Vec<String>,
}

impl Entrant {
    /// Returns an entrant of several bots: partners in the order of seats, or a team in the order of boards.
    pub fn with_bots<B: Into<String>>(name: impl Into<String>, bots: impl IntoIterator<Item = B>) -> Self {
        Self {
            name: name.into(),
            bots: bots.into_iter().map(Into::into).collect(),
        }
    }

    pub(super) fn message(&self) -> api::Entrant {
        api::Entrant {
            name: self.name.clone(),
            bots: self.bots.iter().map(|bot| bot_ref(bot)).collect(),
        }
    }
}

/// A bot, as `anna`, or with a version as `anna/1.4`.
impl From<&str> for Entrant {
    fn from(bot: &str) -> Self {
        Self::with_bots("", [bot])
    }
}

impl From<api::Entrant> for Entrant {
    fn from(message: api::Entrant) -> Self {
        Self::with_bots(message.name, message.bots.into_iter().map(bot_text))
    }
}

/// How far a pairing has come.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum PairingPhase {
    /// It waits for capacity or for its bots.
    Planned,
    /// One of its matches is in play.
    Playing,
    /// It is finished, with points.
    Done,
    /// A phase that is newer than this client.
    #[default]
    Unknown,
}

impl From<api::PairingPhase> for PairingPhase {
    fn from(phase: api::PairingPhase) -> Self {
        match phase {
            api::PairingPhase::Planned => Self::Planned,
            api::PairingPhase::Playing => Self::Playing,
            api::PairingPhase::Done => Self::Done,
            api::PairingPhase::Unspecified => Self::Unknown,
        }
    }
}

/// Entrants that play each other.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Pairing {
    /// Id of the pairing.
    pub id: String,
    /// The round, from 1. 0 on a ladder.
    pub round: u32,
    /// Number of the board within the round, from 1. 0 on a ladder.
    pub board: u32,
    /// Names of the entrants, in the order of the seats of the first match. A single one has a bye.
    pub entrants: Vec<String>,
    /// How far it has come.
    pub phase: PairingPhase,
    /// Ids of its matches in order, including void ones.
    pub match_ids: Vec<String>,
    /// Points of each entrant, in the order of `entrants`. Empty until it is done.
    pub points: Vec<f64>,
    /// Names of the entrants that lost it by absence.
    pub absent_entrants: Vec<String>,
}

impl From<api::Pairing> for Pairing {
    fn from(message: api::Pairing) -> Self {
        Self {
            phase: message.phase().into(),
            id: message.id,
            round: message.round,
            board: message.board,
            entrants: message.entrants,
            match_ids: message.match_ids,
            points: message.points,
            absent_entrants: message.absent_entrants,
        }
    }
}

/// Returns the values for messages.
pub(super) fn values<M, V: From<M>>(messages: Vec<M>) -> Vec<V> {
    messages.into_iter().map(V::from).collect()
}

/// Returns the value for a field that a message should have.
pub(super) fn value<M: Default, V: From<M>>(field: Option<M>) -> V {
    field.unwrap_or_default().into()
}

pub(super) fn duplicate_play(is_on: bool) -> Option<DuplicatePlay> {
    is_on.then(DuplicatePlay::default)
}

pub(super) fn partner_rule(is_fixed: bool) -> i32 {
    if is_fixed {
        PartnerRule::Fixed.into()
    } else {
        PartnerRule::Unspecified.into()
    }
}
