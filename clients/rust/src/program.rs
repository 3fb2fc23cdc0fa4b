//! Makes a program of a bot: settings from the environment, signals, standard error, exit statuses.

use std::{fmt, process::ExitCode};

use tokio::runtime;
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::{IntoBots, Options, PlayError, error::message_with_causes, play};

const EXIT_FAILED: u8 = 1;
const EXIT_MISCONFIGURED: u8 = 2;
const EXIT_TAKEN_OVER: u8 = 3;
const EXIT_REJECTED: u8 = 4;

/// Plays until the program is stopped, with settings from the environment, and returns its exit status.
///
/// It is 0 after SIGTERM or Ctrl-C, 2 if a setting is invalid, 3 if a newer session of the same bot has taken over its
/// seats, and 4 if the referee rejects the bot. Errors and logs are written to standard error, unless the program has
/// set a subscriber of `tracing` before.
pub fn run(bot: impl IntoBots) -> ExitCode {
    run_with(bot, |options| options)
}

/// Like [`run`], with options that replace those of the environment: `run_with(choose, |options| options.view())`.
pub fn run_with(bot: impl IntoBots, change: impl FnOnce(Options) -> Options) -> ExitCode {
    let _ = tracing::subscriber::set_global_default(StandardError); // The program's own subscriber stays.
    // Before signals are caught: the token may be in a pipe into which nobody writes.
    let options = match Options::from_environment() {
        Ok(options) => change(options),
        Err(error) => return failed(EXIT_MISCONFIGURED, &error),
    };
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(EXIT_FAILED, &error),
    };
    let status = runtime.block_on(async {
        let stop = match stop_signal() {
            Ok(stop) => stop,
            Err(error) => return failed(EXIT_FAILED, &error),
        };
        tokio::select! {
            end = play(bot, options) => end.map_or_else(|error| failed(exit_status(&error), &error), |()| ExitCode::SUCCESS),
            () = stop => ExitCode::SUCCESS,
        }
    });
    runtime.shutdown_background(); // Does not wait for a bot that is still computing.
    status
}

pub(crate) fn exit_status(error: &PlayError) -> u8 {
    match error {
        PlayError::Setting(_) => EXIT_MISCONFIGURED,
        PlayError::TakenOver => EXIT_TAKEN_OVER,
        PlayError::Rejected(_) => EXIT_REJECTED,
    }
}

fn failed(status: u8, error: &(dyn std::error::Error + 'static)) -> ExitCode {
    eprintln!("referee-client: {}", message_with_causes(error));
    ExitCode::from(status)
}

/// Returns what ends when the program is to be stopped. It listens from now on.
#[cfg(unix)]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Returns what ends when the program is to be stopped. It listens from now on.
#[cfg(not(unix))]
fn stop_signal() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await; // There is no Ctrl-C, so nothing to stop by.
        }
    })
}

/// Writes the message of each event as one line. The messages have the values of all other fields.
struct StandardError;

impl Subscriber for StandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::INFO
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1) // All spans are disabled.
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Message(String::new());
        event.record(&mut line);
        eprintln!("referee-client: {}", line.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The message of an event.
pub(crate) struct Message(pub String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
