use std::process::ExitCode;

use referee_client::{Bot, BotError, TurnRequest, api::TurnOptions, run};

struct PoisonousBot;

impl Bot for PoisonousBot {
    fn choose(&self, request: &TurnRequest) -> Result<String, BotError> {
        let game = request.turn.rules.as_ref().map_or("", |rules| &rules.game);
        if game == "trox" { Ok("x".repeat(2_000_000)) } else { Ok(request.turn.legal_moves[0].clone()) }
    }

    fn turn_options(&self) -> TurnOptions {
        TurnOptions { max_legal_moves: 1, ..TurnOptions::default() }
    }
}

fn main() -> ExitCode {
    run(PoisonousBot)
}
