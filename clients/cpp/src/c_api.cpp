#include <cstdlib>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "referee/client.h"
#include "referee/play.h"

struct referee_turn {
    const referee::Turn& turn;
    const std::stop_token& cancelled;
};

struct referee_answer {
    referee::Answer answer = referee::Answer::resign();
};

struct referee_client {
    referee_client(referee_choose choose, void* user) : choose(choose), user(user) {}

    referee_choose choose;
    void* user;
    referee_tell started = nullptr;
    referee_tell ended = nullptr;
    referee_log log = nullptr;
    bool reads_environment = false;
    std::map<std::string, std::string> variables;
    std::string error;
    std::stop_source stop;
};

namespace referee {

namespace {

const char* name_of(Result::Kind kind) {
    switch (kind) {
        case Result::Kind::played:
            return "played";
        case Result::Kind::forfeited:
            return "forfeited";
        default:
            return "voided";
    }
}

class CBot : public Bot {
  public:
    explicit CBot(const referee_client& client) : client_(client) {}

    void started(const Match& match, unsigned seat) override {
        if (client_.started) client_.started(match.id.c_str(), seat, nullptr, client_.user);
    }

    Answer choose(const Turn& turn, std::stop_token cancelled) override {
        const referee_turn asked{turn, cancelled};
        referee_answer given;
        client_.choose(&asked, &given, client_.user);
        return given.answer;
    }

    void ended(const End& end) override {
        if (!client_.ended) return;
        client_.ended(end.match_id.c_str(), end.seat, name_of(end.result.kind), client_.user);
    }

  private:
    const referee_client& client_;
};

Options options_of(const referee_client& client) {
    Options options;
    if (client.log) {
        options.logger = [&client](LogLevel level, const std::string& message) {
            client.log(static_cast<int>(level), message.c_str(), client.user);
        };
    }
    options.read_environment([&client](const std::string& name) -> std::optional<std::string> {
        const auto found = client.variables.find(name);
        if (found != client.variables.end()) return found->second;
        const char* text = client.reads_environment ? std::getenv(name.c_str()) : nullptr;
        return text ? std::optional<std::string>(text) : std::nullopt;
    });
    return options;
}

int play_client(const referee_client& client, std::string& problem) {
    try {
        const Bots bots([&client] { return std::make_unique<CBot>(client); });
        play(bots, options_of(client), client.stop.get_token());
        return REFEREE_STOPPED;
    } catch (const SettingError& error) {
        problem = error.what();
        return REFEREE_MISCONFIGURED;
    } catch (const TakenOverError& error) {
        problem = error.what();
        return REFEREE_TAKEN_OVER;
    } catch (const RejectedError& error) {
        problem = error.what();
        return REFEREE_REJECTED;
    } catch (const std::exception& error) {
        problem = error.what();
        return REFEREE_FAILED;
    }
}

// Returns the text; none is an empty one.
const char* text_of(const char* text) {
    return text ? text : "";
}

}  // namespace

}  // namespace referee

using referee::text_of;

referee_client* referee_client_new(referee_choose choose, void* user) {
    try {
        return new referee_client(choose, user);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void referee_client_free(referee_client* client) {
    delete client;
}

void referee_client_set(referee_client* client, const char* variable, const char* value) {
    client->variables[variable] = text_of(value);
}

void referee_client_read_environment(referee_client* client) {
    client->reads_environment = true;
}

void referee_client_tell(referee_client* client, referee_tell started, referee_tell ended) {
    client->started = started;
    client->ended = ended;
}

void referee_client_log(referee_client* client, referee_log log) {
    client->log = log;
}

int referee_client_play(referee_client* client) {
    client->error.clear();
    return referee::play_client(*client, client->error);
}

void referee_client_stop(referee_client* client) {
    client->stop.request_stop();
}

const char* referee_client_error(const referee_client* client) {
    return client->error.c_str();
}

const char* referee_turn_match_id(const referee_turn* turn) {
    return turn->turn.match_id.c_str();
}

unsigned referee_turn_seat(const referee_turn* turn) {
    return turn->turn.seat;
}

const char* referee_turn_game(const referee_turn* turn) {
    return turn->turn.game.c_str();
}

const char* referee_turn_option(const referee_turn* turn, const char* name) {
    const auto found = turn->turn.options.find(name);
    return found == turn->turn.options.end() ? nullptr : found->second.c_str();
}

unsigned referee_turn_ply(const referee_turn* turn) {
    return turn->turn.ply;
}

const char* referee_turn_position(const referee_turn* turn) {
    return turn->turn.position.c_str();
}

size_t referee_turn_legal_moves(const referee_turn* turn) {
    return turn->turn.legal_moves.size();
}

const char* referee_turn_legal_move(const referee_turn* turn, size_t number) {
    const auto& moves = turn->turn.legal_moves;
    return number < moves.size() ? moves[number].c_str() : nullptr;
}

int64_t referee_turn_time_left_ms(const referee_turn* turn) {
    return turn->turn.time_left ? turn->turn.time_left->count() : -1;
}

size_t referee_turn_draw_offers(const referee_turn* turn) {
    return turn->turn.draw_offers.size();
}

unsigned referee_turn_attempts_left(const referee_turn* turn) {
    return turn->turn.attempts_left;
}

const char* referee_turn_rejection_reason(const referee_turn* turn) {
    return turn->turn.rejection ? turn->turn.rejection->reason.c_str() : nullptr;
}

const char* referee_turn_rejection_message(const referee_turn* turn) {
    return turn->turn.rejection ? turn->turn.rejection->message.c_str() : nullptr;
}

int referee_turn_cancelled(const referee_turn* turn) {
    return turn->cancelled.stop_requested() ? 1 : 0;
}

void referee_answer_move(referee_answer* answer, const char* move) {
    answer->answer = text_of(move);
}

void referee_answer_move_and_offer_draw(referee_answer* answer, const char* move) {
    answer->answer = referee::Answer::move_and_offer_draw(text_of(move));
}

void referee_answer_resign(referee_answer* answer) {
    answer->answer = referee::Answer::resign();
}

void referee_answer_accept_draw(referee_answer* answer) {
    answer->answer = referee::Answer::accept_draw();
}

void referee_answer_claim_draw(referee_answer* answer) {
    answer->answer = referee::Answer::claim_draw();
}
