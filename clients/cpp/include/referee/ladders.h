/// @file
/// Ladders, for organisers and watchers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "referee/contests.h"
#include "referee/organiser.h"

namespace referee {

/// The terms of a new ladder. Numbers that are 0 stand for the default of the server.
struct LadderTerms {
    /// The terms of its matches, used in turn if there are several. Their titles have no effect.
    std::vector<MatchTerms> matches;
    /// Empty: the name.
    std::string title;
    /// Whether an entrant has one bot for each seat of its side. Otherwise each seat is an entrant,
    /// and partners change.
    bool fixed_partners = false;
    /// Whether each pairing is a set of matches with the same start and seed and exchanged seats.
    bool duplicate_play = false;
    /// How many matches are in play at most, and how many start in an hour at most. 0: as many as
    /// possible.
    unsigned max_concurrent_matches = 0, max_matches_per_hour = 0;
    /// How many other opponents come before a rematch.
    unsigned rematch_after = 0;
    /// For how many matches a rating is provisional.
    unsigned provisional_matches = 0;
    /// After how many faults in succession a bot is paused.
    unsigned pause_after_faults = 0;
};

/// What is known about a ladder.
struct Ladder {
    std::string name, title;
    /// The name of the game of each of its terms.
    std::vector<std::string> games;
    /// Whether it starts no more matches, or none until it is resumed.
    bool closed = false, paused = false;
    /// The number of the season, from 1.
    unsigned season = 0;
    /// The number of entrants.
    unsigned entrant_count = 0;

    bool operator==(const Ladder&) const = default;
};

/// The estimated strength of a version of a bot.
struct Rating {
    /// Higher is better.
    double value = 0;
    /// The standard deviation.
    double deviation = 0;
    /// The number of rated matches.
    unsigned matches = 0;
    /// Whether there are too few matches to be ranked by it.
    bool provisional = false;

    bool operator==(const Rating&) const = default;
};

/// The effect of a match on a rating.
struct RatingChange {
    unsigned seat = 0;
    std::string bot, version;
    Rating before, after;

    bool operator==(const RatingChange&) const = default;
};

/// A row of the standings of a ladder.
struct LadderStanding {
    /// From 1, by `lower_bound`. Entrants with provisional ratings rank after all others.
    unsigned rank = 0;
    Entrant entrant;
    /// The version that the rating is for. Empty for partners.
    std::string version;
    Rating rating;
    /// The value of the rating less two deviations.
    double lower_bound = 0;
    /// The numbers of matches of this season that it won, shared and did not win, and how many of
    /// the latter it forfeited.
    unsigned wins = 0, draws = 0, losses = 0, forfeits = 0;
    /// Whether it gets no matches because one of its bots is paused or offline.
    bool idle = false;

    bool operator==(const LadderStanding&) const = default;
};

/// A numbered entry of the log of a ladder.
struct LadderEntry {
    /// Counted from 1, without gaps.
    std::uint64_t number = 0;
    std::chrono::system_clock::time_point time;
    /// The event in the words of the contract, such as "match_rated" or "closed". Empty if it is
    /// newer than this client.
    std::string kind;
    /// The name of the entrant that joined or left.
    std::optional<std::string> entrant;
    /// The pairing that is new, or in which something happened, as it is after it.
    std::optional<Pairing> pairing;
    /// The id of the match that was rated or corrected.
    std::optional<std::string> match_id;
    /// What the match that was rated did to the rating of each seat.
    std::vector<RatingChange> ratings;
    /// The reason, for people. Can be empty.
    std::string message;

    bool operator==(const LadderEntry&) const = default;
};

/// Which ladders are listed.
struct LadderFilter {
    /// Only those of this game, and those that this bot has joined. Empty: all.
    std::string game, bot;
    /// Whether closed ladders are listed too.
    bool include_closed = false;
};

/// The calls about ladders, from Organiser::ladders. Its methods are thread-safe, and throw
/// CallError.
class Ladders {
  public:
    /// Creates a ladder, which starts matches when it has enough entrants. Its name has 1 to 40
    /// lower-case letters, digits and hyphens, and begins with a letter.
    Ladder create(const std::string& name, const LadderTerms& terms) const;

    /// Adds an entrant, and returns its first standing.
    LadderStanding join(const std::string& name, const Entrant& entrant) const;

    /// Removes the entrant of this name. Its matches in play continue, and its ratings are kept in
    /// case it returns.
    void leave(const std::string& name, const std::string& entrant) const;

    /// Plans a rated pairing of entrants, of which the first is the challenger.
    Pairing challenge(const std::string& name, const std::vector<std::string>& entrants) const;

    /// Pauses a ladder: it starts no matches until it is resumed.
    Ladder pause(const std::string& name, const std::string& why = "") const;

    Ladder resume(const std::string& name) const;

    /// Closes a ladder permanently. Its matches in play continue and are rated.
    Ladder close(const std::string& name, const std::string& why = "") const;

    Ladder get(const std::string& name) const;

    /// Returns ladders by name.
    Items<Ladder> list(const LadderFilter& filter = {}) const;

    /// Returns the standings of a season, from 1, the best first. 0: the current season.
    Items<LadderStanding> standings(const std::string& name, unsigned season = 0) const;

    /// Calls `on_entry` as Organiser::watch does, until the ladder is closed and its last match is
    /// over.
    void watch(const std::string& name, const std::function<bool(const LadderEntry&)>& on_entry,
               std::uint64_t after = 0, const std::stop_token& stop = {}) const;

    /// Returns the signed record of a ladder that is closed and whose last match is over, with
    /// which anyone can verify its pairings, ratings and standings.
    std::string record(const std::string& name) const;

  private:
    friend class Organiser;
    explicit Ladders(std::shared_ptr<const Calls> calls) : calls_(std::move(calls)) {}

    std::shared_ptr<const Calls> calls_;
};

}  // namespace referee
