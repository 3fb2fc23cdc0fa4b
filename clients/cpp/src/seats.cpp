#include "seats.h"

#include <exception>
#include <stdexcept>
#include <utility>

#include "answers.h"
#include "conversion.h"

namespace referee {

void CallQueue::push(std::function<void()> call, const Executor& executor) {
    {
        const std::lock_guard lock(mutex_);
        calls_.push_back(std::move(call));
        if (std::exchange(running_, true)) return;
    }
    executor([self = shared_from_this()] { self->run(); });
}

void CallQueue::run() {
    for (;;) {
        std::function<void()> call;
        {
            const std::lock_guard lock(mutex_);
            if (calls_.empty()) {
                running_ = false;
                return;
            }
            call = std::move(calls_.front());
            calls_.pop_front();
        }
        call();
    }
}

Seats::Seats(Bots bots, Executor executor, Logger logger)
    : bots_(std::move(bots)), executor_(std::move(executor)), logger_(std::move(logger)) {}

void Seats::on_match_started(const api::MatchStarted& message) {
    const unsigned number = message.seat();
    const auto [seat, is_new] = find_or_add({message.match().id(), number});
    seat->rules = message.match().terms().rules();
    if (!is_new) return;
    tell(seat, message.match().id(),
         [match = to_match(message.match()), number](Bot& bot) { bot.started(match, number); });
}

const api::Rules& Seats::rules_of(const api::Turn& turn) {
    const auto seat = find_or_add({turn.match_id(), turn.seat()}).first;
    if (turn.has_rules()) seat->rules = turn.rules();
    return seat->rules;
}

void Seats::on_match_ended(const api::MatchEnded& message) {
    const auto found = by_key_.find({message.match_id(), message.seat()});
    if (found == by_key_.end()) return;
    const auto seat = found->second;
    by_key_.erase(found);
    const End end{message.match_id(), message.seat(), to_result(message.result())};
    tell(seat, end.match_id, [end](Bot& bot) { bot.ended(end); });
}

void Seats::choose(const std::shared_ptr<OpenTurn>& open_turn, Answered answered) {
    const auto seat = find_or_add(open_turn->key()).first;
    const auto call = [this, seat, open_turn, answered = std::move(answered)] {
        if (!open_turn->is_open()) return;
        const std::stop_token cancelled = open_turn->cancellation.get_token();
        const auto choose = [&] { return bot_of(*seat).choose(open_turn->turn, cancelled); };
        answered(choose_answer(choose, open_turn->turn, cancelled, logger_));
    };
    seat->calls->push(call, executor_);
}

std::pair<std::shared_ptr<Seats::Seat>, bool> Seats::find_or_add(const SeatKey& key) {
    const auto [entry, is_new] = by_key_.try_emplace(key);
    if (is_new) entry->second = std::make_shared<Seat>();
    return {entry->second, is_new};
}

void Seats::tell(const std::shared_ptr<Seat>& seat, const std::string& match_id,
                 std::function<void(Bot&)> call) {
    const auto guarded = [this, seat, match_id, call = std::move(call)] {
        std::string problem;
        try {
            return call(bot_of(*seat));
        } catch (const std::exception& error) {
            problem = error.what();
        } catch (...) {
            problem = "it threw something that is not a std::exception";
        }
        logger_(LogLevel::error, "match " + match_id + ": the bot failed: " + problem);
    };
    seat->calls->push(guarded, executor_);
}

Bot& Seats::bot_of(Seat& seat) const {
    if (!seat.bot) seat.bot = bots_.create();
    if (!seat.bot) throw std::logic_error("no bot was created");
    return *seat.bot;
}

}  // namespace referee
