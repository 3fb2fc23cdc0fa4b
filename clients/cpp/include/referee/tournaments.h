/// @file
/// Tournaments, for organisers and watchers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "referee/contests.h"
#include "referee/organiser.h"

namespace referee {

/// Every entrant plays every other entrant, once in each cycle.
struct RoundRobin {
    unsigned cycles = 1;
};
/// Entrants with equal points play each other, without rematches.
struct Swiss {
    unsigned rounds = 1;
};
/// A knock-out: losers drop out.
struct Elimination {
    /// Whether entrants drop out after two losses instead of one.
    bool double_elimination = false;
    unsigned matches_per_pairing = 1;
    /// Whether the losers of the semi-finals play for the third place.
    bool third_place_match = false;
};
/// Challengers, by name, play all other entrants, who do not play each other.
struct Gauntlet {
    std::vector<std::string> challengers;
    unsigned cycles = 1;
};
/// Several entrants play at each table, for games of more than two sides.
struct Pools {
    unsigned rounds = 1;
};
/// Two entrants play until a statistical test is decided: whether the first is better by `elo0` or
/// by `elo1`, which is greater.
struct Sprt {
    double elo0 = 0, elo1 = 0;
    /// The number of matches after which the test ends undecided. 0: unlimited.
    unsigned max_matches = 0;
};

/// How a tournament pairs its entrants.
using TournamentFormat = std::variant<RoundRobin, Swiss, Elimination, Gauntlet, Pools, Sprt>;

/// The terms of a new tournament.
struct TournamentTerms {
    /// The terms of its matches, whose title has no effect.
    MatchTerms match;
    TournamentFormat format;
    /// Empty: the name.
    std::string title;
    /// The ladder whose ratings seed the entrants and that rates the matches. Empty: none.
    std::string ladder;
    /// Whether an entrant has one bot for each seat of its side. Otherwise each seat is an entrant,
    /// and partners change.
    bool fixed_partners = false;
    /// The number of boards, from 2 to 8, if the entrants are teams with a bot for each board.
    unsigned boards = 0;
    /// Whether each pairing is a set of matches with the same start and seed and exchanged seats.
    bool duplicate_play = false;
    /// How many matches are in play at most. 0: as many as possible.
    unsigned max_concurrent_matches = 0;
    /// How long a pairing waits for an absent entrant. 0: for ever. Not set: the default of the
    /// server.
    std::optional<std::chrono::milliseconds> no_show;
};

/// What is known about a tournament.
struct Tournament {
    enum class Phase {
        /// It is open for entrants.
        entry,
        playing,
        /// It is finished, with a winner.
        finished,
        cancelled,
        /// A phase that is newer than this client.
        unknown
    };
    using Time = std::chrono::system_clock::time_point;

    std::string name, title;
    /// The name of the game.
    std::string game;
    /// The format in the words of the contract, such as "round_robin". Empty if it is newer than
    /// this client.
    std::string format;
    Phase phase = Phase::unknown;
    /// By seed once it has started, before that in the order of entry.
    std::vector<Entrant> entrants;
    /// The names of entrants that have withdrawn.
    std::vector<std::string> withdrawn;
    /// The number of the round, from 1. 0 before the start.
    unsigned current_round = 0;
    /// 0 if it is not known in advance.
    unsigned total_rounds = 0;
    unsigned completed_pairings = 0;
    /// 0 if it is not known in advance.
    unsigned total_pairings = 0;
    /// Not set before it has started or ended.
    std::optional<Time> start_time, end_time;

    bool operator==(const Tournament&) const = default;
};

/// A row of the standings of a tournament.
struct TournamentStanding {
    /// From 1. Entrants that no tie-break separates share a rank.
    unsigned rank = 0;
    /// The name of the entrant.
    std::string entrant;
    double points = 0;
    /// The name and the value of each tie-break, such as "buchholz", in order of precedence.
    std::vector<std::pair<std::string, double>> tie_breaks;
    /// The numbers of matches that it won, shared and did not win; how many of the latter it
    /// forfeited; and of its byes.
    unsigned wins = 0, draws = 0, losses = 0, forfeits = 0, byes = 0;

