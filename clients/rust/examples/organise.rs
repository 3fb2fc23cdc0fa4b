//! Organises a match, which is the task of the conformance kit: creates and watches it, reads its result and record.

use std::{error::Error, process::ExitCode};

use referee_client::{
    Options, RefereeError,
    organiser::{
        Organiser, StreamExt,
        api::{
            BotRef, ClockRule, CreateMatchRequest, GetMatchRequest, GetRecordRequest, MatchTerms, Rules, SuddenDeath,
            TimeControl, WatchMatchRequest, clock_rule, match_service_client::MatchServiceClient, result::Kind,
            watch_match_item::Item,
        },
        request_id,
    },
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
    let channel = organiser.channel();
    let matches = move || MatchServiceClient::new(channel.clone());
    let creating = organiser.call(new_match(), |request| {
        let mut matches = matches();
        async move { matches.create_match(request).await }
    });
    let match_id = creating.await?.r#match.unwrap_or_default().id;

    let (stub, id) = (matches.clone(), match_id.clone());
    let mut items = organiser.watch(Some(0), move |after_number| {
        let (mut matches, match_id) = (stub(), id.clone());
        let request = WatchMatchRequest {
            match_id,
            after_number,
            ..Default::default()
        };
        async move { matches.watch_match(request).await }
    });
    while let Some(item) = items.next().await {
        if let Some(Item::Entry(entry)) = item?.item {
            println!("entry {}", entry.number);
        }
    }

    let request = GetMatchRequest {
        match_id: match_id.clone(),
        ..Default::default()
    };
    let getting = organiser.call(request, |request| {
        let mut matches = matches();
        async move { matches.get_match(request).await }
    });
    let result = getting.await?.r#match.and_then(|found| found.result);
    if let Some(kind) = result.and_then(|result| result.kind) {
        println!("result {}", word(&kind));
    }

    let reading = organiser.read_all(GetRecordRequest { match_id }, |request| {
        let mut matches = matches();
        async move { matches.get_record(request).await }
    });
    let record = reading.await?;
    println!("record {}", record.iter().map(|part| part.lines.len()).sum::<usize>());
    Ok(())
}

fn new_match() -> CreateMatchRequest {
    let rules = Rules {
        game: "alquerque".into(),
        ..Default::default()
    };
    let clock = clock_rule::Kind::SuddenDeath(SuddenDeath { main_ms: 60_000 });
    let time_control = TimeControl {
        rule: Some(ClockRule { kind: Some(clock) }),
        ..Default::default()
    };
    let seat = |bot: &str| BotRef {
        bot: bot.into(),
        ..Default::default()
    };
    CreateMatchRequest {
        request_id: request_id(),
        title: "conformance".into(),
        seats: ["anna", "bert"].map(seat).into(),
        terms: Some(MatchTerms {
            rules: Some(rules),
            time_control: Some(time_control),
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn word(kind: &Kind) -> &'static str {
    match kind {
        Kind::Played(_) => "played",
        Kind::Forfeited(_) => "forfeited",
        Kind::Voided(_) => "voided",
    }
}
