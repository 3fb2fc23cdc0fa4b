#include "answers.h"

#include <algorithm>
#include <exception>

#include "utf8.h"

namespace referee {

namespace {

// No game has longer moves, and the server rejects longer texts.
const std::size_t MAX_MOVE_CHARS = 1000;

// The highest score that is sent, and the negative of the lowest.
const int MAX_SCORE = 1'000'000;

std::string place_of(const Turn& turn) {
    return "match " + turn.match_id + ", seat " + std::to_string(turn.seat);
}

std::string sendable(const std::string& move, const Turn& turn, const Logger& logger) {
    const auto report = [&](const std::string& problem) {
        logger(LogLevel::error,
               place_of(turn) + ": the answer " + problem + "; the referee will reject it");
    };
    const utf8::Text text = utf8::read(move, MAX_MOVE_CHARS + 1);
    if (!text.valid) report("is not valid UTF-8");
    if (text.chars > MAX_MOVE_CHARS) {
        report("has " + std::to_string(text.chars) + " characters, the limit is " +
               std::to_string(MAX_MOVE_CHARS));
    }
    return text.prefix;
}

}  // namespace

api::BotItem to_item(const Answer& answer, const Turn& turn, const Logger& logger) {
    api::BotItem item;
    const auto set_seat = [&](auto& message) {
        message.set_match_id(turn.match_id);
        message.set_seat(turn.seat);
    };
    switch (answer.kind()) {
        case Answer::Kind::move:
            item.mutable_move()->set_match_id(turn.match_id);
            item.mutable_move()->set_turn_token(turn.token);
            item.mutable_move()->set_move(sendable(answer.move(), turn, logger));
            item.mutable_move()->set_offer_draw(answer.offers_draw());
            if (answer.score())
                item.mutable_move()->set_score(std::clamp(*answer.score(), -MAX_SCORE, MAX_SCORE));
            break;
        case Answer::Kind::resignation:
            set_seat(*item.mutable_resignation());
            break;
        case Answer::Kind::draw_acceptance:
            set_seat(*item.mutable_draw_answer());
            item.mutable_draw_answer()->set_accept(true);
            break;
        case Answer::Kind::draw_claim:
            set_seat(*item.mutable_draw_claim());
            break;
    }
    return item;
}

api::BotItem choose_answer(const std::function<Answer()>& choose, const Turn& turn,
                           const std::stop_token& cancelled, const Logger& logger) {
    std::string problem;
    try {
        return to_item(choose(), turn, logger);
    } catch (const std::exception& error) {
        problem = error.what();
    } catch (...) {
        problem = "it threw something that is not a std::exception";
    }
    // A bot may well throw to leave a computation that is no longer needed.
    if (!cancelled.stop_requested()) {
        logger(LogLevel::error, place_of(turn) + ", ply " + std::to_string(turn.ply) +
                                    ": the bot failed and resigns: " + problem);
    }
    return to_item(Answer::resign(), turn, logger);
}

}  // namespace referee