    bool operator==(const TournamentStanding&) const = default;
};

/// A numbered entry of the log of a tournament.
struct TournamentEntry {
    /// Counted from 1, without gaps.
    std::uint64_t number = 0;
    std::chrono::system_clock::time_point time;
    /// The event in the words of the contract, such as "round_started" or "ended". Empty if it is
    /// newer than this client.
    std::string kind;
    /// The name of the entrant that joined or left.
    std::optional<std::string> entrant;
    /// The number of the round that started.
    std::optional<unsigned> round;
    /// The pairings that are new, or in which something happened, as they are after it.
    std::vector<Pairing> pairings;
    /// The final standings, if the kind is "ended"; those before the round, if it is
    /// "round_started".
    std::vector<TournamentStanding> standings;
    /// The reason, for people. Can be empty.
    std::string message;

    bool operator==(const TournamentEntry&) const = default;
};

/// Which tournaments are listed.
struct TournamentFilter {
    /// Only those of this game, and of this bot. Empty: all.
    std::string game, bot;
    /// Only those in this phase.
    std::optional<Tournament::Phase> phase;
};

/// Which pairings are listed.
struct PairingFilter {
    /// Only those of this round, from 1. 0: all.
    unsigned round = 0;
    /// Only those of the entrant of this name. Empty: all.
    std::string entrant;
    /// Only those in this phase.
    std::optional<Pairing::Phase> phase;
};

enum class ExportFormat {
    /// The standings as comma-separated values with a header.
    csv,
    /// The whole tournament as a JSON object.
    json,
    /// FIDE's tournament report file.
    trf
};

/// The calls about tournaments, from Organiser::tournaments. Its methods are thread-safe, and throw
/// CallError.
class Tournaments {
  public:
    /// Creates a tournament. Its name has 1 to 40 lower-case letters, digits and hyphens, and
    /// begins with a letter.
    Tournament create(const std::string& name, const TournamentTerms& terms,
                      const std::vector<Entrant>& entrants = {}) const;

    /// Adds an entrant.
    Tournament enter(const std::string& name, const Entrant& entrant) const;

    /// Withdraws the entrant of this name. Before the start it is removed; later its results are
    /// kept, and it is not paired again.
    Tournament withdraw(const std::string& name, const std::string& entrant,
                        const std::string& why = "") const;

    Tournament start(const std::string& name) const;

    /// Cancels a tournament. Its matches in play become void.
    Tournament cancel(const std::string& name, const std::string& why = "") const;

    Tournament get(const std::string& name) const;

    /// Returns tournaments, the newest first.
    Items<Tournament> list(const TournamentFilter& filter = {}) const;

    /// Returns pairings by round and board.
    Items<Pairing> pairings(const std::string& name, const PairingFilter& filter = {}) const;

    /// Returns the standings after a round, the best first. 0: the current ones.
    std::vector<TournamentStanding> standings(const std::string& name,
                                              unsigned after_round = 0) const;

    /// Calls `on_entry` as Organiser::watch does.
    void watch(const std::string& name, const std::function<bool(const TournamentEntry&)>& on_entry,
               std::uint64_t after = 0, const std::stop_token& stop = {}) const;

    /// Returns a file about a tournament that has started. The method is not called `export`, which
    /// is a keyword.
    std::string export_as(const std::string& name, ExportFormat format) const;

    /// Returns the signed record of a tournament that is over, with which anyone can verify its
    /// pairings and standings.
    std::string record(const std::string& name) const;

  private:
    friend class Organiser;
    explicit Tournaments(std::shared_ptr<const Calls> calls) : calls_(std::move(calls)) {}

    std::shared_ptr<const Calls> calls_;
};

}  // namespace referee
