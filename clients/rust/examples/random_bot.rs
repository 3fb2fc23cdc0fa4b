//! Plays a random legal move in every game.

use std::process::ExitCode;

use referee_client::{Turn, run};

fn choose(turn: &Turn) -> String {
    turn.legal_moves[fastrand::usize(..turn.legal_moves.len())].clone() // Your strategy goes here.
}

fn main() -> ExitCode {
    run(choose)
}
