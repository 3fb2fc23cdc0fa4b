//! Plays inside of a program of its own: an object per seat, until its first match is over. It offers draws and accepts
//! them.

use std::{env, error::Error};

use referee_client::{Answer, Bot, BotError, CancellationToken, End, Match, Options, Turn, per_seat, play};

struct Seat {
    turns: usize,
    over: CancellationToken,
}

impl Bot for Seat {
    fn started(&mut self, game: &Match, seat: u32) {
        println!("started {} as {}", game.game, game.seat_names[seat as usize]);
    }

    fn choose(&mut self, turn: &Turn) -> Result<Answer, BotError> {
        self.turns += 1;
        if !turn.draw_offers.is_empty() {
            return Ok(Answer::AcceptDraw);
        }
        let first = turn.legal_moves.first().ok_or("there are no legal moves")?.clone();
        Ok(if self.turns == 2 {
            Answer::Choice {
                text: first,
                offer_draw: true,
                score: None,
            }
        } else {
            Answer::Move(first)
        })
    }

    fn ended(&mut self, end: &End) {
        println!("ended: {}, after {} turns", end.reason, self.turns);
        self.over.cancel();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let over = CancellationToken::new();
    let options = Options::new(env::var("BOT_REFEREE")?, env::var("BOT_TOKEN")?)
        .games(["alquerque"])
        .cancellation(over.clone());
    let bots = per_seat(move || Seat {
        turns: 0,
        over: over.clone(),
    });
    play(bots, options).await?;
    println!("stopped");
    Ok(())
}
