/// @file
/// Bots and their answers. A bot is a function, or an object for each seat of each match.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include "referee/turn.h"

namespace referee {

/// What a bot does in its turn. A text is the move to play, in the game's notation.
class Answer {
  public:
    enum class Kind { move, resignation, draw_acceptance, draw_claim };

    Answer(std::string move) : text_(std::move(move)) {}
    Answer(const char* move) : text_(move) {}

    /// Plays a move and offers a draw with it.
    static Answer move_and_offer_draw(std::string move) {
        Answer answer(std::move(move));
        answer.offers_draw_ = true;
        return answer;
    }

    /// Returns the answer with what the bot expects for its side, in hundredths of a point of the
    /// game; positive: it is ahead. Others find it only in the record of the finished match. It has
    /// no effect on answers that are not moves.
    Answer with_score(int score) const {
        Answer answer = *this;
        answer.score_ = score;
        return answer;
    }

    static Answer resign() { return Answer(Kind::resignation); }

    /// Accepts a draw offer, which the turn has in `draw_offers`. If the offer is no longer open,
    /// the bot is called again for the same turn, with the error in `rejection`.
    static Answer accept_draw() { return Answer(Kind::draw_acceptance); }

    /// Claims a draw by the rules. If there is none, the bot is called again for the same turn,
    /// with the error in `rejection`.
    static Answer claim_draw() { return Answer(Kind::draw_claim); }

    Kind kind() const { return kind_; }
    /// The move; empty for other answers.
    const std::string& move() const { return text_; }
    bool offers_draw() const { return offers_draw_; }
    const std::optional<int>& score() const { return score_; }

    friend bool operator==(const Answer&, const Answer&) = default;

  private:
    explicit Answer(Kind kind) : kind_(kind) {}

    Kind kind_ = Kind::move;
    std::string text_;
    bool offers_draw_ = false;
    std::optional<int> score_;
};

/// A bot that holds one seat of one match. Its methods are never called at the same time, so it
/// needs no locks for what it knows about this match.
class Bot {
  public:
    virtual ~Bot() = default;

    /// Called before the first turn. After a restart of the program, running matches are not
    /// announced again.
    virtual void started(const Match&, unsigned /*seat*/) {}

    /// Returns the answer to a turn. `cancelled` is set when the answer is no longer needed; a long
    /// computation should check this regularly. An exception resigns the seat; other matches
    /// continue.
    virtual Answer choose(const Turn& turn, std::stop_token cancelled) = 0;

    /// Called after the last turn.
    virtual void ended(const End&) {}
};

/// Whether a `Function` can be called with `Arguments` and returns a `Result`.
template <typename Function, typename Result, typename... Arguments>
concept FunctionReturning = std::is_invocable_r_v<Result, Function&, Arguments...>;

/// Where the bots of the seats come from. It is created from one of
///
///   - a function of a Turn, or of a Turn and a std::stop_token, that returns an Answer or a text.
///     It is called for all seats, for different seats at the same time;
///   - a function without arguments that returns a std::unique_ptr<Bot> for each seat of each
///   match.
class Bots {
  public:
    using Create = std::function<std::unique_ptr<Bot>()>;

    template <typename Function>
    requires(!std::same_as<std::remove_cvref_t<Function>, Bots> &&
             (FunctionReturning<Function, Answer, const Turn&, std::stop_token> ||
              FunctionReturning<Function, Answer, const Turn&> ||
              FunctionReturning<Function, std::unique_ptr<Bot>>)) Bots(Function function) {
        if constexpr (FunctionReturning<Function, std::unique_ptr<Bot>>) {
            create_ = std::move(function);
        } else {
            // All seats call the same function, which may have a state of its own.
            auto shared = std::make_shared<Function>(std::move(function));
            create_ = [shared] { return std::make_unique<FunctionBot<Function>>(shared); };
        }
    }

    std::unique_ptr<Bot> create() const { return create_(); }

  private:
    template <typename Function>
    class FunctionBot : public Bot {
      public:
        explicit FunctionBot(std::shared_ptr<Function> function) : function_(std::move(function)) {}

        Answer choose(const Turn& turn, std::stop_token cancelled) override {
            if constexpr (FunctionReturning<Function, Answer, const Turn&, std::stop_token>) {
                return (*function_)(turn, std::move(cancelled));
            } else {
                return (*function_)(turn);
            }
        }

      private:
        std::shared_ptr<Function> function_;
    };

    Create create_;
};

}  // namespace referee
