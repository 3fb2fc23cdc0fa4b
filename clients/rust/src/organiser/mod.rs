//! Calls of organisers and watchers: registers bots, creates matches, tournaments and ladders, watches them, and reads
//! their standings and records.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use referee_client::{
//!     Options, RefereeError,
//!     organiser::{Event, MatchTerms, Organiser, TimeControl},
//! };
//!
//! # async fn example(options: Options) -> Result<(), Box<dyn std::error::Error>> {
//! let organiser = Organiser::new(options)?;
//! let clock = TimeControl::Fischer {
//!     main: Duration::from_secs(60),
//!     increment: Duration::from_secs(1),
//! };
//! let terms = MatchTerms::new("alquerque").clock(clock);
//! let created = organiser.create_match(&terms, ["anna", "bert"]).await?;
//! let mut entries = organiser.watch(&created.id, 0);
//! while let Some(entry) = entries.next().await {
//!     if let Event::MovePlayed(played) = entry?.event {
//!         println!("{}: {}", played.seat, played.text);
//!     }
//! }
//! let result = organiser.result(&created.id).await?;
//! println!("{:?} {}", result.scores, organiser.record(&created.id).await?);
//! # Ok(())
//! # }
//! ```
//!
//! A tournament is created with its entrants, started, and watched until it is over:
//!
//! ```no_run
//! use referee_client::organiser::{Format, MatchTerms, NewTournament, Organiser, TournamentEvent};
//!
//! # async fn example(organiser: Organiser) -> Result<(), referee_client::RefereeError> {
//! let cup = NewTournament::new("cup", MatchTerms::new("trox"), Format::Swiss { rounds: 5 })
//!     .entrants(["anna", "bert", "carl"]);
//! organiser.create_tournament(&cup).await?;
//! organiser.start_tournament("cup").await?;
//! let mut entries = organiser.watch_tournament("cup", 0);
//! while let Some(entry) = entries.next().await {
//!     if let TournamentEvent::RoundStarted { round, .. } = entry?.event {
//!         println!("round {round}");
//!     }
//! }
//! for row in organiser.tournament_standings("cup").await? {
//!     println!("{}. {}: {}", row.rank, row.entrant, row.points);
//! }
//! # Ok(())
//! # }
//! ```

mod calls;
mod contests;
pub mod contract;
mod entry;
mod items;
mod ladder;
mod ladder_entry;
mod ladders;
mod terms;
mod tournament;
mod tournament_entry;
mod tournaments;

use std::fmt;

use crate::{
    Match, MatchResult, Options, RefereeError, SettingError,
    organiser::{
        api::{
            AbortMatchRequest, CreateBotTokenRequest, CreateMatchRequest, GetMatchRequest, GetRecordRequest,
            RegisterBotRequest, WatchMatchRequest, bot_service_client::BotServiceClient,
            match_service_client::MatchServiceClient,
        },
        calls::{Calls, Link, MAX_MESSAGE_BYTES, request_id},
        terms::bot_ref,
    },
};

pub use contests::{Entrant, Pairing, PairingPhase};
pub use entry::{Entry, Event};
pub use items::Items;
pub use ladder::{Ladder, LadderStanding, NewLadder, Rating, RatingChange};
pub use ladder_entry::{LadderEntry, LadderEvent};
pub use ladders::LadderFilter;
pub use terms::{MatchTerms, TimeControl};
pub use tournament::{Format, NewTournament, Tournament, TournamentPhase, TournamentStanding};
pub use tournament_entry::{TournamentEntry, TournamentEvent};
pub use tournaments::{ExportFormat, PairingFilter, TournamentFilter};

/// What organisers need of the contract besides `crate::api`.
#[allow(clippy::large_enum_variant, dead_code)] // The sizes follow from the contract, of which a part is used.
mod api {
    include!("../stubs/organiser.rs");
}

/// Makes calls with the token of an organiser, author or spectator. Clones share the connection.
///
/// Calls are made again for a few seconds while the referee cannot be reached. What creates something has a request id,
/// so that it is created only once. An error of the referee has its reason, message and metadata.
#[derive(Clone)]
pub struct Organiser {
    calls: Calls,
}

