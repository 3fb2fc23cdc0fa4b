//! Plays a random legal move in every game.

use std::process::ExitCode;

use referee_client::{Bot, BotError, TurnRequest, api::TurnOptions, run};

struct RandomBot;

impl Bot for RandomBot {
    fn choose(&self, request: &TurnRequest) -> Result<String, BotError> {
        let moves = &request.turn.legal_moves; // Your strategy goes here; see request.turn.position.
        let choice = fastrand::choice(moves).ok_or("there are no legal moves")?;
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
