//! Calls about ladders.

use crate::{
    RefereeError,
    organiser::{
        Organiser,
        api::{
            ChallengeRequest, CloseLadderRequest, CreateLadderRequest, GetLadderRecordRequest, GetLadderRequest,
            JoinLadderRequest, LeaveLadderRequest, ListLadderStandingsRequest, ListLaddersRequest, PauseLadderRequest,
            ResumeLadderRequest, WatchLadderRequest, ladder_service_client::LadderServiceClient,
        },
        calls::{Link, MAX_MESSAGE_BYTES, PAGE_SIZE, request_id},
        contests::{Entrant, Pairing, value, values},
        items::Items,
        ladder::{Ladder, LadderStanding, NewLadder},
        ladder_entry::{LadderEntry, ladder_entries},
    },
};

/// Which ladders to list. Default: all that are not closed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[must_use]
pub struct LadderFilter(ListLaddersRequest);

impl LadderFilter {
    /// Only ladders of this game.
    pub fn game(mut self, game: impl Into<String>) -> Self {
        self.0.game = game.into();
        self
    }

    /// Only ladders that this bot has joined.
    pub fn bot(mut self, bot: impl Into<String>) -> Self {
        self.0.bot = bot.into();
        self
    }

    /// Also closed ladders.
    pub fn include_closed(mut self) -> Self {
        self.0.include_closed = true;
        self
    }
}

impl Organiser {
    /// Creates a ladder. It starts matches as soon as there are enough entrants.
    pub async fn create_ladder(&self, ladder: &NewLadder) -> Result<Ladder, RefereeError> {
        let request = CreateLadderRequest {
            request_id: request_id(),
            name: ladder.name.clone(),
            title: ladder.title.clone(),
            terms: Some(ladder.terms()),
        };
        let call = |link, request| async { ladders(link).create_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.ladder))
    }

    /// Adds an entrant, such as `"anna"`, and returns its first standing.
    pub async fn join_ladder(&self, ladder: &str, entrant: impl Into<Entrant>) -> Result<LadderStanding, RefereeError> {
        let request = JoinLadderRequest {
            ladder: ladder.into(),
            entrant: Some(entrant.into().message()),
        };
        let call = |link, request| async { ladders(link).join_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.standing))
    }

    /// Removes the entrant of this name. Its matches in play continue, and its ratings are kept in case it returns.
    pub async fn leave_ladder(&self, ladder: &str, entrant: &str) -> Result<(), RefereeError> {
        let request = LeaveLadderRequest {
            ladder: ladder.into(),
            entrant: entrant.into(),
        };
        let call = |link, request| async { ladders(link).leave_ladder(request).await };
        self.calls.call(request, call).await?;
        Ok(())
    }

    /// Plans a rated pairing of entrants, of which the first is the challenger. It starts as soon as all have room.
    pub async fn challenge<E: Into<String>>(
        &self,
        ladder: &str,
        entrants: impl IntoIterator<Item = E>,
    ) -> Result<Pairing, RefereeError> {
        let request = ChallengeRequest {
            request_id: request_id(),
            ladder: ladder.into(),
            entrants: entrants.into_iter().map(Into::into).collect(),
        };
        let call = |link, request| async { ladders(link).challenge(request).await };
        Ok(value(self.calls.call(request, call).await?.pairing))
    }

    /// Pauses a ladder: it starts no matches until it is resumed. The reason is for the entrants, and may be empty.
    pub async fn pause_ladder(&self, name: &str, message: &str) -> Result<Ladder, RefereeError> {
        let request = PauseLadderRequest {
            ladder: name.into(),
            message: message.into(),
        };
        let call = |link, request| async { ladders(link).pause_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.ladder))
    }

    /// Resumes a paused ladder.
    pub async fn resume_ladder(&self, name: &str) -> Result<Ladder, RefereeError> {
        let request = ResumeLadderRequest { ladder: name.into() };
        let call = |link, request| async { ladders(link).resume_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.ladder))
    }

    /// Closes a ladder permanently. Matches in play continue and are rated. The reason is for the entrants, and may be
    /// empty.
    pub async fn close_ladder(&self, name: &str, message: &str) -> Result<Ladder, RefereeError> {
        let request = CloseLadderRequest {
            ladder: name.into(),
            message: message.into(),
        };
        let call = |link, request| async { ladders(link).close_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.ladder))
    }

    /// Returns a ladder.
    pub async fn get_ladder(&self, name: &str) -> Result<Ladder, RefereeError> {
        let request = GetLadderRequest { name: name.into() };
        let call = |link, request| async { ladders(link).get_ladder(request).await };
        Ok(value(self.calls.call(request, call).await?.ladder))
    }

    /// Returns ladders by name.
    pub fn ladders(&self, filter: LadderFilter) -> Items<Ladder> {
        let fetch = move |link, page_token| {
            let request = ListLaddersRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..filter.0.clone()
            };
            async move { ladders(link).list_ladders(request).await }
        };
        self.calls
            .pages(fetch, |page| (values(page.ladders), page.next_page_token))
    }

    /// Returns the standings of a ladder in the current season, the best first.
    pub fn ladder_standings(&self, name: &str) -> Items<LadderStanding> {
        let name = name.to_owned();
        let fetch = move |link, page_token| {
            let request = ListLadderStandingsRequest {
                ladder: name.clone(),
                page_size: PAGE_SIZE,
                page_token,
                ..ListLadderStandingsRequest::default()
            };
            async move { ladders(link).list_ladder_standings(request).await }
        };
        self.calls
            .pages(fetch, |page| (values(page.standings), page.next_page_token))
    }

    /// Returns the entries of a ladder after a number, once and in order, until it is closed. After an interruption it
    /// continues with the next entry.
    pub fn watch_ladder(&self, name: &str, after: u64) -> Items<LadderEntry> {
        let name = name.to_owned();
        let open = move |link, after| {
            let request = WatchLadderRequest {
                ladder: name.clone(),
                after_number: after,
            };
            async move { ladders(link).watch_ladder(request).await }
        };
        self.calls.watch(Some(after), open, ladder_entries)
    }

    /// Returns the signed record of a ladder that is closed and whose last match is over, with which anyone can verify
    /// its pairings, ratings and standings.
    pub async fn ladder_record(&self, name: &str) -> Result<String, RefereeError> {
        let request = GetLadderRecordRequest { ladder: name.into() };
        let call = |link, request| async { ladders(link).get_ladder_record(request).await };
        let parts = self.calls.all(request, call).await?;
        Ok(parts.into_iter().map(|part| part.text).collect())
    }
}

fn ladders(link: Link) -> LadderServiceClient<Link> {
    LadderServiceClient::new(link).max_decoding_message_size(MAX_MESSAGE_BYTES)
}