impl Organiser {
    /// Returns an organiser, which connects with its first call. Options that are about bots have no effect.
    ///
    /// It must be called on a runtime of tokio with time and network enabled, on which the connection lives.
    pub fn new(options: Options) -> Result<Self, SettingError> {
        let calls = Calls::new(options.target()?);
        Ok(Self { calls })
    }

    /// Registers a bot, and returns its first token, which is shown only once.
    pub async fn register_bot(&self, name: &str, description: &str) -> Result<String, RefereeError> {
        let request = RegisterBotRequest {
            request_id: request_id(),
            name: name.into(),
            description: description.into(),
            consent: None,
        };
        let call = |link, request| async { BotServiceClient::new(link).register_bot(request).await };
        let secret = self.calls.call(request, call).await?.secret;
        if !secret.is_empty() {
            return Ok(secret);
        }
        // The call was repeated, and the answer that had the token was lost.
        let request = CreateBotTokenRequest {
            bot: name.into(),
            ..CreateBotTokenRequest::default()
        };
        let call = |link, request| async { BotServiceClient::new(link).create_bot_token(request).await };
        Ok(self.calls.call(request, call).await?.secret)
    }

    /// Creates a match with a bot for each seat, in order: `anna`, or with a version `anna/1.4`. It begins when all of
    /// them are online.
    pub async fn create_match<B: AsRef<str>>(
        &self,
        terms: &MatchTerms,
        bots: impl IntoIterator<Item = B>,
    ) -> Result<Match, RefereeError> {
        let request = CreateMatchRequest {
            request_id: request_id(),
            seats: bots.into_iter().map(|bot| bot_ref(bot.as_ref())).collect(),
            title: terms.title.clone(),
            terms: Some(terms.message()),
            ..CreateMatchRequest::default()
        };
        let call = |link, request| async { matches(link).create_match(request).await };
        let response = self.calls.call(request, call).await?;
        Ok(response.r#match.unwrap_or_default().into())
    }

    /// Returns a match.
    pub async fn get_match(&self, id: &str) -> Result<Match, RefereeError> {
        let request = GetMatchRequest {
            match_id: id.into(),
            ..GetMatchRequest::default()
        };
        let call = |link, request| async { matches(link).get_match(request).await };
        let response = self.calls.call(request, call).await?;
        Ok(response.r#match.unwrap_or_default().into())
    }

    /// Ends a match, which is void then. The reason is for the bots, and may be empty.
    pub async fn abort_match(&self, id: &str, message: &str) -> Result<(), RefereeError> {
        let request = AbortMatchRequest {
            request_id: request_id(),
            match_id: id.into(),
            message: message.into(),
        };
        let call = |link, request| async { matches(link).abort_match(request).await };
        self.calls.call(request, call).await?;
        Ok(())
    }

    /// Returns the entries of a match after a number, once and in order, until the match is over. After an interruption
    /// it continues with the next entry.
    pub fn watch(&self, id: &str, after: u64) -> Items<Entry> {
        let id = id.to_owned();
        let open = move |link, after| {
            let request = WatchMatchRequest {
                match_id: id.clone(),
                after_number: after,
                ..WatchMatchRequest::default()
            };
            async move { matches(link).watch_match(request).await }
        };
        self.calls.watch(Some(after), open, entry::entries)
    }

    /// Waits for the end of a match, and returns its result.
    pub async fn result(&self, id: &str) -> Result<MatchResult, RefereeError> {
        let mut entries = self.watch(id, 0);
        while let Some(entry) = entries.next().await {
            if let Event::PlayEnded(result) = entry?.event {
                return Ok(result);
            }
        }
        Err(RefereeError::new("UNKNOWN", "the match has ended without a result"))
    }

    /// Returns the record of a match that is over: a file with one line per entry, which `referee verify` checks.
    pub async fn record(&self, id: &str) -> Result<String, RefereeError> {
        let request = GetRecordRequest { match_id: id.into() };
        let call = |link, request| async { matches(link).get_record(request).await };
        let parts = self.calls.all(request, call).await?;
        let lines = parts.into_iter().flat_map(|part| part.lines);
        Ok(lines.map(|line| line + "\n").collect())
    }
}

impl fmt::Debug for Organiser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Organiser").finish_non_exhaustive()
    }
}

fn matches(link: Link) -> MatchServiceClient<Link> {
    MatchServiceClient::new(link).max_decoding_message_size(MAX_MESSAGE_BYTES)
}
