//! Tournaments: their terms, state and standings.

use std::time::SystemTime;

use crate::{
    matches::word,
    organiser::{
        api::{self, tournament_terms::Format as Kind},
        contests::{Entrant, duplicate_play, partner_rule, values},
        entry::{optional_time, time},
        terms::{MatchTerms, game_of},
    },
};

/// How the entrants of a tournament are paired.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Format {
    /// Every entrant plays every other entrant.
    RoundRobin {
        /// How often each pair plays.
        cycles: u32,
    },
    /// Entrants with equal points play each other, without rematches.
    Swiss {
        /// Number of rounds.
        rounds: u32,
    },
    /// A knock-out: losers drop out.
    Elimination {
        /// Whether entrants drop out after two losses instead of one.
        double: bool,
    },
    /// Challengers play all other entrants, who do not play each other.
    Gauntlet {
        /// Names of the challengers, at least one.
        challengers: Vec<String>,
        /// How often each pair plays.
        cycles: u32,
    },
    /// Several entrants play at each table, for games of more than two sides.
    Pools {
        /// Number of rounds.
        rounds: u32,
    },
    /// Two entrants play until a statistical test is decided.
    Sprt {
        /// Difference of the null hypothesis, in Elo.
        elo0: f64,
        /// Difference of the alternative hypothesis, in Elo: greater than `elo0`.
        elo1: f64,
        /// Number of matches after which the test ends undecided. 0: unlimited.
        max_matches: u32,
    },
}

impl Format {
    fn message(&self) -> Kind {
        match self.clone() {
            Self::RoundRobin { cycles } => Kind::RoundRobin(api::RoundRobin { cycles }),
            Self::Swiss { rounds } => Kind::Swiss(api::Swiss {
                rounds,
                ..api::Swiss::default()
            }),
            Self::Elimination { double } => Kind::Elimination(api::Elimination {
                double_elimination: double,
                ..api::Elimination::default()
            }),
            Self::Gauntlet { challengers, cycles } => Kind::Gauntlet(api::Gauntlet { challengers, cycles }),
            Self::Pools { rounds } => Kind::Pools(api::Pools { rounds }),
            Self::Sprt {
                elo0,
                elo1,
                max_matches,
            } => Kind::Sprt(api::Sprt {
                elo0,
                elo1,
                max_matches,
                ..api::Sprt::default()
            }),
        }
    }
}

impl From<Kind> for Format {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::RoundRobin(format) => Self::RoundRobin { cycles: format.cycles },
            Kind::Swiss(format) => Self::Swiss { rounds: format.rounds },
            Kind::Elimination(format) => Self::Elimination {
                double: format.double_elimination,
            },
            Kind::Gauntlet(format) => Self::Gauntlet {
                challengers: format.challengers,
                cycles: format.cycles,
            },
            Kind::Pools(format) => Self::Pools { rounds: format.rounds },
            Kind::Sprt(format) => Self::Sprt {
                elo0: format.elo0,
                elo1: format.elo1,
                max_matches: format.max_matches,
            },
        }
    }
}

/// A tournament that is to be created.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct NewTournament {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) entrants: Vec<Entrant>,
    matches: MatchTerms,
    format: Format,
    ladder: String,
    fixed_partners: bool,
    boards: u32,
    duplicate_play: bool,
    max_concurrent_matches: u32,
}

impl NewTournament {
    /// Returns a tournament without entrants. The name has 1 to 40 lower-case letters, digits and hyphens, and begins
    /// with a letter.
    pub fn new(name: impl Into<String>, matches: MatchTerms, format: Format) -> Self {
        Self {
            name: name.into(),
            title: String::new(),
            entrants: Vec::new(),
            matches,
            format,
            ladder: String::new(),
            fixed_partners: false,
            boards: 0,
            duplicate_play: false,
            max_concurrent_matches: 0,
        }
    }

    /// Sets the title. Default: the name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the entrants of the beginning. More can enter until it is started.
    pub fn entrants<E: Into<Entrant>>(mut self, entrants: impl IntoIterator<Item = E>) -> Self {
        self.entrants = entrants.into_iter().map(Into::into).collect();
        self
    }

    /// Lets a ladder of the same organiser seed the entrants and rate the matches.
    pub fn ladder(mut self, ladder: impl Into<String>) -> Self {
        self.ladder = ladder.into();
        self
    }

    /// Lets an entrant have one bot for each seat of its side. Default: each seat is an entrant, and partners change.
    pub fn fixed_partners(mut self) -> Self {
        self.fixed_partners = true;
        self
    }

