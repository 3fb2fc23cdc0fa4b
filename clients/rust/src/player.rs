//! Plays in one session after the other, until it is stopped.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    runtime,
    signal::unix::{SignalKind, signal},
    task::JoinSet,
    time::sleep,
};

use crate::{
    Bot, BotError, Settings,
    api::{Hello, Move, NonceRequest, Pong, RefereeItem, Resignation, Turn, bot_item, referee_item::Item},
    backoff::Backoff,
    nonces::{Nonces, random_nonce},
    open_turns::{Action, OpenTurns, TurnId, TurnRequest},
    session::{Session, SessionEnd},
};

/// No game has longer moves, and the referee rejects longer texts.
const MAX_MOVE_CHARS: usize = 1_000;

const EXIT_MISCONFIGURED: u8 = 2;
const EXIT_TAKEN_OVER: u8 = 3;
const EXIT_REJECTED: u8 = 4;

/// Plays until the program is stopped, and returns its exit status: 0 after SIGINT or SIGTERM, 2 if the settings in the
/// environment are invalid, 3 if a newer session of the same bot has taken over its matches, 4 if the referee rejects
/// this bot. Errors are written to standard error.
pub fn run(bot: impl Bot) -> ExitCode {
    match Settings::from_env().and_then(|settings| play(bot, settings)) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("referee-client: {error}");
            ExitCode::from(EXIT_MISCONFIGURED)
        }
    }
}

fn play(bot: impl Bot, settings: Settings) -> Result<ExitCode, BotError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(async {
        let mut interrupted = signal(SignalKind::interrupt())?;
        let mut terminated = signal(SignalKind::terminate())?;
        tokio::select! {
            status = Player::new(bot, settings).play() => Ok(status),
            _ = interrupted.recv() => Ok(ExitCode::SUCCESS),
            _ = terminated.recv() => Ok(ExitCode::SUCCESS),
        }
    });
    runtime.shutdown_background(); // Does not wait for a bot that is still computing.
    status
}

/// Events from outside the stream.
enum Event {
    /// The bot has answered a turn.
    Answered { turn: TurnId, answer: bot_item::Item },
    /// The delay of `Action::ScheduleResend` is over.
    ResendDue { turn: TurnId },
}

struct Player<B> {
    bot: Arc<B>,
    settings: Settings,
    backoff: Backoff,
    open_turns: OpenTurns,
    nonces: Nonces,
    events: JoinSet<Event>,
    /// The pause that a draining referee has asked for.
    reconnect_delay: Option<Duration>,
}

impl<B: Bot> Player<B> {
    fn new(bot: B, settings: Settings) -> Self {
        Self {
            bot: Arc::new(bot),
            settings,
            backoff: Backoff::default(),
            open_turns: OpenTurns::default(),
            nonces: Nonces::default(),
            events: JoinSet::new(),
            reconnect_delay: None,
        }
    }

    async fn play(mut self) -> ExitCode {
        loop {
            match self.play_session().await {
                SessionEnd::TakenOver => {
                    eprintln!("referee-client: a newer session of this bot has taken over its seats");
                    return ExitCode::from(EXIT_TAKEN_OVER);
                }
                SessionEnd::Rejected(reason) => {
                    eprintln!("referee-client: {reason}");
                    return ExitCode::from(EXIT_REJECTED);
                }
                SessionEnd::Disconnected(reason) => {
                    let pause = match self.reconnect_delay.take() {
                        Some(delay) => self.backoff.after_draining(delay, fastrand::f64()),
                        None => self.backoff.next(Instant::now(), fastrand::f64()),
                    };
                    eprintln!("referee-client: {reason}; reconnecting in {:.1} s", pause.as_secs_f64());
                    sleep(pause).await;
                }
            }
        }
    }

    /// Runs one stream until it ends.
    async fn play_session(&mut self) -> SessionEnd {
        match Session::open(&self.settings, self.hello()).await {
            Ok(mut session) => loop {
                if let Err(end) = self.step(&mut session).await {
                    return end;
                }
            },
            Err(end) => end,
        }
    }

    fn hello(&self) -> Hello {
        Hello {
            version: self.settings.version.clone(),
            max_matches: Some(self.settings.max_matches),
            turn_options: Some(self.bot.turn_options()),
            client: concat!("referee-client-rust/", env!("CARGO_PKG_VERSION")).into(),
            verdicts_with_turns: self.settings.verdicts_with_turns,
            ..Hello::default()
        }
    }

    /// Handles the next event: a message of the referee, or an answer of the bot.
    async fn step(&mut self, session: &mut Session) -> Result<(), SessionEnd> {
        tokio::select! {
            message = session.message() => {
                message?.items.into_iter().try_for_each(|item| self.handle(session, item))
            }
            Some(event) = self.events.join_next() => {
                self.handle_event(session, event.expect("no event is cancelled, and none panics"));
                Ok(())
            }
        }
    }

