//! Entries of the log of a tournament.

use std::time::SystemTime;

use crate::organiser::{
    api::{self, WatchTournamentResponse, tournament_entry, watch_tournament_item::Item},
    calls::Numbered,
    contests::{Entrant, Pairing, value, values},
    entry::time,
    tournament::{TournamentPhase, TournamentStanding},
};

/// A numbered entry of the log of a tournament.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TournamentEntry {
    /// Counts from 1, without gaps.
    pub number: u64,
    /// When the entry was written.
    pub time: SystemTime,
    /// What happened, in the words of the contract, such as "round_started". Empty if this client does not know it.
    pub kind: &'static str,
    /// What happened.
    pub event: TournamentEvent,
}

/// What happened in a tournament.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TournamentEvent {
    /// An entrant joined.
    EntrantJoined(Entrant),
    /// The entrant of this name withdrew.
    EntrantLeft(String),
    /// Pairings were planned, also by hand.
    PairingsPlanned(Vec<Pairing>),
    /// A round started; the first one is the start of the tournament.
    #[non_exhaustive]
    RoundStarted {
        /// Number of the round, from 1.
        round: u32,
        /// Its pairings. Empty at the start, when `PairingsPlanned` follows.
        pairings: Vec<Pairing>,
    },
    /// A pairing has changed: one of its matches started, ended or became void, or it was lost by absence, postponed,
    /// reopened or corrected.
    PairingChanged(Pairing),
    /// The tournament ended.
    #[non_exhaustive]
    Ended {
        /// Finished or cancelled.
        phase: TournamentPhase,
        /// The final standings.
        standings: Vec<TournamentStanding>,
    },
    /// Something else; see [`TournamentEntry::kind`].
    Other,
}

impl Numbered for TournamentEntry {
    fn number(&self, _: Option<u64>) -> Option<u64> {
        Some(self.number)
    }
}

/// Returns the entries of a message.
pub(super) fn tournament_entries(message: WatchTournamentResponse) -> Vec<TournamentEntry> {
    let entries = message.items.into_iter().filter_map(|item| match item.item {
        Some(Item::Entry(entry)) => Some(entry.into()),
        _ => None,
    });
    entries.collect()
}

impl From<api::TournamentEntry> for TournamentEntry {
    fn from(message: api::TournamentEntry) -> Self {
        Self {
            number: message.number,
            time: time(message.create_time),
            kind: message.event.as_ref().map_or("", kind),
            event: message.event.map_or(TournamentEvent::Other, TournamentEvent::from),
        }
    }
}

impl From<tournament_entry::Event> for TournamentEvent {
    fn from(event: tournament_entry::Event) -> Self {
        use tournament_entry::Event;
        match event {
            Event::EntrantJoined(joined) => Self::EntrantJoined(value(joined.entrant)),
            Event::EntrantLeft(left) => Self::EntrantLeft(left.entrant),
            Event::PairingsPlanned(planned) => Self::PairingsPlanned(values(planned.pairings)),
            Event::PairingsReplaced(replaced) => Self::PairingsPlanned(values(replaced.pairings)),
            Event::RoundStarted(started) => Self::RoundStarted {
                round: started.round,
                pairings: values(started.pairings),
            },
            Event::Pairing(pairing) => Self::PairingChanged(pairing.into()),
            Event::EntrantsAbsent(absent) => Self::PairingChanged(value(absent.pairing)),
            Event::PairingPostponed(postponed) => Self::PairingChanged(value(postponed.pairing)),
            Event::PairingReopened(reopened) => Self::PairingChanged(value(reopened.pairing)),
            Event::ScoreCorrected(corrected) => Self::PairingChanged(value(corrected.pairing)),
            Event::Ended(ended) => Self::Ended {
                phase: ended.phase().into(),
                standings: values(ended.standings),
            },
            Event::Created(_) | Event::Sprt(_) | Event::VersionsFrozen(_) | Event::ByeRequested(_) => Self::Other,
        }
    }
}

fn kind(event: &tournament_entry::Event) -> &'static str {
    use tournament_entry::Event;
    match event {
        Event::Created(_) => "created",
        Event::EntrantJoined(_) => "entrant_joined",
        Event::EntrantLeft(_) => "entrant_left",
        Event::PairingsPlanned(_) => "pairings_planned",
        Event::RoundStarted(_) => "round_started",
        Event::Pairing(_) => "pairing",
        Event::Sprt(_) => "sprt",
        Event::Ended(_) => "ended",
        Event::EntrantsAbsent(_) => "entrants_absent",
        Event::VersionsFrozen(_) => "versions_frozen",
        Event::PairingsReplaced(_) => "pairings_replaced",
        Event::PairingPostponed(_) => "pairing_postponed",
        Event::PairingReopened(_) => "pairing_reopened",
        Event::ByeRequested(_) => "bye_requested",
        Event::ScoreCorrected(_) => "score_corrected",
    }
}
