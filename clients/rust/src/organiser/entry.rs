//! Entries of the log of a match.

use std::time::SystemTime;

use crate::{
    MatchResult, PlayedMove,
    organiser::{
        api::{self, WatchMatchResponse, entry, watch_match_item::Item},
        calls::Numbered,
    },
};

/// A numbered entry of the log of a match.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Counts from 1, without gaps.
    pub number: u64,
    /// When the entry was written.
    pub time: SystemTime,
    /// What happened, in the words of the contract, such as "move_played". Empty if the watcher may not see it, or this
    /// client does not know it.
    pub kind: &'static str,
    /// What happened.
    pub event: Event,
}

/// What happened in a match.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A move was played.
    MovePlayed(PlayedMove),
    /// The match ended.
    PlayEnded(MatchResult),
    /// Something else; see [`Entry::kind`].
    Other,
}

impl Numbered for Entry {
    fn number(&self, _: Option<u64>) -> Option<u64> {
        Some(self.number)
    }
}

/// Returns the entries of a message.
pub(super) fn entries(message: WatchMatchResponse) -> Vec<Entry> {
    let entries = message.items.into_iter().filter_map(|item| match item.item {
        Some(Item::Entry(entry)) => Some(entry.into()),
        _ => None,
    });
    entries.collect()
}

impl From<api::Entry> for Entry {
    fn from(message: api::Entry) -> Self {
        Self {
            number: message.number,
            time: time(message.create_time),
            kind: message.event.as_ref().map_or("", kind),
            event: message.event.map_or(Event::Other, Event::from),
        }
    }
}

impl From<entry::Event> for Event {
    fn from(event: entry::Event) -> Self {
        match event {
            entry::Event::MovePlayed(played) => Self::MovePlayed(played.played.unwrap_or_default().into()),
            entry::Event::PlayEnded(ended) => Self::PlayEnded(ended.result.unwrap_or_default().into()),
            _ => Self::Other,
        }
    }
}

fn kind(event: &entry::Event) -> &'static str {
    use entry::Event;
    match event {
        Event::MatchCreated(_) => "match_created",
        Event::SeatTaken(_) => "seat_taken",
        Event::NonceAdded(_) => "nonce_added",
        Event::PlayStarted(_) => "play_started",
        Event::ChoiceSealed(_) => "choice_sealed",
        Event::MovePlayed(_) => "move_played",
        Event::MoveRejected(_) => "move_rejected",
        Event::FlagFell(_) => "flag_fell",
        Event::DrawOffered(_) => "draw_offered",
        Event::DrawDeclined(_) => "draw_declined",
        Event::SeatResigned(_) => "seat_resigned",
        Event::SeatForfeited(_) => "seat_forfeited",
        Event::SeatDisconnected(_) => "seat_disconnected",
        Event::SeatReconnected(_) => "seat_reconnected",
        Event::RefereeRecovered(_) => "referee_recovered",
        Event::PlayEnded(_) => "play_ended",
        Event::SeatVacated(_) => "seat_vacated",
    }
}

/// Returns a time of a message.
pub(super) fn time(message: Option<prost_types::Timestamp>) -> SystemTime {
    optional_time(message).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// Returns a time that a message may lack.
pub(super) fn optional_time(message: Option<prost_types::Timestamp>) -> Option<SystemTime> {
    message?.try_into().ok()
}