    /// Lets the entrants be teams, with one bot for each of 2 to 8 boards.
    pub fn teams(mut self, boards: u32) -> Self {
        self.boards = boards;
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

    pub(super) fn terms(&self) -> api::TournamentTerms {
        api::TournamentTerms {
            match_terms: Some(self.matches.message()),
            format: Some(self.format.message()),
            ladder: self.ladder.clone(),
            partner_rule: partner_rule(self.fixed_partners),
            boards: self.boards,
            duplicate_play: duplicate_play(self.duplicate_play),
            max_concurrent_matches: self.max_concurrent_matches,
            ..api::TournamentTerms::default()
        }
    }
}

/// How far a tournament has come.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum TournamentPhase {
    /// It is open for entrants.
    Entry,
    /// It is being played.
    Playing,
    /// It is finished, with a winner.
    Finished,
    /// It was cancelled.
    Cancelled,
    /// A phase that is newer than this client.
    #[default]
    Unknown,
}

impl From<api::TournamentPhase> for TournamentPhase {
    fn from(phase: api::TournamentPhase) -> Self {
        match phase {
            api::TournamentPhase::Entry => Self::Entry,
            api::TournamentPhase::Playing => Self::Playing,
            api::TournamentPhase::Finished => Self::Finished,
            api::TournamentPhase::Cancelled => Self::Cancelled,
            api::TournamentPhase::Unspecified => Self::Unknown,
        }
    }
}

/// A tournament.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tournament {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Name of the game.
    pub game: String,
    /// How its entrants are paired. None if the format is newer than this client.
    pub format: Option<Format>,
    /// The ladder that rates its matches, or empty.
    pub ladder: String,
    /// Holder of the token that created it.
    pub organiser: String,
    /// How far it has come.
    pub phase: TournamentPhase,
    /// Its entrants: by seed once it has started, before that in the order of entry.
    pub entrants: Vec<Entrant>,
    /// Names of the entrants that have withdrawn.
    pub withdrawn_entrants: Vec<String>,
    /// Number of the current round, from 1. 0 before the start.
    pub current_round: u32,
    /// Number of rounds. 0 if it is not known in advance.
    pub total_rounds: u32,
    /// Number of completed pairings.
    pub completed_pairings: u32,
    /// Number of pairings. 0 if it is not known in advance.
    pub total_pairings: u32,
    /// When it was created.
    pub created: SystemTime,
    /// When it started.
    pub started: Option<SystemTime>,
    /// When it ended.
    pub ended: Option<SystemTime>,
}

impl From<api::Tournament> for Tournament {
    fn from(message: api::Tournament) -> Self {
        let phase = message.phase().into();
        let terms = message.terms.unwrap_or_default();
        Self {
            name: message.name,
            title: message.title,
            game: game_of(terms.match_terms),
            format: terms.format.map(Format::from),
            ladder: terms.ladder,
            organiser: message.organiser,
            phase,
            entrants: values(message.entrants),
            withdrawn_entrants: message.withdrawn_entrants,
            current_round: message.current_round,
            total_rounds: message.total_rounds,
            completed_pairings: message.completed_pairings,
            total_pairings: message.total_pairings,
            created: time(message.create_time),
            started: optional_time(message.start_time),
            ended: optional_time(message.end_time),
        }
    }
}

/// A row of a tournament's standings.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TournamentStanding {
    /// Rank from 1. Entrants that no tie-break separates share it.
    pub rank: u32,
    /// Name of the entrant.
    pub entrant: String,
    /// Points.
    pub points: f64,
    /// Name and value of each tie-break, such as "buchholz", in order of precedence.
    pub tie_breaks: Vec<(String, f64)>,
    /// Number of matches that its side won outright.
    pub wins: u32,
    /// Number of matches in which its side shared the first rank.
    pub draws: u32,
    /// Number of matches that its side did not win.
    pub losses: u32,
    /// Number of matches that it forfeited, which are also losses.
    pub forfeits: u32,
    /// Number of byes.
    pub byes: u32,
}

impl From<api::TournamentStanding> for TournamentStanding {
    fn from(message: api::TournamentStanding) -> Self {
        let tie_breaks = message.tie_breaks.iter().map(|row| {
            let name = api::TieBreak::try_from(row.tie_break).map(|tie_break| tie_break.as_str_name());
            (word(row.tie_break, name.ok(), "TIE_BREAK_"), row.value)
        });
        Self {
            rank: message.rank,
            tie_breaks: tie_breaks.collect(),
            entrant: message.entrant,
            points: message.points,
            wins: message.wins,
            draws: message.draws,
            losses: message.losses,
            forfeits: message.forfeits,
            byes: message.byes,
        }
    }
}

#[cfg(test)]
#[path = "tournament_tests.rs"]
mod tests;
