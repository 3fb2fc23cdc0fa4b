// The calls about tournaments and ladders, on a server in this process.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <mutex>

#include "contest_conversion.h"
#include "contest_terms.h"
#include "referee/ladders.h"
#include "referee/tournaments.h"
#include "referee_api/v1/ladder_service.grpc.pb.h"
#include "referee_api/v1/tournament_service.grpc.pb.h"

namespace referee {

namespace api = referee_api::v1;

// It has five tournaments, in pages of two, and creates one at the second attempt only.
class Contests : public api::TournamentService::Service {
  public:
    Contests() {
        int port = 0;
        grpc::ServerBuilder builder;
        builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(this);
        server_ = builder.BuildAndStart();
        options_.address = "127.0.0.1:" + std::to_string(port);
        options_.token = "secret";
    }

    grpc::Status CreateTournament(grpc::ServerContext*, const api::CreateTournamentRequest* request,
                                  api::CreateTournamentResponse* response) override {
        const std::lock_guard lock(mutex_);
        requests_.push_back(*request);
        if (requests_.size() == 1) return {grpc::UNAVAILABLE, "restart"};
        response->mutable_tournament()->set_name(request->name());
        return grpc::Status::OK;
    }

    grpc::Status ListTournaments(grpc::ServerContext*, const api::ListTournamentsRequest* request,
                                 api::ListTournamentsResponse* response) override {
        if (request->game() == "none") return {grpc::NOT_FOUND, "there is no such game"};
        const int first = request->page_token().empty() ? 1 : std::stoi(request->page_token());
        const std::lock_guard lock(mutex_);
        pages_.push_back(first);
        for (int number = first; number < first + 2 && number <= 5; ++number) {
            response->add_tournaments()->set_name("cup" + std::to_string(number));
        }
        if (first + 2 <= 5) response->set_next_page_token(std::to_string(first + 2));
        return grpc::Status::OK;
    }

    grpc::Status WatchTournament(
        grpc::ServerContext*, const api::WatchTournamentRequest* request,
        grpc::ServerWriter<api::WatchTournamentResponse>* writer) override {
        api::WatchTournamentResponse response;
        response.add_items()->mutable_snapshot();
        response.add_items()->mutable_entry()->set_number(request->after_number() + 1);
        writer->Write(response);
        if (request->after_number() == 0) return {grpc::UNAVAILABLE, "restart"};
        return grpc::Status::OK;
    }

    Tournaments tournaments() const { return Organiser(options_).tournaments(); }

    std::vector<api::CreateTournamentRequest> requests() {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    // Returns the number of the first tournament of each page that was requested.
    std::vector<int> pages() {
        const std::lock_guard lock(mutex_);
        return pages_;
    }

  private:
    Options options_;
    std::mutex mutex_;
    std::vector<api::CreateTournamentRequest> requests_;
    std::vector<int> pages_;
    std::unique_ptr<grpc::Server> server_;
};

TEST(Contests, ACallIsRepeatedWithTheSameRequestIdWhileTheServerCannotBeReached) {
    Contests contests;
    TournamentTerms terms;
    terms.match.game = "alquerque";
    terms.title = "The cup";
    EXPECT_EQ(contests.tournaments().create("cup", terms, {Entrant::bot("anna")}).name, "cup");
    const auto requests = contests.requests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_FALSE(requests[0].request_id().empty());
    EXPECT_EQ(requests[0].SerializeAsString(), requests[1].SerializeAsString());
    EXPECT_EQ(requests[0].title(), "The cup");
    EXPECT_EQ(requests[0].entrants(0).bots(0).bot(), "anna");
}

TEST(Contests, AListIsReadPageByPageAsFarAsItIsNeeded) {
    Contests contests;
    std::vector<std::string> names;
    Items<Tournament> tournaments = contests.tournaments().list();
    EXPECT_TRUE(contests.pages().empty());
    for (const Tournament& tournament : tournaments) {
        names.push_back(tournament.name);
        if (names.size() == 3) break;
    }
    EXPECT_EQ(contests.pages(), (std::vector<int>{1, 3}));
    names.clear();
    for (const Tournament& tournament : tournaments) names.push_back(tournament.name);
    EXPECT_EQ(names, (std::vector<std::string>{"cup1", "cup2", "cup3", "cup4", "cup5"}));
    EXPECT_EQ(contests.pages(), (std::vector<int>{1, 3, 1, 3, 5}));
}

TEST(Contests, AListSkipsPagesThatAreEmpty) {
    std::vector<std::vector<int>> pages = {{}, {1}, {}, {2, 3}, {}};
    Items<int> items([&](std::string& token) {
        const std::size_t number = token.empty() ? 0 : std::stoul(token);
        token = number + 1 < pages.size() ? std::to_string(number + 1) : "";
        return pages[number];
    });
    std::vector<int> read;
    for (const int item : items) read.push_back(item);
    EXPECT_EQ(read, (std::vector<int>{1, 2, 3}));
}

TEST(Contests, ARejectedListIsAnErrorWithAReason) {
    Contests contests;
    TournamentFilter filter;
    filter.game = "none";
    Items<Tournament> tournaments = contests.tournaments().list(filter);
    EXPECT_THROW(tournaments.begin(), CallError);
}

TEST(Contests, AWatchOfATournamentGoesOnWithTheNextEntryAfterAnInterruption) {
    Contests contests;
    std::vector<std::uint64_t> numbers;
    contests.tournaments().watch("cup", [&](const TournamentEntry& entry) {
        numbers.push_back(entry.number);
        return true;
    });
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2}));
}

