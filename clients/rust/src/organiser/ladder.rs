//! Ladders: their terms, state and standings.

use std::time::SystemTime;

use crate::{
    api,
    organiser::{
        api as contract,
        contests::{Entrant, duplicate_play, partner_rule, value},
        entry::time,
        terms::{MatchTerms, game_of},
    },
};

/// A ladder that is to be created.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct NewLadder {
    pub(super) name: String,
    pub(super) title: String,
    matches: Vec<MatchTerms>,
    fixed_partners: bool,
    duplicate_play: bool,
    max_concurrent_matches: u32,
    max_matches_per_hour: u32,
}

impl NewLadder {
    /// Returns a ladder whose matches use these terms in turn: `NewLadder::new("cup", [terms])`. The name has 1 to 40
    /// lower-case letters, digits and hyphens, and begins with a letter.
    pub fn new(name: impl Into<String>, matches: impl IntoIterator<Item = MatchTerms>) -> Self {
        Self {
            name: name.into(),
            title: String::new(),
            matches: matches.into_iter().collect(),
            fixed_partners: false,
            duplicate_play: false,
            max_concurrent_matches: 0,
            max_matches_per_hour: 0,
        }
    }

    /// Sets the title. Default: the name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Lets an entrant have one bot for each seat of its side. Default: each seat is an entrant, and partners change.
    pub fn fixed_partners(mut self) -> Self {
        self.fixed_partners = true;
        self
    }

    /// Plays each pairing as a set of matches with the same start and seed and exchanged seats.
    pub fn duplicate_play(mut self) -> Self {
        self.duplicate_play = true;
        self
    }

    /// Sets how many matches are in play at most. Default: as many as the referee has capacity for.
    pub fn max_concurrent_matches(mut self, matches: u32) -> Self {
        self.max_concurrent_matches = matches;
        self
    }

    /// Sets how many matches start in an hour at most, up to 3600. Default: unlimited.
    pub fn max_matches_per_hour(mut self, matches: u32) -> Self {
        self.max_matches_per_hour = matches;
        self
    }

    pub(super) fn terms(&self) -> contract::LadderTerms {
        contract::LadderTerms {
            match_terms: self.matches.iter().map(MatchTerms::message).collect(),
            partner_rule: partner_rule(self.fixed_partners),
            duplicate_play: duplicate_play(self.duplicate_play),
            max_concurrent_matches: self.max_concurrent_matches,
            max_matches_per_hour: Some(self.max_matches_per_hour),
            ..contract::LadderTerms::default()
        }
    }
}

/// A ladder.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ladder {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Name of the game of each of its terms, which are used in turn.
    pub games: Vec<String>,
    /// Holder of the token that created it.
    pub organiser: String,
    /// Whether it is closed: it starts no more matches.
    pub closed: bool,
    /// Whether it is paused: it starts no matches until it is resumed.
    pub paused: bool,
    /// Number of the season, from 1.
    pub season: u32,
    /// Number of entrants.
    pub entrant_count: u32,
    /// When it was created.
    pub created: SystemTime,
}

impl From<contract::Ladder> for Ladder {
    fn from(message: contract::Ladder) -> Self {
        let matches = message.terms.unwrap_or_default().match_terms;
        Self {
            name: message.name,
            title: message.title,
            games: matches.into_iter().map(|terms| game_of(Some(terms))).collect(),
            organiser: message.organiser,
            closed: message.closed,
            paused: message.paused,
            season: message.season,
            entrant_count: message.entrant_count,
            created: time(message.create_time),
        }
    }
}

/// The estimated strength of a version of a bot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Rating {
    /// The rating; higher is better.
    pub value: f64,
    /// Standard deviation: the true strength is within two of them in 95 of 100 cases.
    pub deviation: f64,
    /// Number of rated matches.
    pub matches: u32,
    /// Whether there are too few matches to be ranked by it.
    pub provisional: bool,
}

impl From<api::Rating> for Rating {
    fn from(message: api::Rating) -> Self {
        Self {
            value: message.value,
            deviation: message.deviation,
            matches: message.matches,
            provisional: message.provisional,
        }
    }
}

/// What a match did to a rating.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RatingChange {
    /// Number of the seat, from 0.
    pub seat: u32,
    /// Name of the bot.
    pub bot: String,
    /// Its version.
    pub version: String,
    /// The rating before the match.
    pub before: Rating,
    /// The rating after the match.
    pub after: Rating,
}

impl From<api::RatingChange> for RatingChange {
    fn from(message: api::RatingChange) -> Self {
        Self {
            seat: message.seat,
            bot: message.bot,
            version: message.version,
            before: value(message.before),
            after: value(message.after),
        }
    }
}

/// A row of a ladder's standings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LadderStanding {
    /// Rank from 1, by `lower_bound`. Entrants with provisional ratings rank after all others.
    pub rank: u32,
    /// The entrant.
    pub entrant: Entrant,
    /// Version that the rating is for. Empty for partners.
    pub version: String,
    /// The rating.
    pub rating: Rating,
    /// The value of the rating less two deviations.
    pub lower_bound: f64,
    /// Number of matches this season that its side won outright.
    pub wins: u32,
    /// Number of matches this season in which its side shared the first rank.
    pub draws: u32,
    /// Number of matches this season that its side did not win.
    pub losses: u32,
    /// Number of matches this season that it forfeited, which are also losses.
    pub forfeits: u32,
    /// Whether it gets no matches because one of its bots is paused or offline.
    pub idle: bool,
}

impl From<contract::LadderStanding> for LadderStanding {
    fn from(message: contract::LadderStanding) -> Self {
        Self {
            rank: message.rank,
            entrant: value(message.entrant),
            version: message.version,
            rating: value(message.rating),
            lower_bound: message.lower_bound,
            wins: message.wins,
            draws: message.draws,
            losses: message.losses,
            forfeits: message.forfeits,
            idle: message.idle,
        }
    }
}
