// Runs turns.json and open_turns.json: a protocol whose bot and time come from the steps.
#include <algorithm>
#include <set>

#include "answers.h"
#include "protocol.h"
#include "vectors.h"

namespace referee {

namespace {

json turn_key(const json& turn) {
    return {{"match", turn["match"]}, {"seat", turn.value("seat", 0)}, {"token", turn["token"]}};
}

void fill(api::Turn& turn, const json& given) {
    turn.set_match_id(given["match"]);
    turn.set_seat(given.value("seat", 0));
    turn.set_turn_token(given["token"]);
    turn.set_repeated(given.value("repeated", false));
    if (given.contains("game")) turn.mutable_rules()->set_game(given["game"]);
}

void fill(api::Verdict& verdict, const json& given, const std::map<json, std::uint64_t>& item_ids) {
    verdict.set_match_id(given["match"]);
    verdict.set_turn_token(given.value("token", ""));
    if (given.contains("item_id_of")) {
        verdict.set_item_id(item_ids.at(turn_key(given["item_id_of"])));
    }
    if (given.contains("accepted")) verdict.mutable_accepted();
    if (given.contains("stale")) verdict.mutable_stale();
    if (given.contains("rejected")) {
        api::ErrorDetail& error = *verdict.mutable_rejected()->mutable_error();
        error.set_message(given["rejected"]["message"]);
        for (const auto& [name, value] : given["rejected"]["metadata"].items()) {
            (*error.mutable_metadata())[name] = value;
        }
    }
}

}  // namespace

api::RefereeItem to_referee_item(const json& item, const std::map<json, std::uint64_t>& item_ids) {
    api::RefereeItem result;
    const std::string kind = item.begin().key();
    const json& given = item.begin().value();
    if (kind == "turn") {
        fill(*result.mutable_turn(), given);
    } else if (kind == "verdict") {
        fill(*result.mutable_verdict(), given, item_ids);
    } else if (kind == "turn_expired") {
        result.mutable_turn_expired()->set_match_id(given["match"]);
        result.mutable_turn_expired()->set_turn_token(given["token"]);
    } else if (kind == "match_started") {
        api::MatchStarted& started = *result.mutable_match_started();
        started.mutable_match()->set_id(given["match"]);
        started.mutable_match()->mutable_terms()->mutable_rules()->set_game(
            given.value("game", ""));
        started.set_seat(given["seat"]);
    } else if (kind == "match_ended") {
        result.mutable_match_ended()->set_match_id(given["match"]);
        result.mutable_match_ended()->set_seat(given["seat"]);
    } else if (kind == "ping") {
        result.mutable_ping()->set_id(std::stoull(given["id"].get<std::string>()));
    } else if (kind == "nonce_request") {
        result.mutable_nonce_request()->set_match_id(given["match"]);
        result.mutable_nonce_request()->set_seat(given["seat"]);
        result.mutable_nonce_request()->set_commitment(unhex(given["commitment"]));
    } else if (kind == "welcome") {
        result.mutable_welcome()->set_version(given["version"]);
    } else if (kind == "draining") {
        result.mutable_draining()->set_reconnect_delay_ms(given["reconnect_delay_ms"]);
    } else if (kind == "session_taken_over") {
        result.mutable_session_taken_over();
    } else {
        ADD_FAILURE() << "the item " << kind << " is unknown here";
    }
    return result;
}

namespace {

// Returns an item as the vectors have it.
json sent_form(const api::BotItem& item) {
    const auto seat_of = [](const auto& message) {
        return json{{"match", message.match_id()}, {"seat", message.seat()}};
    };
    switch (item.item_case()) {
        case api::BotItem::kMove: {
            json move = {{"match", item.move().match_id()},
                         {"token", item.move().turn_token()},
                         {"move", item.move().move()}};
            if (item.move().offer_draw()) move["offer_draw"] = true;
            return {{"move", move}};
        }
        case api::BotItem::kResignation:
            return {{"resignation", seat_of(item.resignation())}};
        case api::BotItem::kDrawClaim:
            return {{"draw_claim", seat_of(item.draw_claim())}};
        case api::BotItem::kDrawAnswer: {
            json answer = seat_of(item.draw_answer());
            answer["accept"] = item.draw_answer().accept();
            return {{"draw_answer", answer}};
        }
        case api::BotItem::kNonce:
            return {{"nonce", seat_of(item.nonce())}};
        case api::BotItem::kPong:
            return {{"pong", {{"id", std::to_string(item.pong().id())}}}};
        default:
            return item.ShortDebugString();
    }
}

bool is_answer(const api::BotItem& item) {
    return !item.has_pong() && !item.has_nonce();
}

// Returns what the code of the bot does.
Answer answer_of(const json& given) {
    if (given.contains("fails")) throw std::runtime_error("no idea");
    if (given.contains("resigns")) return Answer::resign();
    if (given.contains("accepts_draw")) return Answer::accept_draw();
    if (given.contains("claims_draw")) return Answer::claim_draw();
    const std::string move = given["move"];
    return given.contains("offer_draw") ? Answer::move_and_offer_draw(move) : Answer(move);
}

class RecordingBot : public Bot {
  public:
    explicit RecordingBot(json& tells) : tells_(tells) {}

    void started(const Match& match, unsigned seat) override {
        tells_.push_back({{"started", {{"match", match.id}, {"seat", seat}}}});
    }
    Answer choose(const Turn&, std::stop_token) override { return ""; }
    void ended(const End& end) override {
        tells_.push_back({{"ended", {{"match", end.match_id}, {"seat", end.seat}}}});
    }

