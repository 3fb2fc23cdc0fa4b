//! Calls about tournaments.

use crate::{
    RefereeError,
    organiser::{
        Organiser,
        api::{
            self, CancelTournamentRequest, CreateTournamentRequest, EnterTournamentRequest, ExportTournamentRequest,
            GetTournamentRecordRequest, GetTournamentRequest, GetTournamentStandingsRequest, ListPairingsRequest,
            ListTournamentsRequest, StartTournamentRequest, WatchTournamentRequest, WithdrawEntrantRequest,
            tournament_service_client::TournamentServiceClient,
        },
        calls::{Link, MAX_MESSAGE_BYTES, PAGE_SIZE, request_id},
        contests::{Entrant, Pairing, PairingPhase, value, values},
        items::Items,
        tournament::{NewTournament, Tournament, TournamentPhase, TournamentStanding},
        tournament_entry::{TournamentEntry, tournament_entries},
    },
};

/// Which tournaments to list. Default: all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
pub struct TournamentFilter(ListTournamentsRequest);

impl TournamentFilter {
    /// Only tournaments of this game.
    pub fn game(mut self, game: impl Into<String>) -> Self {
        self.0.game = game.into();
        self
    }

    /// Only tournaments of this bot.
    pub fn bot(mut self, bot: impl Into<String>) -> Self {
        self.0.bot = bot.into();
        self
    }

    /// Only tournaments in this phase.
    pub fn phase(mut self, phase: TournamentPhase) -> Self {
        self.0.set_phase(match phase {
            TournamentPhase::Entry => api::TournamentPhase::Entry,
            TournamentPhase::Playing => api::TournamentPhase::Playing,
            TournamentPhase::Finished => api::TournamentPhase::Finished,
            TournamentPhase::Cancelled => api::TournamentPhase::Cancelled,
            TournamentPhase::Unknown => api::TournamentPhase::Unspecified,
        });
        self
    }
}

/// Which pairings to list. Default: all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
pub struct PairingFilter(ListPairingsRequest);

impl PairingFilter {
    /// Only pairings of this round, from 1.
    pub fn round(mut self, round: u32) -> Self {
        self.0.round = round;
        self
    }

    /// Only pairings of the entrant of this name.
    pub fn entrant(mut self, entrant: impl Into<String>) -> Self {
        self.0.entrant = entrant.into();
        self
    }

    /// Only pairings in this phase.
    pub fn phase(mut self, phase: PairingPhase) -> Self {
        self.0.set_phase(match phase {
            PairingPhase::Planned => api::PairingPhase::Planned,
            PairingPhase::Playing => api::PairingPhase::Playing,
            PairingPhase::Done => api::PairingPhase::Done,
            PairingPhase::Unknown => api::PairingPhase::Unspecified,
        });
        self
    }
}

/// The format of a file about a tournament.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ExportFormat {
    /// The standings as comma-separated values with a header.
    Csv,
    /// The whole tournament as a JSON object.
    Json,
    /// FIDE's tournament report file, for formats and games of two sides.
    Trf,
}

impl ExportFormat {
    fn message(self) -> api::ExportFormat {
        match self {
            Self::Csv => api::ExportFormat::Csv,
            Self::Json => api::ExportFormat::Json,
            Self::Trf => api::ExportFormat::Trf,
        }
    }
}

