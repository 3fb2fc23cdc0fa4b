#include "contest_conversion.h"

#include "conversion.h"

namespace referee {

namespace {

using SystemTime = std::chrono::system_clock::time_point;

SystemTime to_time(const google::protobuf::Timestamp& message) {
    const auto since_epoch =
        std::chrono::seconds(message.seconds()) + std::chrono::nanoseconds(message.nanos());
    return SystemTime(std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

// Returns the name of the field that is set, or an empty text.
std::string name_of(const google::protobuf::Message& message, const std::string& oneof) {
    const auto* field = message.GetReflection()->GetOneofFieldDescriptor(
        message, message.GetDescriptor()->FindOneofByName(oneof));
    return field ? field->name() : "";
}

Tournament::Phase to_phase(api::TournamentPhase phase) {
    switch (phase) {
        case api::TOURNAMENT_PHASE_ENTRY:
            return Tournament::Phase::entry;
        case api::TOURNAMENT_PHASE_PLAYING:
            return Tournament::Phase::playing;
        case api::TOURNAMENT_PHASE_FINISHED:
            return Tournament::Phase::finished;
        case api::TOURNAMENT_PHASE_CANCELLED:
            return Tournament::Phase::cancelled;
        default:
            return Tournament::Phase::unknown;
    }
}

Pairing::Phase to_phase(api::PairingPhase phase) {
    switch (phase) {
        case api::PAIRING_PHASE_PLANNED:
            return Pairing::Phase::planned;
        case api::PAIRING_PHASE_PLAYING:
            return Pairing::Phase::playing;
        case api::PAIRING_PHASE_DONE:
            return Pairing::Phase::done;
        default:
            return Pairing::Phase::unknown;
    }
}

Rating to_rating(const api::Rating& message) {
    return {message.value(), message.deviation(), message.matches(), message.provisional()};
}

RatingChange to_rating_change(const api::RatingChange& message) {
    return {message.seat(), message.bot(), message.version(), to_rating(message.before()),
            to_rating(message.after())};
}

// Sets what entries about pairings have.
template <typename Event>
void fill_pairing(TournamentEntry& entry, const Event& event) {
    entry.pairings = {to_pairing(event.pairing())};
    if constexpr (requires { event.message(); }) entry.message = event.message();
}

void fill_event(TournamentEntry& entry, const api::TournamentEntry& message) {
    switch (message.event_case()) {
        case api::TournamentEntry::kEntrantJoined:
            entry.entrant = message.entrant_joined().entrant().name();
            return;
        case api::TournamentEntry::kEntrantLeft:
            entry.entrant = message.entrant_left().entrant();
            entry.message = message.entrant_left().message();
            return;
        case api::TournamentEntry::kPairingsPlanned:
            entry.pairings = to_values(message.pairings_planned().pairings(), to_pairing);
            return;
        case api::TournamentEntry::kPairingsReplaced:
            entry.pairings = to_values(message.pairings_replaced().pairings(), to_pairing);
            entry.message = message.pairings_replaced().message();
            return;
        case api::TournamentEntry::kRoundStarted:
            entry.round = message.round_started().round();
            entry.pairings = to_values(message.round_started().pairings(), to_pairing);
            entry.standings =
                to_values(message.round_started().standings(), to_tournament_standing);
            return;
        case api::TournamentEntry::kPairing:
            entry.pairings = {to_pairing(message.pairing())};
            return;
        case api::TournamentEntry::kEntrantsAbsent:
            return fill_pairing(entry, message.entrants_absent());
        case api::TournamentEntry::kPairingPostponed:
            return fill_pairing(entry, message.pairing_postponed());
        case api::TournamentEntry::kPairingReopened:
            return fill_pairing(entry, message.pairing_reopened());
        case api::TournamentEntry::kScoreCorrected:
            entry.pairings = {to_pairing(message.score_corrected().pairing())};
            entry.message = message.score_corrected().correction().message();
            return;
        case api::TournamentEntry::kEnded:
            entry.standings = to_values(message.ended().standings(), to_tournament_standing);
            entry.message = message.ended().message();
            return;
        default:
            return;
    }
}

void fill_event(LadderEntry& entry, const api::LadderEntry& message) {
    switch (message.event_case()) {
        case api::LadderEntry::kEntrantJoined:
            entry.entrant = message.entrant_joined().entrant().name();
            return;
        case api::LadderEntry::kEntrantLeft:
            entry.entrant = message.entrant_left().entrant();
            entry.message = message.entrant_left().message();
            return;
        case api::LadderEntry::kPairing:
            entry.pairing = to_pairing(message.pairing());
            return;
        case api::LadderEntry::kMatchRated:
            entry.match_id = message.match_rated().match_id();
            entry.ratings = to_values(message.match_rated().ratings(), to_rating_change);
            return;
        case api::LadderEntry::kMatchCorrected:
            entry.match_id = message.match_corrected().match_id();
            entry.message = message.match_corrected().message();
            return;
        case api::LadderEntry::kPaused:
            entry.message = message.paused().message();
            return;
        case api::LadderEntry::kClosing:
            entry.message = message.closing().message();
            return;
        case api::LadderEntry::kClosed:
            entry.message = message.closed().message();
            return;
        default:
            return;
    }
}

}  // namespace

Entry to_entry(const api::Entry& message) {
    Entry entry;
    entry.number = message.number();
    entry.time = to_time(message.create_time());
    entry.kind = name_of(message, "event");
    if (message.has_move_played()) {
        const api::SeatMove& played = message.move_played().played();
        entry.move = PlayedMove{played.seat(), played.move()};
    }
    if (message.has_play_ended()) entry.result = to_result(message.play_ended().result());
    return entry;
}

Entrant to_entrant(const api::Entrant& message) {
    Entrant entrant{message.name(), {}};
    for (const api::BotRef& bot : message.bots()) {
        entrant.bots.push_back(bot.version().empty() ? bot.bot() : bot.bot() + "/" + bot.version());
    }
    return entrant;
}

Pairing to_pairing(const api::Pairing& message) {
    Pairing pairing;
    pairing.id = message.id();
    pairing.round = message.round();
    pairing.board = message.board();
    pairing.entrants.assign(message.entrants().begin(), message.entrants().end());
    pairing.phase = to_phase(message.phase());
    pairing.match_ids.assign(message.match_ids().begin(), message.match_ids().end());
    pairing.points.assign(message.points().begin(), message.points().end());
    pairing.absent.assign(message.absent_entrants().begin(), message.absent_entrants().end());
    return pairing;
}

Tournament to_tournament(const api::Tournament& message) {
    Tournament tournament;
    tournament.name = message.name();
    tournament.title = message.title();
    tournament.game = message.terms().match_terms().rules().game();
    tournament.format = name_of(message.terms(), "format");
    tournament.phase = to_phase(message.phase());
    tournament.entrants = to_values(message.entrants(), to_entrant);
    tournament.withdrawn.assign(message.withdrawn_entrants().begin(),
                                message.withdrawn_entrants().end());
    tournament.current_round = message.current_round();
    tournament.total_rounds = message.total_rounds();
    tournament.completed_pairings = message.completed_pairings();
    tournament.total_pairings = message.total_pairings();
    if (message.has_start_time()) tournament.start_time = to_time(message.start_time());
    if (message.has_end_time()) tournament.end_time = to_time(message.end_time());
    return tournament;
}

TournamentStanding to_tournament_standing(const api::TournamentStanding& message) {
    TournamentStanding standing;
    standing.rank = message.rank();
    standing.entrant = message.entrant();
    standing.points = message.points();
    for (const api::TieBreakValue& tie_break : message.tie_breaks()) {
        standing.tie_breaks.emplace_back(
            word_of(api::TieBreak_Name(tie_break.tie_break()), "TIE_BREAK_"), tie_break.value());
    }
    standing.wins = message.wins();
    standing.draws = message.draws();
    standing.losses = message.losses();
    standing.forfeits = message.forfeits();
    standing.byes = message.byes();
    return standing;
}

TournamentEntry to_entry(const api::TournamentEntry& message) {
    TournamentEntry entry;
    entry.number = message.number();
    entry.time = to_time(message.create_time());
    entry.kind = name_of(message, "event");
    fill_event(entry, message);
    return entry;
}

Ladder to_ladder(const api::Ladder& message) {
    Ladder ladder;
    ladder.name = message.name();
    ladder.title = message.title();
    for (const api::MatchTerms& terms : message.terms().match_terms()) {
        ladder.games.push_back(terms.rules().game());
    }
    ladder.closed = message.closed();
    ladder.paused = message.paused();
    ladder.season = message.season();
    ladder.entrant_count = message.entrant_count();
    return ladder;
}

LadderStanding to_ladder_standing(const api::LadderStanding& message) {
    LadderStanding standing;
    standing.rank = message.rank();
    standing.entrant = to_entrant(message.entrant());
    standing.version = message.version();
    standing.rating = to_rating(message.rating());
    standing.lower_bound = message.lower_bound();
    standing.wins = message.wins();
    standing.draws = message.draws();
    standing.losses = message.losses();
    standing.forfeits = message.forfeits();
    standing.idle = message.idle();
    return standing;
}

LadderEntry to_entry(const api::LadderEntry& message) {
    LadderEntry entry;
    entry.number = message.number();
    entry.time = to_time(message.create_time());
    entry.kind = name_of(message, "event");
    fill_event(entry, message);
    return entry;
}

}  // namespace referee