  private:
    json& tells_;
};

class TurnHarness {
  public:
    TurnHarness()
        : options_(messages_),
          protocol_([this] { return std::make_unique<RecordingBot>(tells_); }, options_,
                    callbacks()) {}

    void run(const json& step, bool has_hooks) {
        sent_.clear();
        called_.clear();
        tells_ = json::array();
        act(step);
        expect_sent(step.value("sends", json::array()));
        expect_called(step.value("calls", json::array()));
        EXPECT_EQ(newly_cancelled(), step.value("cancels", json::array()));
        if (has_hooks) {
            EXPECT_EQ(tells_, step.value("tells", json::array()));
        }
    }

  private:
    using Call = std::shared_ptr<OpenTurn>;

    Protocol::Callbacks callbacks() {
        Protocol::Callbacks callbacks;
        callbacks.choose = [this](const Call& call) {
            calls_.push_back(call);
            called_.push_back(call);
        };
        callbacks.send = [this](const api::BotItem& item) {
            if (stream_is_open_) sent_.push_back(item);
        };
        callbacks.schedule = [this](std::chrono::milliseconds delay, std::function<void()> event) {
            timers_.emplace(now_ + delay, std::move(event));
        };
        callbacks.set_heartbeat_timeout = [](std::chrono::milliseconds) {};
        return callbacks;
    }

    void act(const json& step) {
        if (step.contains("receive")) {
            for (const json& item : step["receive"]) {
                protocol_.on_item(to_referee_item(item, item_ids_));
            }
        } else if (step.contains("answer")) {
            answer(step["answer"]);
        } else if (step.contains("stream")) {
            stream_is_open_ = step["stream"] == "opens";
            if (stream_is_open_) protocol_.start_session();
        } else {
            advance(std::chrono::milliseconds(step["advance_ms"]));
        }
    }

    // Lets the bot answer its last call for a turn.
    void answer(const json& given) {
        const auto call = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Call& made) {
            return key_of(*made) == turn_key(given);
        });
        ASSERT_NE(call, calls_.rend()) << given;
        protocol_.on_answer(**call,
                            choose_answer([&] { return answer_of(given); }, (*call)->turn,
                                          (*call)->cancellation.get_token(), options_.logger));
        if (!sent_.empty()) item_ids_[turn_key(given)] = sent_.front().item_id();
    }

    void advance(std::chrono::milliseconds duration) {
        now_ += duration;
        while (!timers_.empty() && timers_.begin()->first <= now_) {
            const auto event = timers_.extract(timers_.begin()).mapped();
            event();
        }
    }

    void expect_sent(const json& expected) {
        json forms = json::array();
        for (const api::BotItem& item : sent_) {
            forms.push_back(sent_form(item));
            if (is_answer(item)) expect_item_id(sent_form(item), item.item_id());
        }
        EXPECT_EQ(forms, expected);
    }

    // Checks that the same answer has the same item id again, and each other answer another one.
    void expect_item_id(const json& form, std::uint64_t item_id) {
        EXPECT_NE(item_id, 0U) << form;
        for (const auto& [other, other_id] : ids_by_form_) {
            EXPECT_EQ(other == form, other_id == item_id) << form << " and " << other;
        }
        ids_by_form_[form] = item_id;
    }

    void expect_called(const json& expected) {
        ASSERT_EQ(called_.size(), expected.size());
        for (std::size_t number = 0; number < called_.size(); ++number) {
            const json& wanted = expected[number];
            const Turn& turn = called_[number]->turn;
            EXPECT_EQ(key_of(*called_[number]), turn_key(wanted));
            EXPECT_EQ(turn.rejection ? json(turn.rejection->message) : json(), wanted["rejection"]);
            if (wanted.contains("game")) {
                EXPECT_EQ(turn.game, wanted["game"]);
            }
        }
    }

    // Returns the calls without an answer that are cancelled now and were not before.
    json newly_cancelled() {
        json keys = json::array();
        for (const Call& call : calls_) {
            if (call->is_open() || !known_as_cancelled_.insert(call).second) continue;
            if (!call->answer) keys.push_back(key_of(*call));
        }
        return keys;
    }

    static json key_of(const OpenTurn& call) {
        return {
            {"match", call.turn.match_id}, {"seat", call.turn.seat}, {"token", call.turn.token}};
    }

    std::vector<std::string> messages_;
    TestOptions options_;
    json tells_ = json::array();
    bool stream_is_open_ = true;
    std::vector<api::BotItem> sent_;
    std::vector<Call> calls_, called_;
    std::set<Call> known_as_cancelled_;
    std::map<json, std::uint64_t> item_ids_, ids_by_form_;
    std::chrono::milliseconds now_{0};
    std::multimap<std::chrono::milliseconds, std::function<void()>> timers_;
    Protocol protocol_;
};

void run_turns(const std::string& file) {
    for (const json& vector : load_vectors(file)) {
        SCOPED_TRACE(vector["name"]);
        const json needs = vector.value("needs", json::array());
        for (const json& need : needs) {
            EXPECT_TRUE(need == "draws" || need == "hooks" || need == "rules") << need;
        }
        const bool has_hooks = std::find(needs.begin(), needs.end(), "hooks") != needs.end();
        TurnHarness harness;
        for (std::size_t number = 0; number < vector["steps"].size(); ++number) {
            SCOPED_TRACE("step " + std::to_string(number));
            harness.run(vector["steps"][number], has_hooks);
        }
    }
}

}  // namespace

TEST(Vectors, Turns) {
    run_turns("turns");
}

TEST(Vectors, OpenTurns) {
    run_turns("open_turns");
}

}  // namespace referee
