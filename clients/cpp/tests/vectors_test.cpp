// Runs the test vectors that are not about turns.
#include "vectors.h"

#include <grpcpp/support/status.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "answers.h"
#include "nonces.h"
#include "protocol.h"
#include "settings.h"
#include "utf8.h"

namespace referee {

namespace {

Environment environment_of(const json& variables) {
    return [variables](const std::string& name) {
        return variables.contains(name) ? std::optional<std::string>(variables[name])
                                        : std::nullopt;
    };
}

// Returns the text with {NAME} replaced by the path of that file in the folder.
std::string replace_names(const std::string& text, const std::filesystem::path& folder) {
    static const std::regex name(R"(^\{(.*)\}$)");
    std::smatch found;
    return std::regex_match(text, found, name) ? (folder / found[1].str()).string() : text;
}

json effective(const Options& options) {
    return {{"referee", options.address},
            {"tls", uses_tls(options)},
            {"own_roots", !options.root_certificates.empty()},
            {"token", options.token},
            {"version", options.version},
            {"max_matches", options.max_matches},
            {"verdicts_with_turns", options.verdicts_with_turns}};
}

// Returns a protocol that sends nothing.
std::unique_ptr<Protocol> create_protocol(const Options& options) {
    Protocol::Callbacks callbacks;
    callbacks.choose = [](const std::shared_ptr<OpenTurn>&) {};
    callbacks.send = [](const api::BotItem&) {};
    callbacks.schedule = [](std::chrono::milliseconds, const std::function<void()>&) {};
    callbacks.set_heartbeat_timeout = [](std::chrono::milliseconds) {};
    return std::make_unique<Protocol>([](const Turn&) { return ""; }, options, callbacks);
}

std::string repeat(const json& text_and_times) {
    std::string all;
    for (int times = text_and_times[1]; times > 0; --times) {
        all += text_and_times[0].get<std::string>();
    }
    return all;
}

grpc::StatusCode code_named(const std::string& name) {
    std::istringstream names(
        "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS "
        "PERMISSION_DENIED RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE "
        "UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED");
    int code = 0;
    for (std::string read; names >> read && read != name;) ++code;
    return static_cast<grpc::StatusCode>(code);
}

// Returns the exit status of the program form after these items and this end, or 0.
int exit_status_after(Protocol& protocol, const json& items, const grpc::Status& status) {
    try {
        for (const json& item : items) protocol.on_item(to_referee_item(item));
        Protocol::on_end(status);
        return 0;
    } catch (const TakenOverError&) {
        return 3;
    } catch (const RejectedError&) {
        return 4;
    }
}

}  // namespace

TEST(Vectors, Settings) {
    const json file = load_file("settings");
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / "referee-settings";
    for (const json& vector : file["vectors"]) {
        SCOPED_TRACE(vector["name"]);
        std::filesystem::remove_all(folder);
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "certificate.pem") << file["certificate"].get<std::string>();
        const json files = vector.value("files", json::object());
        for (const auto& [name, content] : files.items()) {
            std::ofstream(folder / name, std::ios::binary) << content.get<std::string>();
        }
        json environment = vector["environment"];
        for (auto& [name, value] : environment.items()) value = replace_names(value, folder);
        try {
            Options options;
            options.read_environment(environment_of(environment));
            check(options);
            EXPECT_EQ(effective(options), vector.value("settings", json()));
        } catch (const SettingError& error) {
            const std::string text = error.what();
            ASSERT_TRUE(vector.contains("error")) << text;
            EXPECT_EQ(vector["exit"], 2);
            EXPECT_NE(text.find(vector["error"]), std::string::npos) << text;
            if (vector.contains("secret")) {
                EXPECT_EQ(text.find(vector["secret"]), std::string::npos) << text;
            }
        }
    }
    std::filesystem::remove_all(folder);
}

TEST(Vectors, Answers) {
    for (const json& vector : load_vectors("answers")) {
        SCOPED_TRACE(vector["name"]);
        if (vector.contains("utf16")) continue;  // A std::string has bytes.
        const std::string text = vector.contains("text")     ? vector["text"].get<std::string>()
                                 : vector.contains("repeat") ? repeat(vector["repeat"])
                                                             : unhex(vector["utf8"]);
        std::vector<std::string> messages;
        Answer answer(text);
        if (vector.contains("score")) answer = answer.with_score(vector["score"]);
        const api::Move message = to_item(answer, Turn(), TestOptions(messages).logger).move();
        const std::string& sent = message.move();
        EXPECT_EQ(message.has_score(), vector.contains("sent_score"));
        if (message.has_score()) {
            EXPECT_EQ(message.score(), vector["sent_score"]);
        }
        EXPECT_EQ(messages.size(), vector["reports"]);
        if (vector.contains("sent")) {
            EXPECT_EQ(sent, vector["sent"]);
        }
        if (vector.contains("sent_repeat")) {
            EXPECT_TRUE(sent == repeat(vector["sent_repeat"]));
        }
        if (vector.contains("sent_pattern")) {
            // A std::regex matches bytes, so U+FFFD needs a group.
            const std::string pattern = std::regex_replace(
                vector["sent_pattern"].get<std::string>(), std::regex("\xEF\xBF\xBD"), "(?:$&)");
            EXPECT_TRUE(std::regex_match(sent, std::regex(pattern))) << sent;
        }
        if (vector.contains("sent_chars")) {
            EXPECT_EQ(utf8::read(sent, 0).chars, vector["sent_chars"]);
        }
    }
}