    fn handle(&mut self, session: &mut Session, item: RefereeItem) -> Result<(), SessionEnd> {
        match item.item {
            Some(Item::Ping(ping)) => session.send(bot_item::Item::Pong(Pong { id: ping.id }).into()),
            Some(Item::Turn(turn)) => {
                let action = self.open_turns.on_turn(turn);
                self.execute(session, action);
            }
            Some(Item::Verdict(verdict)) => {
                let action = self.open_turns.on_verdict(verdict);
                self.execute(session, action);
            }
            Some(Item::TurnExpired(expired)) => {
                self.open_turns.on_turn_expired(&expired.match_id, &expired.turn_token);
            }
            Some(Item::MatchEnded(ended)) => {
                let published = ended.seed_commitment.unwrap_or_default();
                report(self.nonces.on_match_ended(&ended.match_id, &published));
                self.open_turns.on_match_ended(&ended.match_id);
            }
            Some(Item::NonceRequest(request)) => self.send_nonce(session, &request),
            Some(Item::MatchStarted(started)) => {
                let started = started.r#match.unwrap_or_default();
                let announced = started.seed_commitment.unwrap_or_default();
                report(self.nonces.on_match_started(&started.id, &announced));
            }
            Some(Item::Welcome(welcome)) => {
                self.backoff.on_welcome(Instant::now());
                session.set_heartbeat_timeout(milliseconds(welcome.heartbeat_timeout_ms));
                let (referee, name, version) = (self.settings.endpoint.uri(), welcome.bot, welcome.version);
                let host_port = referee.authority().map_or("", |host_port| host_port.as_str());
                eprintln!("referee-client: connected to {host_port} as {name}, version {version}");
                // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
                self.settings.version = version;
            }
            Some(Item::Draining(draining)) => {
                self.reconnect_delay = Some(milliseconds(draining.reconnect_delay_ms));
            }
            Some(Item::SessionTakenOver(_)) => return Err(SessionEnd::TakenOver),
            Some(Item::Notice(notice)) => eprintln!("referee: {}", notice.message),
            None => {}
        }
        Ok(())
    }

    fn send_nonce(&mut self, session: &Session, request: &NonceRequest) {
        let bot = &self.bot;
        // A panic has already written its message to standard error.
        let choose = || catch_unwind(AssertUnwindSafe(|| bot.nonce(request))).unwrap_or_else(|_| random_nonce());
        let (nonce, problems) = self
            .nonces
            .on_request(&request.match_id, request.seat, &request.commitment, choose);
        report(problems);
        session.send(bot_item::Item::Nonce(nonce).into());
    }

    fn handle_event(&mut self, session: &Session, event: Event) {
        let action = match event {
            Event::Answered { turn, answer } => self.open_turns.set_answer(&turn, answer),
            Event::ResendDue { turn } => self.open_turns.resend(&turn),
        };
        self.execute(session, action);
    }

    fn execute(&mut self, session: &Session, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Send(answer) => session.send(answer),
            Action::Choose(request) => {
                let bot = self.bot.clone();
                self.events.spawn_blocking(move || Event::Answered {
                    turn: TurnId::from(&request.turn),
                    answer: choose_answer(bot.as_ref(), &request),
                });
            }
            Action::ScheduleResend(turn, delay) => {
                self.events.spawn(async move {
                    sleep(delay).await;
                    Event::ResendDue { turn }
                });
            }
        }
    }
}

/// Reports problems with a seed to the author of the bot.
fn report(problems: Vec<String>) {
    for problem in problems {
        eprintln!("referee-client: {problem}");
    }
}

/// Returns the bot's move, or its resignation if its code fails.
fn choose_answer(bot: &impl Bot, request: &TurnRequest) -> bot_item::Item {
    // A panic has already written its message to standard error.
    match catch_unwind(AssertUnwindSafe(|| bot.choose(request))) {
        Ok(Ok(text)) => bot_item::Item::Move(Move {
            match_id: request.turn.match_id.clone(),
            turn_token: request.turn.turn_token.clone(),
            r#move: sendable_move(&request.turn, text),
            offer_draw: false,
        }),
        Ok(Err(error)) => {
            eprintln!("referee-client: the bot failed: {error:?}");
            resignation_item(&request.turn)
        }
        Err(_) => resignation_item(&request.turn),
    }
}

/// Returns the move, or, if it is too long, a beginning that the referee rejects. All of it would break the stream, and
/// with it all other matches; this way it costs one attempt.
fn sendable_move(turn: &Turn, text: String) -> String {
    let chars = text.chars().count();
    if chars <= MAX_MOVE_CHARS {
        return text;
    }
    let (match_id, seat) = (&turn.match_id, turn.seat);
    eprintln!(
        "referee-client: match {match_id}, seat {seat}: the answer has {chars} characters, the limit is \
         {MAX_MOVE_CHARS}; the referee will reject it"
    );
    text.chars().take(MAX_MOVE_CHARS + 1).collect()
}

fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(number.try_into().unwrap_or(0))
}

fn resignation_item(turn: &Turn) -> bot_item::Item {
    bot_item::Item::Resignation(Resignation {
        match_id: turn.match_id.clone(),
        seat: Some(turn.seat),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FailingBot;

    impl Bot for FailingBot {
        fn choose(&self, request: &TurnRequest) -> Result<String, BotError> {
            match request.turn.ply {
                0 => panic!("no idea"),
                _ => Err("no idea".into()),
            }
        }
    }

    #[test]
    fn an_answer_that_is_too_long_is_cut_to_one_character_more_than_permitted() {
        let sent = |text: String| sendable_move(&Turn::default(), text);
        assert_eq!(sent("ü".repeat(1_000)), "ü".repeat(1_000));
        assert_eq!(sent("ü".repeat(2_000_000)), "ü".repeat(1_001));
    }

    #[test]
    fn a_bot_that_panics_or_returns_an_error_resigns() {
        for ply in [0, 1] {
            let turn = Turn {
                match_id: "m1".into(),
                seat: 2,
                ply,
                ..Turn::default()
            };
            let Action::Choose(request) = OpenTurns::default().on_turn(turn.clone()) else {
                panic!("the bot is not called");
            };
            assert_eq!(choose_answer(&FailingBot, &request), resignation_item(&turn));
        }
    }
}
