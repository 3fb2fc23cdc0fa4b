//! The program registers two bots, lets them play a match, a tournament and a ladder, watches these, and prints what it
//! has seen as lines.

use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use referee_client::{
    CancellationToken, Options, ResultKind, Turn,
    organiser::{
        Event, ExportFormat, Format, LadderEvent, LadderFilter, MatchTerms, NewLadder, NewTournament, Organiser,
        PairingFilter, PairingPhase, TimeControl, TournamentEvent, TournamentFilter, TournamentPhase, contract,
    },
    play,
};

fn first(turn: &Turn) -> String {
    turn.legal_moves[0].clone()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let options = Options::from_environment()?;
    let organiser = Organiser::new(options.clone())?;
    let stop = CancellationToken::new();
    let mut bots = Vec::new();
    for name in ["crab", "ferris"] {
        let token = organiser.register_bot(name, "plays whatever comes first").await?;
        let options = options.clone().token(token).cancellation(stop.clone());
        bots.push(tokio::spawn(play(first, options)));
    }
    if let Err(refused) = organiser.register_bot("ferris", "again").await {
        println!("error {}", refused.reason);
    }
    // Spawned, since the futures of the client have to be Send.
    tokio::spawn(async move {
        play_match(&organiser).await?;
        play_tournament(&organiser).await?;
        play_ladder(&organiser).await
    })
    .await??;
    stop.cancel();
    for bot in bots {
        bot.await??;
    }
    println!("stopped");
    Ok(())
}

fn terms() -> MatchTerms {
    let clock = TimeControl::Fischer {
        main: Duration::from_secs(3600),
        increment: Duration::from_secs(1),
    };
    MatchTerms::new("alquerque").clock(clock)
}

