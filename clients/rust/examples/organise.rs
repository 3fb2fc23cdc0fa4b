//! Organises a match, which is the task of the conformance kit: creates and watches it, reads its result and record.

use std::{error::Error, process::ExitCode, time::Duration};

use referee_client::{
    Options, RefereeError, ResultKind,
    organiser::{MatchTerms, Organiser, TimeControl},
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Err(error) = organise().await else {
        return ExitCode::SUCCESS;
    };
    match error.downcast_ref::<RefereeError>() {
        Some(rejection) => eprintln!("{}", rejection.reason),
        None => eprintln!("{error}"),
    }
    ExitCode::FAILURE
}

async fn organise() -> Result<(), Box<dyn Error>> {
    let organiser = Organiser::new(Options::from_environment()?)?;
    let terms = MatchTerms::new("alquerque")
        .clock(TimeControl::SuddenDeath(Duration::from_secs(60)))
        .title("conformance");
    let id = organiser.create_match(&terms, ["anna", "bert"]).await?.id;
    let mut entries = organiser.watch(&id, 0);
    while let Some(entry) = entries.next().await {
        println!("entry {}", entry?.number);
    }
    if let Some(result) = organiser.get_match(&id).await?.result {
        println!("result {}", kind(result.kind));
    }
    println!("record {}", organiser.record(&id).await?.lines().count());
    Ok(())
}

fn kind(kind: ResultKind) -> &'static str {
    match kind {
        ResultKind::Played => "played",
        ResultKind::Forfeited => "forfeited",
        _ => "voided",
    }
}
