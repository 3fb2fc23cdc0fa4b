#include "referee/tournaments.h"

#include "calls.h"
#include "contest_conversion.h"
#include "contest_terms.h"

namespace referee {

using TournamentStub = api::TournamentService::Stub;

Tournament Tournaments::create(const std::string& name, const TournamentTerms& terms,
                               const std::vector<Entrant>& entrants) const {
    api::CreateTournamentRequest request;
    request.set_request_id(random_request_id());
    request.set_name(name);
    request.set_title(terms.title);
    *request.mutable_terms() = to_message(terms);
    for (const Entrant& entrant : entrants) *request.add_entrants() = to_message(entrant);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::CreateTournament, request)
            .tournament());
}

Tournament Tournaments::enter(const std::string& name, const Entrant& entrant) const {
    api::EnterTournamentRequest request;
    request.set_tournament(name);
    *request.mutable_entrant() = to_message(entrant);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::EnterTournament, request).tournament());
}

Tournament Tournaments::withdraw(const std::string& name, const std::string& entrant,
                                 const std::string& why) const {
    api::WithdrawEntrantRequest request;
    request.set_tournament(name);
    request.set_entrant(entrant);
    request.set_message(why);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::WithdrawEntrant, request).tournament());
}

Tournament Tournaments::start(const std::string& name) const {
    api::StartTournamentRequest request;
    request.set_name(name);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::StartTournament, request).tournament());
}

Tournament Tournaments::cancel(const std::string& name, const std::string& why) const {
    api::CancelTournamentRequest request;
    request.set_name(name);
    request.set_message(why);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::CancelTournament, request)
            .tournament());
}

Tournament Tournaments::get(const std::string& name) const {
    api::GetTournamentRequest request;
    request.set_name(name);
    return to_tournament(
        calls_->call(*calls_->tournaments, &TournamentStub::GetTournament, request).tournament());
}

Items<Tournament> Tournaments::list(const TournamentFilter& filter) const {
    api::ListTournamentsRequest request;
    request.set_game(filter.game);
    request.set_bot(filter.bot);
    if (filter.phase) request.set_phase(to_message(*filter.phase));
    const auto convert = [](const api::ListTournamentsResponse& page) {
        return to_values(page.tournaments(), to_tournament);
    };
    return Calls::pages<Tournament>(calls_, *calls_->tournaments, &TournamentStub::ListTournaments,
                                    request, convert);
}

Items<Pairing> Tournaments::pairings(const std::string& name, const PairingFilter& filter) const {
    api::ListPairingsRequest request;
    request.set_tournament(name);
    request.set_round(filter.round);
    request.set_entrant(filter.entrant);
    if (filter.phase) request.set_phase(to_message(*filter.phase));
    const auto convert = [](const api::ListPairingsResponse& page) {
        return to_values(page.pairings(), to_pairing);
    };
    return Calls::pages<Pairing>(calls_, *calls_->tournaments, &TournamentStub::ListPairings,
                                 request, convert);
}

std::vector<TournamentStanding> Tournaments::standings(const std::string& name,
                                                       unsigned after_round) const {
    api::GetTournamentStandingsRequest request;
    request.set_tournament(name);
    request.set_after_round(after_round);
    const auto response =
        calls_->call(*calls_->tournaments, &TournamentStub::GetTournamentStandings, request);
    return to_values(response.standings(), to_tournament_standing);
}

void Tournaments::watch(const std::string& name,
                        const std::function<bool(const TournamentEntry&)>& on_entry,
                        std::uint64_t after, const std::stop_token& stop) const {
    api::WatchTournamentRequest request;
    request.set_tournament(name);
    const auto handle = [&](const api::TournamentEntry& entry) {
        return on_entry(to_entry(entry));
    };
    calls_->watch(*calls_->tournaments, &TournamentStub::WatchTournament, request, after, handle,
                  stop);
}

std::string Tournaments::export_as(const std::string& name, ExportFormat format) const {
    api::ExportTournamentRequest request;
    request.set_tournament(name);
    request.set_format(to_message(format));
    return calls_->text(*calls_->tournaments, &TournamentStub::ExportTournament, request);
}

std::string Tournaments::record(const std::string& name) const {
    api::GetTournamentRecordRequest request;
    request.set_tournament(name);
    return calls_->text(*calls_->tournaments, &TournamentStub::GetTournamentRecord, request);
}

}  // namespace referee
