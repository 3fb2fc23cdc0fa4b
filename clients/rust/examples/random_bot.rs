//! Plays a random one of the legal moves: a bot for every game there is.

use std::process::ExitCode;

use referee_client::{Asked, Bot, BotError, api::TurnOptions, run};

struct RandomBot;

impl Bot for RandomBot {
    fn choose(&self, asked: &Asked) -> Result<String, BotError> {
        let moves = &asked.turn.legal_moves; // Your idea goes here; asked.turn.position says how it stands.
        let choice = fastrand::choice(moves).ok_or("there is nothing to choose from")?;
        Ok(choice.clone())
    }

    fn turn_options(&self) -> TurnOptions {
        TurnOptions {
            max_legal_moves: 5000,
            ..TurnOptions::default()
        }
    }
}

fn main() -> ExitCode {
    run(RandomBot)
}
