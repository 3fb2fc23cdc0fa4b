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
    api::{Hello, Move, Pong, RefereeItem, Resignation, Turn, bot_item, referee_item::Item},
    backoff::Backoff,
    desk::{Asked, Desk, Next, TurnId},
    session::{End, Session},
};

/// No game has longer moves, and the referee rejects longer texts.
const MOVE_CHARS: usize = 1_000;

const MISCONFIGURED: u8 = 2;
const TAKEN_OVER: u8 = 3;
const REFUSED: u8 = 4;

/// Plays until SIGINT or SIGTERM (exit status 0), until another copy of the bot takes over its seats (3), or until
/// invalid settings (2) or the referee (4) make it impossible to continue, with a sentence on standard error.
pub fn run(bot: impl Bot) -> ExitCode {
    match Settings::from_env().and_then(|settings| play(bot, settings)) {
        Ok(status) => status,
        Err(why) => {
            eprintln!("referee-client: {why}");
            ExitCode::from(MISCONFIGURED)
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
    runtime.shutdown_background(); // Does not wait for a bot that is still thinking.
    status
}

/// Events from outside the stream.
enum Event {
    Found { turn: TurnId, answer: bot_item::Item },
    Due { turn: TurnId },
}

struct Player<B> {
    bot: Arc<B>,
    settings: Settings,
    backoff: Backoff,
    desk: Desk,
    events: JoinSet<Event>,
    /// How long the referee will be away, if it has announced that.
    away: Option<Duration>,
}

impl<B: Bot> Player<B> {
    fn new(bot: B, settings: Settings) -> Self {
        Self {
            bot: Arc::new(bot),
            settings,
            backoff: Backoff::default(),
            desk: Desk::default(),
            events: JoinSet::new(),
            away: None,
        }
    }

    async fn play(mut self) -> ExitCode {
        loop {
            match self.session().await {
                End::TakenOver => {
                    eprintln!("referee-client: another copy of this bot has taken its seats");
                    return ExitCode::from(TAKEN_OVER);
                }
                End::Refused(why) => {
                    eprintln!("referee-client: {why}");
                    return ExitCode::from(REFUSED);
                }
                End::Broken(why) => {
                    let wait = match self.away.take() {
                        Some(away) => self.backoff.after_draining(away, fastrand::f64()),
                        None => self.backoff.next(Instant::now(), fastrand::f64()),
                    };
                    eprintln!("referee-client: {why}; back in {:.1} s", wait.as_secs_f64());
                    sleep(wait).await;
                }
            }
        }
    }

    /// Runs one stream until it ends.
    async fn session(&mut self) -> End {
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
    async fn step(&mut self, session: &mut Session) -> Result<(), End> {
        tokio::select! {
            message = session.message() => {
                message?.items.into_iter().try_for_each(|said| self.hear(session, said))
            }
            Some(event) = self.events.join_next() => {
                self.happens(session, event.expect("no event is cancelled, and none panics"));
                Ok(())
            }
        }
    }

    fn hear(&mut self, session: &mut Session, said: RefereeItem) -> Result<(), End> {
        match said.item {
            Some(Item::Ping(ping)) => session.say(bot_item::Item::Pong(Pong { id: ping.id }).into()),
            Some(Item::Turn(turn)) => {
                let next = self.desk.asked(turn);
                self.follow(session, next);
            }
            Some(Item::Verdict(verdict)) => {
                let next = self.desk.judged(verdict);
                self.follow(session, next);
            }
            Some(Item::TurnExpired(lapsed)) => self.desk.lapsed(&lapsed.match_id, &lapsed.turn_token),
            Some(Item::MatchEnded(ended)) => self.desk.ended(&ended.match_id),
            Some(Item::Welcome(welcome)) => {
                self.backoff.welcomed(Instant::now());
                session.welcomed(milliseconds(welcome.heartbeat_timeout_ms));
                let (referee, name, version) = (self.settings.endpoint.uri(), welcome.bot, welcome.version);
                let host_port = referee.authority().map_or("", |host_port| host_port.as_str());
                eprintln!("referee-client: connected to {host_port} as {name}, version {version}");
                // Keep the version for later sessions, even if a newer one is registered: the seats belong to it.
                self.settings.version = version;
            }
            Some(Item::Draining(going)) => {
                self.away = Some(milliseconds(going.reconnect_delay_ms));
            }
            Some(Item::SessionTakenOver(_)) => return Err(End::TakenOver),
            Some(Item::Notice(notice)) => eprintln!("referee: {}", notice.message),
            Some(Item::MatchStarted(_) | Item::NonceRequest(_)) | None => {}
        }
        Ok(())
    }

    fn happens(&mut self, session: &Session, event: Event) {
        let next = match event {
            Event::Found { turn, answer } => self.desk.found(&turn, answer),
            Event::Due { turn } => self.desk.due(&turn),
        };
        self.follow(session, next);
    }

    fn follow(&mut self, session: &Session, next: Next) {
        match next {
            Next::Nothing => {}
            Next::Say(answer) => session.say(answer),
            Next::Think(asked) => {
                let bot = self.bot.clone();
                self.events.spawn_blocking(move || Event::Found {
                    turn: TurnId::from(&asked.turn),
                    answer: answer(bot.as_ref(), &asked),
                });
            }
            Next::Later(turn, after) => {
                self.events.spawn(async move {
                    sleep(after).await;
                    Event::Due { turn }
                });
            }
        }
    }
}

/// Returns the bot's move, or its resignation if its code fails.
fn answer(bot: &impl Bot, asked: &Asked) -> bot_item::Item {
    // A panic has already written its message to standard error.
    match catch_unwind(AssertUnwindSafe(|| bot.choose(asked))) {
        Ok(Ok(text)) => bot_item::Item::Move(Move {
            match_id: asked.turn.match_id.clone(),
            turn_token: asked.turn.turn_token.clone(),
            r#move: sendable(&asked.turn, text),
            offer_draw: false,
        }),
        Ok(Err(why)) => {
            eprintln!("referee-client: the bot failed: {why:?}");
            resignation(&asked.turn)
        }
        Err(_) => resignation(&asked.turn),
    }
}

/// Returns the move, or, if it is too long, a beginning that the referee rejects. All of it would break the stream, and
/// with it all other matches; this way it costs one attempt.
fn sendable(turn: &Turn, text: String) -> String {
    let chars = text.chars().count();
    if chars <= MOVE_CHARS {
        return text;
    }
    let (match_id, seat) = (&turn.match_id, turn.seat);
    eprintln!(
        "referee-client: match {match_id}, seat {seat}: the answer has {chars} characters, the limit is {MOVE_CHARS}; \
         the referee will refuse it"
    );
    text.chars().take(MOVE_CHARS + 1).collect()
}

fn milliseconds(many: i64) -> Duration {
    Duration::from_millis(many.try_into().unwrap_or(0))
}

fn resignation(turn: &Turn) -> bot_item::Item {
    bot_item::Item::Resignation(Resignation {
        match_id: turn.match_id.clone(),
        seat: Some(turn.seat),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken;

    impl Bot for Broken {
        fn choose(&self, asked: &Asked) -> Result<String, BotError> {
            match asked.turn.ply {
                0 => panic!("no idea"),
                _ => Err("no idea".into()),
            }
        }
    }

    #[test]
    fn an_answer_longer_than_any_move_is_sent_as_one_that_is_refused() {
        let sent = |text: String| sendable(&Turn::default(), text);
        assert_eq!(sent("ü".repeat(1_000)), "ü".repeat(1_000));
        assert_eq!(sent("ü".repeat(2_000_000)), "ü".repeat(1_001));
    }

    #[test]
    fn a_bot_that_panics_or_fails_resigns_its_seat() {
        for ply in [0, 1] {
            let turn = Turn {
                match_id: "m1".into(),
                seat: 2,
                ply,
                ..Turn::default()
            };
            let Next::Think(asked) = Desk::default().asked(turn.clone()) else {
                panic!("the bot is not asked");
            };
            assert_eq!(answer(&Broken, &asked), resignation(&turn));
        }
    }
}
