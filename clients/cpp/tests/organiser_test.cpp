// The calls of organisers, on a server in this process.
#include "referee/organiser.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <mutex>

#include "referee_api/v1/bot_service.grpc.pb.h"
#include "referee_api/v1/match_service.grpc.pb.h"

namespace referee {

namespace api = referee_api::v1;

// Answers each call of WatchMatch by two entries, and then by an interruption or, from number 3 on,
// the end.
class WatchedMatches : public api::MatchService::Service {
  public:
    WatchedMatches() {
        int port = 0;
        grpc::ServerBuilder builder;
        builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(this);
        server_ = builder.BuildAndStart();
        options.address = "127.0.0.1:" + std::to_string(port);
        options.token = "secret";
    }

    grpc::Status WatchMatch(grpc::ServerContext* context, const api::WatchMatchRequest* request,
                            grpc::ServerWriter<api::WatchMatchResponse>* writer) override {
        if (request->match_id() == "none") return {grpc::NOT_FOUND, "there is no such match"};
        const auto tokens = context->client_metadata().equal_range("authorization");
        if (tokens.first == tokens.second || tokens.first->second != "Bearer secret") {
            return {grpc::UNAUTHENTICATED, "no token"};
        }
        std::size_t calls = 0;
        {
            const std::lock_guard lock(mutex_);
            asked_after_.push_back(request->after_number());
            calls = asked_after_.size();
        }
        api::WatchMatchResponse response;
        for (const std::uint64_t next : {1, 2}) {
            api::Entry& entry = *response.add_items()->mutable_entry();
            entry.set_number(request->after_number() + next);
            entry.mutable_move_played()->mutable_played()->set_move("c2-c3");
        }
        writer->Write(response);
        if (request->match_id() == "endless") {
            while (writer->Write({})) continue;
            return grpc::Status::CANCELLED;
        }
        return calls == 1 ? grpc::Status(grpc::UNAVAILABLE, "restart") : grpc::Status::OK;
    }

    // Returns the numbers after which entries were requested.
    std::vector<std::uint64_t> asked_after() {
        const std::lock_guard lock(mutex_);
        return asked_after_;
    }

    Options options;

  private:
    std::mutex mutex_;
    std::vector<std::uint64_t> asked_after_;
    std::unique_ptr<grpc::Server> server_;
};

TEST(Organiser, WatchingGoesOnWithTheNextEntryAfterAnInterruption) {
    WatchedMatches matches;
    std::vector<std::uint64_t> numbers;
    Organiser(matches.options).watch("m1", [&](const Entry& entry) {
        EXPECT_EQ(entry.kind, "move_played");
        EXPECT_EQ(entry.move.value().move, "c2-c3");
        numbers.push_back(entry.number);
        return true;
    });
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3, 4}));
    EXPECT_EQ(matches.asked_after(), (std::vector<std::uint64_t>{0, 2}));
}

TEST(Organiser, WatchingEndsWhenTheWatcherHasSeenEnough) {
    WatchedMatches matches;
    std::vector<std::uint64_t> numbers;
    const auto first = [&](const Entry& entry) {
        numbers.push_back(entry.number);
        return false;
    };
    Organiser(matches.options).watch("endless", first, 6);
    EXPECT_EQ(numbers, std::vector<std::uint64_t>{7});
}

TEST(Organiser, WatchingEndsWhenAStopIsRequested) {
    WatchedMatches matches;
    std::stop_source source;
    const auto stop = [&](const Entry&) {
        source.request_stop();
        return true;
    };
    Organiser(matches.options).watch("endless", stop, 0, source.get_token());
    EXPECT_EQ(matches.asked_after().size(), 1U);
    EXPECT_FALSE(Organiser(matches.options).result("endless", source.get_token()));
}

TEST(Organiser, ARejectedCallIsAnErrorWithAReason) {
    WatchedMatches matches;
    try {
        Organiser(matches.options).result("none");
        FAIL();
    } catch (const CallError& error) {
        EXPECT_EQ(error.reason(), "NOT_FOUND");
        EXPECT_STREQ(error.what(), "there is no such match (NOT_FOUND)");
    }
}

// Registers each bot, but loses the response to the first call.
class ForgetfulBots : public api::BotService::Service {
  public:
    grpc::Status RegisterBot(grpc::ServerContext*, const api::RegisterBotRequest* request,
                             api::RegisterBotResponse*) override {
        ids.push_back(request->request_id());
        // The repeated call has no token in its response: that is shown only once.
        return ids.size() == 1 ? grpc::Status(grpc::UNAVAILABLE, "lost") : grpc::Status::OK;
    }

    grpc::Status CreateBotToken(grpc::ServerContext*, const api::CreateBotTokenRequest* request,
                                api::CreateBotTokenResponse* response) override {
        response->set_secret("token of " + request->bot());
        return grpc::Status::OK;
    }

    std::vector<std::string> ids;
};

TEST(Organiser, ABotIsRegisteredOnceAndItsLostTokenReplaced) {
    ForgetfulBots bots;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&bots);
    const auto server = builder.BuildAndStart();
    Options options;
    options.address = "127.0.0.1:" + std::to_string(port);
    options.token = "secret";
    EXPECT_EQ(Organiser(options).register_bot("anna"), "token of anna");
    ASSERT_EQ(bots.ids.size(), 2U);
    EXPECT_EQ(bots.ids[0], bots.ids[1]);
    EXPECT_FALSE(bots.ids[0].empty());
}

TEST(Organiser, AnInvalidOptionIsAnError) {
    EXPECT_THROW(Organiser(Options{}), SettingError);
}

}  // namespace referee
