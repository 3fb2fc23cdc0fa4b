//! Plays in one session after the other, until it is stopped.

use std::{future::Future, pin::pin, time::Duration};

use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    Bots, IntoBots, Options, PlayError, SettingError,
    api::{BotItem, Hello, Pong, RefereeItem, Verdict, Welcome, bot_item, referee_item::Item, verdict},
    backoff::Backoff,
    error::RefereeError,
    nonces::Nonces,
    open_turns::{Action, CallId, OpenTurns},
    options::Target,
    seats::Seats,
    session::{Session, SessionEnd, WELCOME_TIMEOUT},
    turn::milliseconds,
};

/// Plays until the [token of the options](Options::cancellation) is cancelled, and reconnects after a session has ended.
///
/// It returns an error if a setting is invalid, if a newer session of the same bot has taken over its seats, or if the
/// referee rejects the bot. It needs a runtime of tokio with time and network enabled, of any flavour; dropping the
/// future also ends it. It does not wait for calls of the bot that are still running; their turns are cancelled. But a
/// runtime that is dropped waits for its blocking threads: a bot that computes for long checks [`Turn::is_cancelled`].
///
/// [`Turn::is_cancelled`]: crate::Turn::is_cancelled
pub async fn play(bot: impl IntoBots, options: Options) -> Result<(), PlayError> {
    let bots = bot.into_bots();
    let cancelled = options.cancellation.clone();
    let mut player = Player::new(bots, options)?;
    match cancelled.run_until_cancelled(player.play()).await {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// A call of the bot has ended.
pub(crate) struct Answered {
    pub call: CallId,
    pub answer: bot_item::Item,
}

/// Runs one session after the other. All decisions are made by one task; only calls of the bot run elsewhere.
pub(crate) struct Player {
    address: String,
    target: Target,
    pub hello: Hello,
    backoff: Backoff,
    open_turns: OpenTurns,
    seats: Seats,
    nonces: Nonces,
    answered: UnboundedSender<Answered>,
    pub answers: UnboundedReceiver<Answered>,
    /// Answers that are to be sent again.
    resends: Vec<(Instant, CallId)>,
    /// What is to be sent in one message.
    unsent: Vec<BotItem>,
    /// None while there is no session.
    pub outgoing: Option<UnboundedSender<Vec<BotItem>>>,
    pub heartbeat_timeout: Duration,
    /// The pause that a draining referee has asked for.
    reconnect_delay: Option<Duration>,
    pub now: fn() -> Instant,
}

impl Player {
    pub fn new(bots: Bots, options: Options) -> Result<Self, SettingError> {
        let (answered, answers) = unbounded_channel();
        Ok(Self {
            target: options.target()?,
            hello: options.hello(),
            address: options.address,
            backoff: Backoff::default(),
            open_turns: OpenTurns::default(),
            seats: Seats::new(bots, options.spawn),
            nonces: Nonces::new(options.nonce),
            answered,
            answers,
            resends: Vec::new(),
            unsent: Vec::new(),
            outgoing: None,
            heartbeat_timeout: WELCOME_TIMEOUT,
            reconnect_delay: None,
            now: Instant::now,
        })
    }

    /// Returns only with an error after which reconnecting does not help.
    async fn play(&mut self) -> PlayError {
        loop {
            match self.play_session().await {
                SessionEnd::Final(error) => return error,
                SessionEnd::Disconnected(reason) => {
                    let pause = self.next_pause(fastrand::f64());
                    let seconds = pause.as_secs_f64();
                    tracing::warn!("disconnected: {reason}; reconnecting in {seconds:.1} s");
                    self.meanwhile(sleep(pause)).await;
                }
            }
        }
    }

    /// Returns the pause before the client reconnects, for a random number from 0 to 1.
    pub fn next_pause(&mut self, random: f64) -> Duration {
        match self.reconnect_delay.take() {
            Some(delay) => Backoff::after_draining(delay, random),
            None => self.backoff.next((self.now)(), self.open_turns.has_any(), random),
        }
    }

    /// Runs one stream until it ends.
    async fn play_session(&mut self) -> SessionEnd {
        self.heartbeat_timeout = WELCOME_TIMEOUT;
        let opening = Session::open(self.target.clone(), self.hello.clone());
        let mut session = match self.meanwhile(opening).await {
            Ok(session) => session,
            Err(end) => return end,
        };
        self.start_session(session.outgoing.clone());
        loop {
            if let Err(end) = self.step(&mut session).await {
                self.outgoing = None;
                return end;
            }
        }
    }

    pub fn start_session(&mut self, outgoing: UnboundedSender<Vec<BotItem>>) {
        self.open_turns.on_session_started();
        self.outgoing = Some(outgoing);
    }

    /// Handles the next event: a message of the referee, an answer of the bot, or time that has passed.
    async fn step(&mut self, session: &mut Session) -> Result<(), SessionEnd> {
        tokio::select! {
            message = session.message(self.heartbeat_timeout) => {
                message?.items.into_iter().try_for_each(|item| self.handle(item))?;
            }
            Some(answered) = self.answers.recv() => self.on_answer(answered),
            () = next_resend(&self.resends) => self.resend_due(),
        }
        self.flush();
        Ok(())
    }

    /// Waits for something without a session. What the bot answers meanwhile is kept.
    async fn meanwhile<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        loop {
            tokio::select! {
                output = &mut future => return output,
                Some(answered) = self.answers.recv() => self.on_answer(answered),
                () = next_resend(&self.resends) => self.resend_due(),
            }
            self.flush();
        }
    }

    pub fn handle(&mut self, item: RefereeItem) -> Result<(), SessionEnd> {
        match item.item {
            Some(Item::Ping(ping)) => self.send(bot_item::Item::Pong(Pong { id: ping.id }).into()),
            Some(Item::Turn(turn)) => {
                let turn = self.seats.turn(turn);
                let action = self.open_turns.on_turn(turn);
                self.execute(action);
            }
            Some(Item::Verdict(verdict)) => self.on_verdict(verdict),
            Some(Item::TurnExpired(expired)) => {
                self.open_turns.on_turn_expired(&expired.match_id, &expired.turn_token);
            }
            Some(Item::MatchEnded(ended)) => {
                self.open_turns.on_match_ended(&ended.match_id);
                let published = ended.seed_commitment.clone().unwrap_or_default();
                self.nonces.on_match_ended(&ended.match_id, &published);
                self.seats.on_match_ended(ended);
            }
            Some(Item::NonceRequest(request)) => {
                let nonce = self.nonces.on_request(request);
                self.send(bot_item::Item::Nonce(nonce).into());
            }
            Some(Item::MatchStarted(started)) => {
                if let Some(announced) = &started.r#match {
                    self.nonces.on_match_started(announced);
                }
                self.seats.on_match_started(started);
            }
            Some(Item::Welcome(welcome)) => self.on_welcome(welcome),
            Some(Item::Draining(draining)) => {
                self.reconnect_delay = Some(milliseconds(draining.reconnect_delay_ms));
            }
            Some(Item::SessionTakenOver(_)) => return Err(SessionEnd::Final(PlayError::TakenOver)),
            Some(Item::Notice(notice)) => tracing::warn!("notice of the referee: {}", notice.message),
            None => {} // An item that is unknown to this client.
        }
        Ok(())
    }

    fn on_verdict(&mut self, verdict: Verdict) {
        if let Some(verdict::Outcome::Rejected(rejected)) = &verdict.outcome {
            let (match_id, error) = (&verdict.match_id, rejected.error.clone().unwrap_or_default());
            tracing::warn!(match_id, "match {match_id}: rejected: {}", RefereeError::from(error));
        }
        let action = self.open_turns.on_verdict(verdict);
        self.execute(action);
    }

    fn on_welcome(&mut self, welcome: Welcome) {
        self.backoff.on_welcome((self.now)());
        let timeout = milliseconds(welcome.heartbeat_timeout_ms);
        if !timeout.is_zero() {
            self.heartbeat_timeout = timeout;
        }
        let (address, name, version) = (&self.address, welcome.bot, welcome.version);
        tracing::info!(address, "connected to {address} as {name}, version {version}");
        // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
        self.hello.version = version;
    }

    pub fn on_answer(&mut self, Answered { call, answer }: Answered) {
        let action = self.open_turns.set_answer(&call, answer);
        self.execute(action);
    }

    /// Sends the answers again whose time has come.
    pub fn resend_due(&mut self) {
        let now = (self.now)();
        let due: Vec<_> = self.resends.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, call) in due {
            let action = self.open_turns.resend(&call);
            self.execute(action);
        }
    }

    fn execute(&mut self, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Send(answer) => self.send(answer),
            Action::Choose(call, turn) => {
                let answered = self.answered.clone();
                self.seats.choose(turn, move |answer| {
                    let _ = answered.send(Answered { call, answer }); // Nobody listens when the player has stopped.
                });
            }
            Action::ScheduleResend(call, delay) => self.resends.push(((self.now)() + delay, call)),
        }
    }

    fn send(&mut self, item: BotItem) {
        self.unsent.push(item);
    }

    /// Sends what is ready if there is a session; otherwise the turns will arrive again.
    pub fn flush(&mut self) {
        let items = std::mem::take(&mut self.unsent);
        if let Some(outgoing) = self.outgoing.as_ref().filter(|_| !items.is_empty()) {
            let _ = outgoing.send(items); // If the stream has ended, the next message reports it.
        }
    }
}

/// Waits until an answer is to be sent again, for ever if there is none.
async fn next_resend(resends: &[(Instant, CallId)]) {
    match resends.iter().map(|(at, _)| *at).min() {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
