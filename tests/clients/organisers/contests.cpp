// Lets two bots play a tournament and a ladder, watches both, and prints what it has seen as lines.
#include <algorithm>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "referee/ladders.h"
#include "referee/play.h"
#include "referee/tournaments.h"

using namespace std::chrono_literals;
using referee::Entrant;

referee::MatchTerms match_terms() {
    referee::MatchTerms terms;
    terms.game = "alquerque";
    terms.clock = referee::TimeControl::fischer(1h, 1s);
    return terms;
}

template <typename Call>
void print_error(Call call) {
    try {
        call();
    } catch (const referee::CallError& error) {
        std::cout << "error " << error.reason();
        for (const auto& [name, value] : error.metadata()) std::cout << " " << name << "=" << value;
        std::cout << "\n";
    }
}

template <typename Entry>
bool are_numbered(const std::vector<Entry>& entries) {
    std::uint64_t last = 0;
    return std::all_of(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.number == ++last; });
}

std::ptrdiff_t count_lines(const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
}

void run_tournament(referee::Organiser& organiser) {
    const referee::Tournaments tournaments = organiser.tournaments();
    referee::TournamentTerms terms;
    terms.match = match_terms();
    terms.format = referee::RoundRobin{2};
    terms.title = "The cup";
    terms.max_concurrent_matches = 1;
    const referee::Tournament created = tournaments.create("cup", terms, {Entrant::bot("anna")});
    std::cout << "created " << created.title << " " << created.format << " " << created.entrants[0].name << " "
              << (created.phase == referee::Tournament::Phase::entry) << "\n";
    print_error([&] { tournaments.enter("cup", Entrant::bot("carl")); });
    tournaments.enter("cup", Entrant::team("guest", {"bert"}));
    const std::size_t before = tournaments.withdraw("cup", "guest", "not yet").entrants.size();
    std::cout << "entrants " << before << " " << tournaments.enter("cup", Entrant::bot("bert")).entrants.size() << "\n";
    std::cout << "started " << tournaments.start("cup").start_time.has_value() << "\n";
    std::vector<referee::TournamentEntry> entries, later;
    const auto append_to = [](auto& list) {
        return [&list](const auto& entry) {
            list.push_back(entry);
            return true;
        };
    };
    tournaments.watch("cup", append_to(entries));
    const referee::TournamentEntry& last = entries.back();
    std::cout << "watched " << are_numbered(entries) << " " << entries[0].kind << " " << last.kind << "\n";
    tournaments.watch("cup", append_to(later), last.number - 1);
    std::cout << "later " << (later == std::vector{last}) << "\n";
    const auto standings = tournaments.standings("cup");
    std::cout << "standings " << standings[0].points + standings[1].points << " " << (standings == last.standings)
              << "\n";
    std::cout << "first round " << tournaments.standings("cup", 1).size() << "\n";
    std::string match_id;
    for (const referee::Pairing& pairing : tournaments.pairings("cup")) {
        std::cout << "pairing " << pairing.round << " " << (pairing.phase == referee::Pairing::Phase::done) << "\n";
        match_id = pairing.match_ids.at(0);
    }
    std::cout << "played " << organiser.match(match_id).tournament << "\n";
    referee::TournamentFilter filter{"alquerque", "bert", referee::Tournament::Phase::finished};
    for (const referee::Tournament& listed : tournaments.list(filter)) std::cout << "listed " << listed.name << "\n";
    std::cout << "export " << count_lines(tournaments.export_as("cup", referee::ExportFormat::csv)) << "\n";
    std::cout << "record " << (count_lines(tournaments.record("cup")) >= std::ptrdiff_t(entries.size())) << "\n";
    tournaments.create("rain", terms);
    std::cout << "cancelled "
              << (tournaments.cancel("rain", "rain").phase == referee::Tournament::Phase::cancelled) << "\n";
    std::cout << "ended " << tournaments.get("rain").end_time.has_value() << "\n";
}

void run_ladder(const referee::Ladders& ladders) {
    referee::LadderTerms terms;
    terms.matches = {match_terms()};
    terms.title = "Main";
    terms.max_concurrent_matches = 1;
    ladders.create("main", terms);
    std::cout << "paused " << ladders.pause("main", "until all are here").paused << "\n";
    for (const char* bot : {"anna", "bert"}) {
        std::cout << "joined " << ladders.join("main", Entrant::bot(bot)).entrant.name << "\n";
    }
    const referee::Pairing challenge = ladders.challenge("main", {"anna", "bert"});
    std::cout << "resumed " << !ladders.resume("main").paused << "\n";
    ladders.watch("main", [](const referee::LadderEntry& entry) {
        if (entry.kind != "match_rated") return true;
        for (const referee::RatingChange& change : entry.ratings) std::cout << "rated " << change.after.matches << "\n";
        return false;
    });
    print_error([&] { ladders.record("main"); });
    ladders.leave("main", "bert");
    for (const referee::Ladder& open : ladders.list({"", "anna"})) std::cout << "open " << open.name << "\n";
    std::cout << "closed " << ladders.close("main", "thanks").closed << "\n";
    std::vector<referee::LadderEntry> entries;
    bool was_challenged = false;
    ladders.watch("main", [&](const referee::LadderEntry& entry) {
        entries.push_back(entry);
        was_challenged |= entry.pairing && entry.pairing->id == challenge.id;
        return true;
    });
    std::cout << "watched " << are_numbered(entries) << " " << entries.back().kind << " " << was_challenged << "\n";
    for (const referee::LadderStanding& row : ladders.standings("main")) {
        std::cout << "standing " << row.rank << " " << row.entrant.name << "\n";
    }
    std::cout << "record " << (count_lines(ladders.record("main")) >= std::ptrdiff_t(entries.size())) << "\n";
    for (const referee::Ladder& listed : ladders.list({"", "", true})) {
        std::cout << "listed " << listed.name << " " << listed.games.at(0) << "\n";
    }
    std::cout << "get " << ladders.get("main").title << "\n";
}

int main() {
    std::cout << std::boolalpha;
    referee::Options options;
    options.read_environment();
    referee::Organiser organiser(options);
    std::vector<std::jthread> bots;
    for (const char* name : {"anna", "bert"}) {
        options.token = organiser.register_bot(name);
        bots.emplace_back([options](const std::stop_token& stop) {
            referee::play([](const referee::Turn& turn) { return turn.legal_moves.at(0); }, options, stop);
        });
    }
    run_tournament(organiser);
    run_ladder(organiser.ladders());
    bots.clear();
    std::cout << "stopped\n";
}