// Returns the terms of a tournament with this format.
api::TournamentTerms terms_with(TournamentFormat format) {
    TournamentTerms terms;
    terms.format = std::move(format);
    return to_message(terms);
}

TEST(ContestTerms, EachFormatHasItsParameters) {
    EXPECT_EQ(terms_with(RoundRobin{2}).round_robin().cycles(), 2U);
    EXPECT_EQ(terms_with(Swiss{5}).swiss().rounds(), 5U);
    EXPECT_EQ(terms_with(Pools{3}).pools().rounds(), 3U);
    const api::TournamentTerms knockout = terms_with(Elimination{true, 2, true});
    EXPECT_TRUE(knockout.elimination().double_elimination());
    EXPECT_EQ(knockout.elimination().matches_per_pairing(), 2U);
    EXPECT_TRUE(knockout.elimination().third_place_match());
    const api::TournamentTerms gauntlet = terms_with(Gauntlet{{"anna"}, 4});
    EXPECT_EQ(gauntlet.gauntlet().challengers(0), "anna");
    EXPECT_EQ(gauntlet.gauntlet().cycles(), 4U);
    const api::TournamentTerms sprt = terms_with(Sprt{1, 5, 100});
    EXPECT_EQ(sprt.sprt().elo0(), 1);
    EXPECT_EQ(sprt.sprt().elo1(), 5);
    EXPECT_EQ(sprt.sprt().max_matches(), 100U);
}

TEST(ContestTerms, TermsOfTournamentsAreSent) {
    TournamentTerms terms;
    terms.match.game = "alquerque";
    EXPECT_FALSE(to_message(terms).has_no_show_ms());
    EXPECT_FALSE(to_message(terms).has_duplicate_play());
    EXPECT_EQ(to_message(terms).partner_rule(), api::PARTNER_RULE_UNSPECIFIED);
    terms.ladder = "main";
    terms.fixed_partners = true;
    terms.boards = 4;
    terms.duplicate_play = true;
    terms.max_concurrent_matches = 3;
    terms.no_show = std::chrono::seconds(0);
    const api::TournamentTerms message = to_message(terms);
    EXPECT_EQ(message.match_terms().rules().game(), "alquerque");
    EXPECT_EQ(message.ladder(), "main");
    EXPECT_EQ(message.partner_rule(), api::PARTNER_RULE_FIXED);
    EXPECT_EQ(message.boards(), 4U);
    EXPECT_TRUE(message.has_duplicate_play());
    EXPECT_EQ(message.max_concurrent_matches(), 3U);
    EXPECT_TRUE(message.has_no_show_ms());
}

TEST(ContestTerms, TermsOfLaddersAreSent) {
    LadderTerms terms;
    terms.matches.resize(2);
    terms.matches[1].game = "alquerque";
    terms.max_matches_per_hour = 60;
    terms.rematch_after = 2;
    terms.provisional_matches = 10;
    terms.pause_after_faults = 5;
    const api::LadderTerms message = to_message(terms);
    EXPECT_EQ(message.match_terms(1).rules().game(), "alquerque");
    EXPECT_EQ(message.max_matches_per_hour(), 60U);
    EXPECT_EQ(message.rematch_after(), 2U);
    EXPECT_EQ(message.provisional_matches(), 10U);
    EXPECT_EQ(message.pause_after_faults(), 5U);
}

TEST(ContestTerms, AVersionOfAnEntrantFollowsASlash) {
    const Entrant team = Entrant::team("reds", {"anna", "bert/1.4"});
    const api::Entrant message = to_message(team);
    EXPECT_EQ(message.bots(0).version(), "");
    EXPECT_EQ(message.bots(1).bot(), "bert");
    EXPECT_EQ(message.bots(1).version(), "1.4");
    EXPECT_EQ(to_entrant(message), team);
}

TEST(ContestTerms, APhaseIsTheSameInBothDirections) {
    for (const auto phase : {Tournament::Phase::entry, Tournament::Phase::playing,
                             Tournament::Phase::finished, Tournament::Phase::cancelled}) {
        api::Tournament message;
        message.set_phase(to_message(phase));
        EXPECT_EQ(to_tournament(message).phase, phase);
    }
    for (const auto phase :
         {Pairing::Phase::planned, Pairing::Phase::playing, Pairing::Phase::done}) {
        api::Pairing message;
        message.set_phase(to_message(phase));
        EXPECT_EQ(to_pairing(message).phase, phase);
    }
    EXPECT_EQ(to_pairing({}).phase, Pairing::Phase::unknown);
}

