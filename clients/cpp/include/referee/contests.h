/// @file
/// What tournaments and ladders have in common.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace referee {

/// A participant of a contest: a bot, or several bots that play as partners or as a team.
struct Entrant {
    /// A bot, such as "anna", or "anna/1.4" for one version. The entrant has the name of the bot.
    static Entrant bot(std::string bot) { return {"", {std::move(bot)}}; }
    /// Several bots: partners in the order of seats, or a team in the order of boards.
    static Entrant team(std::string name, std::vector<std::string> bots) {
        return {std::move(name), std::move(bots)};
    }

    /// The name in tables. Empty in a request: that of its only bot.
    std::string name;
    std::vector<std::string> bots;

    bool operator==(const Entrant&) const = default;
};

/// Entrants that play each other.
struct Pairing {
    enum class Phase {
        /// It waits for capacity or for its bots.
        planned,
        /// One of its matches is in play.
        playing,
        /// It is finished, with points.
        done,
        /// A phase that is newer than this client.
        unknown
    };

    std::string id;
    /// The number of the round, and of the board within the round, from 1. 0 on a ladder.
    unsigned round = 0, board = 0;
    /// The names of the entrants, in the order of the seats of the first match. A single one has a
    /// bye.
    std::vector<std::string> entrants;
    Phase phase = Phase::unknown;
    /// The ids of its matches in order, including void ones.
    std::vector<std::string> match_ids;
    /// The points of each entrant. Empty until it is done.
    std::vector<double> points;
    /// The names of the entrants that lost it by absence.
    std::vector<std::string> absent;

    bool operator==(const Pairing&) const = default;
};

/// The items of a list, for a range-based `for`. Their pages are read when they are needed, which
/// throws CallError.
template <typename T>
class Items {
  public:
    /// Returns the items of the page with this token, which is empty for the first page, and sets
    /// it to the token of the next page, or to an empty one.
    using ReadPage = std::function<std::vector<T>(std::string& token)>;

    class Iterator {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        explicit Iterator(Items& items) : items_(&items) {}
        const T& operator*() const { return items_->page_[items_->index_]; }
        Iterator& operator++() {
            ++items_->index_;
            items_->read_if_needed();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const {
            return items_->index_ == items_->page_.size();
        }

      private:
        Items* items_;
    };

    explicit Items(ReadPage read_page) : read_page_(std::move(read_page)) {}

    /// Begins from the start, also if items were read before.
    Iterator begin() {
        token_.clear();
        read();
        return Iterator(*this);
    }
    std::default_sentinel_t end() const { return {}; }

  private:
    void read() {
        page_ = read_page_(token_);
        index_ = 0;
        read_if_needed();
    }
    void read_if_needed() {
        if (index_ == page_.size() && !token_.empty()) read();
    }

    ReadPage read_page_;
    std::string token_;
    std::vector<T> page_;
    std::size_t index_ = 0;
};

}  // namespace referee
