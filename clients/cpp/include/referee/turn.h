/// @file
/// What a bot is asked and told. All of these types can be created by tests, with any values.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace referee {

/// An error of the server about an answer or a call.
struct Rejection {
    /// An upper-case name from the contract, such as "ILLEGAL_MOVE". Programs should use it, and
    /// never the message.
    std::string reason;
    /// One sentence for people.
    std::string message;
    /// The variables of the message by name.
    std::map<std::string, std::string> metadata;
};

/// A move of a seat, as the reader may see it.
struct PlayedMove {
    unsigned seat = 0;
    std::string move;
};

/// The clock of a seat when the turn was sent.
struct Clock {
    unsigned seat = 0;
    bool running = false;
    /// The time until the flag falls, including everything. Not set: the seat has no clock.
    std::optional<std::chrono::microseconds> time_left;
    /// The part of it that is main time or bank, and that of the current period, delay or move.
    std::chrono::microseconds main{0}, period{0};
    /// Byo-yomi periods, and moves until the next period; 0 if there are none.
    unsigned periods_left = 0, moves_left = 0;
};

/// A request for a move. It is self-contained: a bot may forget everything between two turns.
struct Turn {
    std::string match_id;
    /// The number of the seat that has to move, from 0.
    unsigned seat = 0;
    /// Identifies the turn within its match.
    std::string token;
    /// The name of the game, and the value of each of its options.
    std::string game;
    std::map<std::string, std::string> options;
    /// The number of moves played.
    unsigned ply = 0;
    /// The position in the game's notation, with "?" for what this seat may not know.
    std::string position;
    /// The position as JSON in the game's view schema, if Options::view is set.
    std::string view;
    /// The moves since the last turn of this seat, or all moves if Options::full_history is set.
    std::vector<PlayedMove> history;
    /// Sorted, and no more than Options::max_legal_moves.
    std::vector<std::string> legal_moves;
    /// Whether there are more legal moves than listed.
    bool legal_moves_truncated = false;
    /// The clock of each seat.
    std::vector<Clock> clocks;
    /// The time until the flag of this seat falls, when the turn was sent. Not set: it has no
    /// clock.
    std::optional<std::chrono::milliseconds> time_left;
    /// The number of answers that may still be given, including the next one.
    unsigned attempts_left = 1;
    /// The seats with an open draw offer. A move declines it.
    std::vector<unsigned> draw_offers;
    /// Whether other seats choose at the same time, without seeing this move.
    bool simultaneous = false;
    /// Whether this turn was sent before, for example to an earlier process of the bot.
    bool repeated = false;
    /// The error of the previous answer, if this is another attempt at the same move.
    std::optional<Rejection> rejection;
};

/// How a match ended.
struct Result {
    /// A void match is not scored.
    enum class Kind { played, forfeited, voided };
    Kind kind = Kind::voided;
    /// For a match that was played, a reason of its game, or "resignation", "draw_agreed",
    /// "draw_claimed" or "adjudication"; for a forfeit its cause, such as "time" or "illegal_move";
    /// otherwise the cause of the void match.
    std::string reason;
    /// The score of each seat in the game's own points, and its rank, where 1 is best. Empty if the
    /// match is void.
    std::vector<double> scores;
    std::vector<unsigned> ranks;
};

/// What is known about a match.
struct Match {
    std::string id;
    /// The name of the game, and the value of each of its options.
    std::string game;
    std::map<std::string, std::string> options;
    /// The name of each seat, such as "white", and the seats of each side.
    std::vector<std::string> seat_names;
    std::vector<std::vector<unsigned>> sides;
    /// The bot of each seat.
    std::vector<std::string> bots;
    std::string title;
    /// The contest that the match belongs to, or empty.
    std::string ladder, tournament;
    /// Not set until the match is over.
    std::optional<Result> result;
};

/// The end of a match, as it is told to one of its seats.
struct End {
    std::string match_id;
    unsigned seat = 0;
    Result result;
};

}  // namespace referee
