// What the conformance kit for organisers does not show.
#include "referee/organiser.h"

#include <gtest/gtest.h>

#include "error_details.pb.h"
#include "referee_api/v1/bot_service.grpc.pb.h"
#include "referee_api/v1/ladder_service.grpc.pb.h"

namespace referee {

namespace api = referee_api::v1;

// Has three pages with one standing each, and a log with two entries that does not end.
class Ladders : public api::LadderService::Service {
  public:
    Ladders() {
        int port = 0;
        grpc::ServerBuilder builder;
        builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(this);
        server_ = builder.BuildAndStart();
        options.address = "127.0.0.1:" + std::to_string(port);
        options.token = "secret";
    }

    grpc::Status ListLadderStandings(grpc::ServerContext*,
                                     const api::ListLadderStandingsRequest* request,
                                     api::ListLadderStandingsResponse* response) override {
        if (request->ladder() != "main") return {grpc::NOT_FOUND, "there is no such ladder"};
        tokens.push_back(request->page_token());
        response->add_standings()->set_rank(static_cast<unsigned>(tokens.size()));
        if (tokens.size() < 3) {
            response->set_next_page_token("page" + std::to_string(tokens.size()));
        }
        return grpc::Status::OK;
    }

    grpc::Status WatchLadder(grpc::ServerContext*, const api::WatchLadderRequest*,
                             grpc::ServerWriter<api::WatchLadderResponse>* writer) override {
        api::WatchLadderResponse response;
        for (const unsigned number : {1, 2}) {
            response.add_items()->mutable_entry()->set_number(number);
        }
        writer->Write(response);
        while (writer->Write({})) continue;
        return grpc::Status::CANCELLED;
    }

    Options options;
    std::vector<std::string> tokens;

  private:
    std::unique_ptr<grpc::Server> server_;
};

// Returns the ranks of the standings of a ladder, up to `last`.
std::vector<unsigned> ranks(const Ladders& ladders, const std::string& ladder, unsigned last) {
    std::vector<unsigned> ranks;
    api::ListLadderStandingsRequest request;
    request.set_ladder(ladder);
    Organiser(ladders.options)
        .pages(&api::LadderService::Stub::ListLadderStandings, request, [&](const auto& page) {
            ranks.push_back(page.standings(0).rank());
            return ranks.back() != last;
        });
    return ranks;
}

TEST(Organiser, AListIsReadPageByPageToItsEnd) {
    Ladders ladders;
    EXPECT_EQ(ranks(ladders, "main", 0), (std::vector<unsigned>{1, 2, 3}));
    EXPECT_EQ(ladders.tokens, (std::vector<std::string>{"", "page1", "page2"}));
}

TEST(Organiser, AListThatIsLeftReadsNoFurtherPage) {
    Ladders ladders;
    EXPECT_EQ(ranks(ladders, "main", 1), std::vector<unsigned>{1});
    EXPECT_EQ(ladders.tokens, std::vector<std::string>{""});
}

TEST(Organiser, AWatchEndsWhenTheWatcherHasSeenEnough) {
    Ladders ladders;
    std::vector<std::uint64_t> numbers;
    Organiser(ladders.options)
        .watch(&api::LadderService::Stub::WatchLadder, api::WatchLadderRequest(),
               [&](const api::WatchLadderItem& item) {
                   numbers.push_back(item.entry().number());
                   return false;
               });
    EXPECT_EQ(numbers, std::vector<std::uint64_t>{1});
}

TEST(Organiser, AWatchEndsWhenAStopIsRequested) {
    Ladders ladders;
    std::stop_source source;
    int items = 0;
    const auto stop = [&](const auto&) {
        source.request_stop();
        return ++items > 0;
    };
    Organiser(ladders.options)
        .watch(&api::LadderService::Stub::WatchLadder, api::WatchLadderRequest(), stop,
               source.get_token());
    EXPECT_EQ(items, 2);
}

TEST(Organiser, ARejectedCallIsAnErrorWithAReason) {
    const Ladders ladders;
    try {
        ranks(ladders, "none", 0);
        FAIL();
    } catch (const CallError& error) {
        EXPECT_EQ(error.reason(), "NOT_FOUND");
        EXPECT_STREQ(error.what(), "there is no such ladder (NOT_FOUND)");
    }
}

TEST(Organiser, AnInvalidOptionIsAnError) {
    EXPECT_THROW(Organiser(Options{}), SettingError);
}

// Is never able to answer, and asks for a short pause.
class BusyBots : public api::BotService::Service {
  public:
    grpc::Status RegisterBot(grpc::ServerContext*, const api::RegisterBotRequest* request,
                             api::RegisterBotResponse*) override {
        ids.push_back(request->request_id());
        referee_error::ErrorInfo info;
        info.set_reason("BUSY");
        (*info.mutable_metadata())["retry_after_ms"] = "1";
        referee_error::Status details;
        referee_error::Detail& detail = *details.add_details();
        detail.set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
        detail.set_value(info.SerializeAsString());
        return {grpc::RESOURCE_EXHAUSTED, "not now", details.SerializeAsString()};
    }

    std::vector<std::string> ids;
};

TEST(Organiser, TheFifthFailureIsFinal) {
    BusyBots bots;
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&bots);
    const auto server = builder.BuildAndStart();
    Options options;
    options.address = "127.0.0.1:" + std::to_string(port);
    options.token = "secret";
    EXPECT_THROW(
        Organiser(options).call(&api::BotService::Stub::RegisterBot, api::RegisterBotRequest()),
        CallError);
    ASSERT_EQ(bots.ids.size(), 5U);
    EXPECT_EQ(bots.ids, std::vector(5, bots.ids[0]));
    EXPECT_FALSE(bots.ids[0].empty());
}

}  // namespace referee