async fn play_match(organiser: &Organiser) -> Result<(), Box<dyn Error + Send + Sync>> {
    let terms = terms().start_timeout(Duration::from_secs(600)).title("test");
    let created = organiser.create_match(&terms, ["ferris", "crab"]).await?;
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

async fn play_tournament(organiser: &Organiser) -> Result<(), Box<dyn Error + Send + Sync>> {
    let cup = NewTournament::new("cup", terms(), Format::RoundRobin { cycles: 2 })
        .title("The cup")
        .entrants(["crab"]);
    let created = organiser.create_tournament(&cup).await?;
    println!(
        "tournament {} {} {:?} {:?}",
        created.title, created.game, created.format, created.phase
    );
    organiser.enter_tournament("cup", "ferris").await?;
    organiser.withdraw_entrant("cup", "crab", "").await?;
    let entered = organiser.enter_tournament("cup", "crab").await?;
    let names: Vec<&str> = entered.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    println!("entrants {}", names.join(" "));
    println!("started {}", organiser.start_tournament("cup").await?.started.is_some());
    let mut entries = organiser.watch_tournament("cup", 0);
    let (mut next, mut done, mut winner) = (1, 0, String::new());
    while let Some(entry) = entries.next().await {
        let entry = entry?;
        assert_eq!(entry.number, next);
        next += 1;
        match entry.event {
            TournamentEvent::PairingChanged(pairing) if pairing.phase == PairingPhase::Done => done += 1,
            TournamentEvent::Ended { phase, standings, .. } => {
                assert_eq!((entry.kind, phase), ("ended", TournamentPhase::Finished));
                winner.clone_from(&standings[0].entrant);
            }
            _ => {}
        }
    }
    let standings = organiser.tournament_standings("cup").await?;
    let points: f64 = standings.iter().map(|row| row.points).sum();
    println!(
        "pairings {done}, points {points}, winner {}",
        winner == standings[0].entrant
    );
    let mut pairings = organiser.pairings("cup", PairingFilter::default().entrant("crab"));
    let mut matches = 0;
    while let Some(pairing) = pairings.next().await {
        matches += pairing?.match_ids.len();
    }
    println!("matches {matches}");
    let table = organiser.export_tournament("cup", ExportFormat::Csv).await?;
    let record = organiser.tournament_record("cup").await?;
    println!(
        "export {}, record {}",
        table.lines().count(),
        record.lines().count() >= next as usize - 1
    );
    let filter = TournamentFilter::default()
        .game("alquerque")
        .phase(TournamentPhase::Finished);
    let newest = organiser.tournaments(filter).next().await;
    println!("listed {}", newest == Some(Ok(organiser.get_tournament("cup").await?)));
    if let Err(refused) = organiser.cancel_tournament("cup", "").await {
        println!("error {}", refused.reason);
    }
    correct_tournament(organiser).await?;
    plan_tournament(organiser).await
}

/// Uses calls that the organiser has no shorter methods for.
async fn correct_tournament(organiser: &Organiser) -> Result<(), Box<dyn Error + Send + Sync>> {
    let calls = organiser.contract();
    let table = contract::GetCrossTableRequest {
        tournament: "cup".into(),
        ..Default::default()
    };
    let rows = calls.get_cross_table(table).await?.rows;
    let match_ids = &rows[0].cells[0].match_ids;
    println!("cross table {} {}", rows.len(), match_ids.len());
    let correction = contract::CorrectTournamentMatchRequest {
        tournament: "cup".into(),
        match_id: match_ids[0].clone(),
        kind: contract::CorrectionKind::Struck,
        message: "it was played by hand".into(),
        ..Default::default()
    };
    let corrected = calls
        .correct_tournament_match(correction)
        .await?
        .pairing
        .unwrap_or_default();
    let correction = &corrected.corrections[0];
    let is_same = correction.match_id == match_ids[0];
    println!("corrected {is_same} {:?} {}", correction.kind, correction.message);
    let mut items = calls.watch_tournament(contract::WatchTournamentRequest {
        tournament: "cup".into(),
        ..Default::default()
    });
    while let Some(item) = items.next().await {
        if let Some(contract::WatchTournamentItemKind::Snapshot(snapshot)) = item?.item {
            let phase = snapshot.tournament.unwrap_or_default().phase;
            println!("snapshot {phase:?} {}", snapshot.standings.len());
        }
    }
    Ok(())
}

async fn plan_tournament(organiser: &Organiser) -> Result<(), Box<dyn Error + Send + Sync>> {
    let clock = contract::ClockRule {
        kind: Some(contract::ClockRuleKind::Fischer(contract::Fischer {
            main_ms: 60_000,
            ..Default::default()
        })),
    };
    let match_terms = contract::MatchTerms {
        rules: Some(contract::Rules {
            game: "alquerque".into(),
            ..Default::default()
        }),
        time_control: Some(contract::TimeControl {
            rule: Some(clock),
            ..Default::default()
        }),
        ..Default::default()
    };
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let swiss = contract::Swiss {
        rounds: 3,
        ..Default::default()
    };
    let terms = contract::TournamentTerms {
        match_terms: Some(match_terms),
        format: Some(contract::TournamentTermsFormat::Swiss(swiss)),
        tie_breaks: vec![contract::TieBreak::MedianBuchholz, contract::TieBreak::Wins],
        seeding: contract::Seeding::Random,
        starts_at: Some(tomorrow),
        ..Default::default()
    };
    let request = contract::CreateTournamentRequest {
        name: "league".into(),
        terms: Some(terms),
        ..Default::default()
    };
    let planned = organiser.contract().create_tournament(request).await?.tournament;
    let terms = planned.unwrap_or_default().terms.unwrap_or_default();
    let is_tomorrow = terms.starts_at.is_some_and(|time| time > SystemTime::now());
    println!("league {:?} {:?} {is_tomorrow}", terms.tie_breaks, terms.seeding);
    Ok(())
}

async fn play_ladder(organiser: &Organiser) -> Result<(), Box<dyn Error + Send + Sync>> {
    let created = organiser
        .create_ladder(&NewLadder::new("daily", [terms()]).title("The ladder"))
        .await?;
    println!("ladder {} {}", created.title, created.games.join(" "));
    println!(
        "paused {}",
        organiser.pause_ladder("daily", "until all are here").await?.paused
    );
    for name in ["crab", "ferris"] {
        println!("joined {}", organiser.join_ladder("daily", name).await?.entrant.name);
    }
    organiser.leave_ladder("daily", "crab").await?;
    println!("entrants {}", organiser.get_ladder("daily").await?.entrant_count);
    organiser.join_ladder("daily", "crab").await?;
    let season = contract::StartSeasonRequest {
        ladder: "daily".into(),
        ..Default::default()
    };
    let ladder = organiser.contract().start_season(season).await?.ladder;
    println!("season {}", ladder.unwrap_or_default().season);
    let challenge = organiser.challenge("daily", ["ferris", "crab"]).await?;
    println!("resumed {}", !organiser.resume_ladder("daily").await?.paused);
    let mut entries = organiser.watch_ladder("daily", 0);
    let (mut next, mut rated) = (1, 0);
    while let Some(entry) = entries.next().await {
        let entry = entry?;
        assert_eq!(entry.number, next);
        next += 1;
        match entry.event {
            LadderEvent::MatchRated { ratings, .. } => {
                rated += 1;
                assert!(
                    ratings
                        .iter()
                        .all(|change| change.after.matches == change.before.matches + 1)
                );
            }
            LadderEvent::PairingChanged(pairing)
                if pairing.id == challenge.id && pairing.phase == PairingPhase::Done =>
            {
                println!("closed {}", organiser.close_ladder("daily", "").await?.closed);
            }
            _ => {}
        }
    }
    println!("rated {}", rated > 0);
    let mut standings = organiser.ladder_standings("daily");
    while let Some(row) = standings.next().await {
        let row = row?;
        println!("standing {}", row.rating.matches == rated);
    }
    println!(
        "record {}",
        organiser.ladder_record("daily").await?.lines().count() >= next as usize - 1
    );
    let mut ladders = organiser.ladders(LadderFilter::default().bot("crab").include_closed());
    while let Some(listed) = ladders.next().await {
        println!("listed {}", listed? == organiser.get_ladder("daily").await?);
    }
    if let Err(refused) = organiser.join_ladder("daily", "crab").await {
        println!("error {} {}", refused.reason, refused.metadata["ladder"]);
    }
    Ok(())
}
