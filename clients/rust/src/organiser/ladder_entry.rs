//! Entries of the log of a ladder.

use std::time::SystemTime;

use crate::organiser::{
    api::{self, WatchLadderResponse, ladder_entry, watch_ladder_item::Item},
    calls::Numbered,
    contests::{Entrant, Pairing, value, values},
    entry::time,
    ladder::RatingChange,
};

/// A numbered entry of the log of a ladder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LadderEntry {
    /// Counts from 1, without gaps.
    pub number: u64,
    /// When the entry was written.
    pub time: SystemTime,
    /// What happened, in the words of the contract, such as "match_rated". Empty if this client does not know it.
    pub kind: &'static str,
    /// What happened.
    pub event: LadderEvent,
}

/// What happened on a ladder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LadderEvent {
    /// An entrant joined.
    EntrantJoined(Entrant),
    /// The entrant of this name left.
    EntrantLeft(String),
    /// A pairing was planned, or one of its matches started, ended or became void.
    PairingChanged(Pairing),
    /// A match was rated.
    #[non_exhaustive]
    MatchRated {
        /// Id of the match.
        match_id: String,
        /// What it did to the rating of each seat.
        ratings: Vec<RatingChange>,
    },
    /// A season with this number started.
    SeasonStarted(u32),
    /// The ladder was paused: it starts no matches until it is resumed.
    Paused,
    /// The ladder was resumed.
    Resumed,
    /// The ladder was closed for new matches. Matches in play continue and are rated.
    Closing,
    /// The last match of a closed ladder is over.
    Closed,
    /// Something else; see [`LadderEntry::kind`].
    Other,
}

impl Numbered for LadderEntry {
    fn number(&self, _: Option<u64>) -> Option<u64> {
        Some(self.number)
    }
}

/// Returns the entries of a message.
pub(super) fn ladder_entries(message: WatchLadderResponse) -> Vec<LadderEntry> {
    let entries = message.items.into_iter().filter_map(|item| match item.item {
        Some(Item::Entry(entry)) => Some(entry.into()),
        _ => None,
    });
    entries.collect()
}

impl From<api::LadderEntry> for LadderEntry {
    fn from(message: api::LadderEntry) -> Self {
        Self {
            number: message.number,
            time: time(message.create_time),
            kind: message.event.as_ref().map_or("", kind),
            event: message.event.map_or(LadderEvent::Other, LadderEvent::from),
        }
    }
}

impl From<ladder_entry::Event> for LadderEvent {
    fn from(event: ladder_entry::Event) -> Self {
        use ladder_entry::Event;
        match event {
            Event::EntrantJoined(joined) => Self::EntrantJoined(value(joined.entrant)),
            Event::EntrantLeft(left) => Self::EntrantLeft(left.entrant),
            Event::Pairing(pairing) => Self::PairingChanged(pairing.into()),
            Event::MatchRated(rated) => Self::MatchRated {
                match_id: rated.match_id,
                ratings: values(rated.ratings),
            },
            Event::SeasonStarted(started) => Self::SeasonStarted(started.season),
            Event::Paused(_) => Self::Paused,
            Event::Resumed(_) => Self::Resumed,
            Event::Closing(_) => Self::Closing,
            Event::Closed(_) => Self::Closed,
            Event::Created(_) | Event::MatchCorrected(_) => Self::Other,
        }
    }
}

fn kind(event: &ladder_entry::Event) -> &'static str {
    use ladder_entry::Event;
    match event {
        Event::Created(_) => "created",
        Event::EntrantJoined(_) => "entrant_joined",
        Event::EntrantLeft(_) => "entrant_left",
        Event::Pairing(_) => "pairing",
        Event::MatchRated(_) => "match_rated",
        Event::SeasonStarted(_) => "season_started",
        Event::Paused(_) => "paused",
        Event::Resumed(_) => "resumed",
        Event::Closing(_) => "closing",
        Event::Closed(_) => "closed",
        Event::MatchCorrected(_) => "match_corrected",
    }
}
