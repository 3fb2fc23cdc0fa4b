//! The program registers a bot, lets it play a match against itself, watches it, and prints what it has seen as lines.

use std::{error::Error, time::Duration};

use referee_client::{
    CancellationToken, Options, ResultKind, Turn,
    organiser::{Event, MatchTerms, Organiser, TimeControl},
    play,
};

fn first(turn: &Turn) -> String {
    turn.legal_moves[0].clone()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_environment()?;
    let organiser = Organiser::new(options.clone())?;
    let token = organiser.register_bot("ferris", "plays whatever comes first").await?;
    if let Err(refused) = organiser.register_bot("ferris", "again").await {
        println!("error {}", refused.reason);
    }
    let stop = CancellationToken::new();
    let bot = tokio::spawn(play(first, options.token(token).cancellation(stop.clone())));
    play_match(&organiser).await?;
    stop.cancel();
    println!("stopped {}", bot.await?.is_ok());
    Ok(())
}

async fn play_match(organiser: &Organiser) -> Result<(), Box<dyn Error>> {
    let clock = TimeControl::Fischer {
        main: Duration::from_secs(3600),
        increment: Duration::from_secs(1),
    };
    let terms = MatchTerms::new("alquerque")
        .clock(clock)
        .start_timeout(Duration::from_secs(600))
        .title("test");
    let created = organiser.create_match(&terms, ["ferris", "ferris"]).await?;
    println!("match {} {} {}", created.game, created.title, created.bots.join(" "));
    let (mut moves, mut next) = (0, 1);
    let mut entries = organiser.watch(&created.id, 0);
    while let Some(entry) = entries.next().await {
        let entry = entry?;
        assert_eq!(entry.number, next);
        next += 1;
        if let Event::MovePlayed(_) = entry.event {
            assert_eq!(entry.kind, "move_played");
            moves += 1;
        }
    }
    println!("moves {}", moves > 0);
    let result = organiser.result(&created.id).await?;
    println!("result {} {}", result.kind == ResultKind::Played, result.scores.len());
    let record = organiser.record(&created.id).await?;
    println!("record {}", record.lines().count() > moves);
    let over = organiser.get_match(&created.id).await?;
    println!("over {}", over.result == Some(result));
    if let Err(refused) = organiser.abort_match(&created.id, "too late").await {
        println!(
            "error {} {}",
            refused.reason,
            refused.metadata["match_id"] == created.id
        );
    }
    Ok(())
}