TEST(ContestConversion, AnEntryOfATournamentHasItsPairings) {
    api::Pairing pairing;
    pairing.set_id("p1");
    api::TournamentEntry planned;
    *planned.mutable_pairings_planned()->add_pairings() = pairing;
    EXPECT_EQ(to_entry(planned).pairings.at(0).id, "p1");
    api::TournamentEntry replaced;
    *replaced.mutable_pairings_replaced()->add_pairings() = pairing;
    EXPECT_EQ(to_entry(replaced).pairings.at(0).id, "p1");
    api::TournamentEntry changed;
    *changed.mutable_pairing() = pairing;
    EXPECT_EQ(to_entry(changed).pairings.at(0).id, "p1");
    api::TournamentEntry absent;
    *absent.mutable_entrants_absent()->mutable_pairing() = pairing;
    absent.mutable_entrants_absent()->set_message("late");
    EXPECT_EQ(to_entry(absent).pairings.at(0).id, "p1");
    EXPECT_EQ(to_entry(absent).message, "late");
    api::TournamentEntry corrected;
    *corrected.mutable_score_corrected()->mutable_pairing() = pairing;
    corrected.mutable_score_corrected()->mutable_correction()->set_message("cheating");
    EXPECT_EQ(to_entry(corrected).pairings.at(0).id, "p1");
    EXPECT_EQ(to_entry(corrected).message, "cheating");
}

TEST(ContestConversion, AnEntryOfATournamentHasItsEntrantRoundAndStandings) {
    api::TournamentEntry joined;
    joined.set_number(2);
    joined.mutable_create_time()->set_seconds(60);
    joined.mutable_entrant_joined()->mutable_entrant()->set_name("anna");
    EXPECT_EQ(to_entry(joined).number, 2U);
    EXPECT_EQ(to_entry(joined).time.time_since_epoch(), std::chrono::seconds(60));
    EXPECT_EQ(to_entry(joined).kind, "entrant_joined");
    EXPECT_EQ(to_entry(joined).entrant, "anna");
    api::TournamentEntry left;
    left.mutable_entrant_left()->set_entrant("anna");
    left.mutable_entrant_left()->set_message("ill");
    EXPECT_EQ(to_entry(left).entrant, "anna");
    EXPECT_EQ(to_entry(left).message, "ill");
    api::TournamentEntry round;
    round.mutable_round_started()->set_round(3);
    round.mutable_round_started()->add_standings()->set_entrant("anna");
    EXPECT_EQ(to_entry(round).round, 3U);
    EXPECT_EQ(to_entry(round).standings.at(0).entrant, "anna");
    api::TournamentEntry ended;
    api::TournamentStanding& standing = *ended.mutable_ended()->add_standings();
    standing.set_points(1.5);
    standing.add_tie_breaks()->set_tie_break(api::TIE_BREAK_BUCHHOLZ_CUT_1);
    EXPECT_EQ(to_entry(ended).standings.at(0).points, 1.5);
    EXPECT_EQ(to_entry(ended).standings.at(0).tie_breaks.at(0).first, "buchholz_cut_1");
    EXPECT_EQ(to_entry(api::TournamentEntry()).kind, "");
}

TEST(ContestConversion, AnEntryOfALadderHasWhatItIsAbout) {
    api::LadderEntry rated;
    rated.mutable_match_rated()->set_match_id("m1");
    api::RatingChange& change = *rated.mutable_match_rated()->add_ratings();
    change.set_bot("anna");
    change.mutable_after()->set_value(1600);
    EXPECT_EQ(to_entry(rated).kind, "match_rated");
    EXPECT_EQ(to_entry(rated).match_id, "m1");
    EXPECT_EQ(to_entry(rated).ratings.at(0).after.value, 1600);
    EXPECT_FALSE(to_entry(rated).pairing);
    api::LadderEntry pairing;
    pairing.mutable_pairing()->set_id("p1");
    EXPECT_EQ(to_entry(pairing).pairing.value().id, "p1");
    api::LadderEntry corrected;
    corrected.mutable_match_corrected()->set_match_id("m1");
    EXPECT_EQ(to_entry(corrected).match_id, "m1");
    api::LadderEntry joined;
    joined.mutable_entrant_joined()->mutable_entrant()->set_name("anna");
    EXPECT_EQ(to_entry(joined).entrant, "anna");
    api::LadderEntry left;
    left.mutable_entrant_left()->set_entrant("anna");
    EXPECT_EQ(to_entry(left).entrant, "anna");
    api::LadderEntry closed;
    closed.mutable_closed()->set_message("thanks");
    EXPECT_EQ(to_entry(closed).message, "thanks");
}

TEST(ContestConversion, AStandingOfALadderHasItsRating) {
    api::LadderStanding message;
    message.mutable_entrant()->set_name("anna");
    message.mutable_rating()->set_deviation(80);
    message.set_lower_bound(1400);
    message.set_idle(true);
    const LadderStanding standing = to_ladder_standing(message);
    EXPECT_EQ(standing.entrant.name, "anna");
    EXPECT_EQ(standing.rating.deviation, 80);
    EXPECT_EQ(standing.lower_bound, 1400);
    EXPECT_TRUE(standing.idle);
}

}  // namespace referee
