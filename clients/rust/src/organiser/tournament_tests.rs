//! Conversions of tournaments and of the entries of their logs.

use std::time::Duration;

use super::*;
use crate::organiser::{
    PairingPhase, TournamentEntry, TournamentEvent,
    api::{PairingReopened, TieBreak, TieBreakValue, TournamentEnded, tournament_entry::Event},
};

#[test]
fn each_format_is_read_as_it_was_sent() {
    let challengers = vec!["anna".to_owned()];
    for format in [
        Format::RoundRobin { cycles: 2 },
        Format::Swiss { rounds: 5 },
        Format::Elimination { double: true },
        Format::Gauntlet { challengers, cycles: 3 },
        Format::Pools { rounds: 4 },
        Format::Sprt {
            elo0: -1.0,
            elo1: 2.5,
            max_matches: 400,
        },
    ] {
        assert_eq!(Format::from(format.message()), format);
    }
}

#[test]
fn a_tournament_has_no_time_of_an_end_before_it_is_over() {
    let tournament = Tournament::from(api::Tournament {
        start_time: Some(prost_types::Timestamp { seconds: 90, nanos: 0 }),
        phase: api::TournamentPhase::Playing.into(),
        ..api::Tournament::default()
    });
    assert_eq!(tournament.phase, TournamentPhase::Playing);
    assert_eq!(
        tournament.started,
        Some(SystemTime::UNIX_EPOCH + Duration::from_secs(90))
    );
    assert_eq!(tournament.ended, None);
}

fn entry(event: Option<Event>) -> TournamentEntry {
    TournamentEntry::from(api::TournamentEntry {
        number: 7,
        create_time: None,
        event,
    })
}

#[test]
fn entries_say_which_pairing_has_changed_and_how_the_tournament_ended() {
    let mut pairing = api::Pairing::default();
    pairing.set_phase(api::PairingPhase::Planned);
    let reopened = entry(Some(Event::PairingReopened(PairingReopened {
        pairing: Some(pairing),
        ..PairingReopened::default()
    })));
    assert_eq!((reopened.number, reopened.kind), (7, "pairing_reopened"));
    assert!(
        matches!(reopened.event, TournamentEvent::PairingChanged(pairing) if pairing.phase == PairingPhase::Planned)
    );

    let tie_breaks = [(TieBreak::BuchholzCut1.into(), 3.5), (99, 1.0)];
    let standings = vec![api::TournamentStanding {
        tie_breaks: tie_breaks
            .map(|(tie_break, value)| TieBreakValue { tie_break, value })
            .into(),
        ..api::TournamentStanding::default()
    }];
    let ended = entry(Some(Event::Ended(TournamentEnded {
        phase: api::TournamentPhase::Cancelled.into(),
        standings,
        ..TournamentEnded::default()
    })));
    let TournamentEvent::Ended { phase, standings } = ended.event else {
        panic!("{ended:?}");
    };
    assert_eq!(phase, TournamentPhase::Cancelled);
    let expected = [("buchholz_cut_1".to_owned(), 3.5), ("99".to_owned(), 1.0)];
    assert_eq!(standings[0].tie_breaks, expected);
}

#[test]
fn an_entry_that_is_newer_than_this_client_has_no_kind() {
    let newer = entry(None);
    assert_eq!((newer.kind, newer.event), ("", TournamentEvent::Other));
}