TEST(Vectors, Nonces) {
    const std::map<std::string, std::string> problems = {
        {"commitment replaced", "the referee has replaced its commitment to the seed"},
        {"seed does not match", "the seed of the referee does not match its commitment"},
        {"nonce missing", "the seed was made without the nonce of seat"},
        {"nonce replaced", "the seed was made with another nonce of seat"},
        {"random nonce", "a random one is sent"}};
    for (const json& vector : load_vectors("nonces")) {
        SCOPED_TRACE(vector["name"]);
        std::vector<std::string> messages;
        const json own = vector["own"];
        Nonces nonces(
            [&](const std::string&, unsigned) {
                if (own.is_null()) return random_nonce();
                if (own == "fails") throw std::runtime_error("no idea");
                return own == "large" ? std::string(MAX_NONCE_BYTES + 1, 'x') : unhex(own);
            },
            TestOptions(messages).logger);
        std::vector<std::string> sent;
        std::set<std::string> random;
        for (const json& request : vector["requests"]) {
            const json& wanted = vector["nonces"][sent.size()];
            sent.push_back(
                nonces.on_request(to_referee_item({{"nonce_request", request}}).nonce_request())
                    .nonce()
                    .nonce());
            if (wanted.contains("same_as")) {
                EXPECT_EQ(sent.back(), sent[wanted["same_as"]]);
            } else if (wanted["nonce"] == "random") {
                EXPECT_EQ(sent.back().size(), NONCE_BYTES);
                EXPECT_TRUE(random.insert(sent.back()).second);
            } else {
                EXPECT_EQ(sent.back(), unhex(wanted["nonce"]));
            }
        }
        if (const json started = vector.value("started", json()); !started.is_null()) {
            api::SeedCommitment announced;
            announced.set_commitment(unhex(started["commitment"]));
            nonces.on_match_started(started["match"], announced);
        }
        for (const json& ended : vector["ended"]) {
            api::SeedCommitment published;
            published.set_commitment(unhex(ended["commitment"]));
            published.set_seed(unhex(ended["seed"]));
            for (const json& nonce : ended["nonces"]) {
                published.add_nonces()->set_nonce(unhex(nonce));
                published.mutable_nonces()->rbegin()->set_seat(published.nonces_size() - 1);
            }
            nonces.on_match_ended(ended["match"], published);
        }
        ASSERT_EQ(messages.size(), vector["reports"].size());
        for (std::size_t number = 0; number < messages.size(); ++number) {
            EXPECT_NE(messages[number].find(problems.at(vector["reports"][number])),
                      std::string::npos)
                << messages[number];
        }
    }
}

TEST(Vectors, Backoff) {
    using std::chrono::milliseconds;
    for (const json& vector : load_vectors("backoff")) {
        for (const int random : {0, 1}) {
            SCOPED_TRACE(vector["name"]);
            Backoff backoff;
            Backoff::Clock::time_point now;
            for (const json& end : vector["ends"]) {
                now += std::chrono::seconds(20);
                if (!end["welcomed_ms"].is_null()) {
                    backoff.on_welcome(now);
                    now += milliseconds(end["welcomed_ms"]);
                }
                const milliseconds pause =
                    end.contains("draining_ms")
                        ? Backoff::after_draining(milliseconds(end["draining_ms"]), random)
                        : backoff.next(now, end.contains("open_turn"), random);
                EXPECT_EQ(pause.count(), end["pause_ms"][random]) << end;
            }
        }
    }
}

TEST(Vectors, Ends) {
    for (const json& vector : load_vectors("ends")) {
        for (const int random : {0, 1}) {
            SCOPED_TRACE(vector["name"]);
            std::vector<std::string> messages;
            const auto protocol = create_protocol(TestOptions(messages));
            const json& details = vector["status"]["details"];
            const grpc::Status status(code_named(vector["status"]["code"]), "why",
                                      details.is_null() ? "" : unhex(details));
            EXPECT_EQ(exit_status_after(*protocol, vector["received"], status),
                      vector.value("exit", 0));
            if (vector.contains("pause_ms")) {
                for (int failure = 0; failure < vector.value("failures", 0); ++failure) {
                    protocol->next_pause(Backoff::Clock::now(), random);
                }
                EXPECT_EQ(protocol->next_pause(Backoff::Clock::now(), random).count(),
                          vector["pause_ms"][random]);
            }
        }
    }
}

}  // namespace referee