impl Organiser {
    /// Creates a tournament. Entrants can join until it is started.
    pub async fn create_tournament(&self, tournament: &NewTournament) -> Result<Tournament, RefereeError> {
        let request = CreateTournamentRequest {
            request_id: request_id(),
            name: tournament.name.clone(),
            title: tournament.title.clone(),
            terms: Some(tournament.terms()),
            entrants: tournament.entrants.iter().map(Entrant::message).collect(),
        };
        let call = |link, request| async { tournaments(link).create_tournament(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Adds an entrant, such as `"anna"`.
    pub async fn enter_tournament(
        &self,
        tournament: &str,
        entrant: impl Into<Entrant>,
    ) -> Result<Tournament, RefereeError> {
        let request = EnterTournamentRequest {
            tournament: tournament.into(),
            entrant: Some(entrant.into().message()),
        };
        let call = |link, request| async { tournaments(link).enter_tournament(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Withdraws the entrant of this name. The reason is for the other entrants, and may be empty.
    ///
    /// Before the start it is removed; later its results are kept, and it is not paired again.
    pub async fn withdraw_entrant(
        &self,
        tournament: &str,
        entrant: &str,
        message: &str,
    ) -> Result<Tournament, RefereeError> {
        let request = WithdrawEntrantRequest {
            tournament: tournament.into(),
            entrant: entrant.into(),
            message: message.into(),
        };
        let call = |link, request| async { tournaments(link).withdraw_entrant(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Starts a tournament.
    pub async fn start_tournament(&self, name: &str) -> Result<Tournament, RefereeError> {
        let request = StartTournamentRequest { name: name.into() };
        let call = |link, request| async { tournaments(link).start_tournament(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Cancels a tournament; its matches in play become void. The reason is for the entrants, and may be empty.
    pub async fn cancel_tournament(&self, name: &str, message: &str) -> Result<Tournament, RefereeError> {
        let request = CancelTournamentRequest {
            name: name.into(),
            message: message.into(),
        };
        let call = |link, request| async { tournaments(link).cancel_tournament(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Returns a tournament.
    pub async fn get_tournament(&self, name: &str) -> Result<Tournament, RefereeError> {
        let request = GetTournamentRequest { name: name.into() };
        let call = |link, request| async { tournaments(link).get_tournament(request).await };
        Ok(value(self.calls.call(request, call).await?.tournament))
    }

    /// Returns tournaments, the newest first.
    pub fn tournaments(&self, filter: TournamentFilter) -> Items<Tournament> {
        let fetch = move |link, page_token| {
            let request = ListTournamentsRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..filter.0.clone()
            };
            async move { tournaments(link).list_tournaments(request).await }
        };
        self.calls
            .pages(fetch, |page| (values(page.tournaments), page.next_page_token))
    }

    /// Returns pairings of a tournament by round and board.
    pub fn pairings(&self, tournament: &str, filter: PairingFilter) -> Items<Pairing> {
        let tournament = tournament.to_owned();
        let fetch = move |link, page_token| {
            let request = ListPairingsRequest {
                tournament: tournament.clone(),
                page_size: PAGE_SIZE,
                page_token,
                ..filter.0.clone()
            };
            async move { tournaments(link).list_pairings(request).await }
        };
        self.calls
            .pages(fetch, |page| (values(page.pairings), page.next_page_token))
    }

    /// Returns the current standings of a tournament, the best first.
    pub async fn tournament_standings(&self, name: &str) -> Result<Vec<TournamentStanding>, RefereeError> {
        let request = GetTournamentStandingsRequest {
            tournament: name.into(),
            after_round: 0,
        };
        let call = |link, request| async { tournaments(link).get_tournament_standings(request).await };
        Ok(values(self.calls.call(request, call).await?.standings))
    }

    /// Returns the entries of a tournament after a number, once and in order, until it is over. After an interruption it
    /// continues with the next entry.
    pub fn watch_tournament(&self, name: &str, after: u64) -> Items<TournamentEntry> {
        let name = name.to_owned();
        let open = move |link, after| {
            let request = WatchTournamentRequest {
                tournament: name.clone(),
                after_number: after,
            };
            async move { tournaments(link).watch_tournament(request).await }
        };
        self.calls.watch(Some(after), open, tournament_entries)
    }

    /// Returns a file about a tournament that has started.
    pub async fn export_tournament(&self, name: &str, format: ExportFormat) -> Result<String, RefereeError> {
        let request = ExportTournamentRequest {
            tournament: name.into(),
            format: format.message().into(),
        };
        let call = |link, request| async { tournaments(link).export_tournament(request).await };
        let parts = self.calls.all(request, call).await?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }

    /// Returns the signed record of a tournament that is over, with which anyone can verify its pairings and standings.
    pub async fn tournament_record(&self, name: &str) -> Result<String, RefereeError> {
        let request = GetTournamentRecordRequest {
            tournament: name.into(),
        };
        let call = |link, request| async { tournaments(link).get_tournament_record(request).await };
        let parts = self.calls.all(request, call).await?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }
}

fn tournaments(link: Link) -> TournamentServiceClient<Link> {
    TournamentServiceClient::new(link).max_decoding_message_size(MAX_MESSAGE_BYTES)
}
