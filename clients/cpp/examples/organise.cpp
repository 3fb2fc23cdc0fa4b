// Organises a match, which is the task of the conformance kit: creates and watches it, reads its
// result and record.
#include <iostream>

#include "referee/organiser.h"
#include "referee_api/v1/match_service.grpc.pb.h"

namespace api = referee_api::v1;

void organise() {
    referee::Options options;
    options.read_environment();
    const referee::Organiser organiser(options);
    api::CreateMatchRequest creation;
    creation.set_title("conformance");
    creation.mutable_terms()->mutable_rules()->set_game("alquerque");
    auto& clock = *creation.mutable_terms()->mutable_time_control()->mutable_rule();
    clock.mutable_sudden_death()->set_main_ms(60'000);
    for (const char* bot : {"anna", "bert"}) creation.add_seats()->set_bot(bot);
    const std::string id =
        organiser.call(&api::MatchService::Stub::CreateMatch, creation).match().id();

    api::WatchMatchRequest watch;
    watch.set_match_id(id);
    watch.set_after_number(0);  // From the beginning.
    organiser.watch(&api::MatchService::Stub::WatchMatch, watch, [](const auto& item) {
        if (item.has_entry()) std::cout << "entry " << item.entry().number() << std::endl;
        return true;
    });

    api::GetMatchRequest request;
    request.set_match_id(id);
    const auto match = organiser.call(&api::MatchService::Stub::GetMatch, request).match();
    const bool played = match.result().has_played(), forfeited = match.result().has_forfeited();
    std::cout << "result " << (played ? "played" : forfeited ? "forfeited" : "voided") << std::endl;

    api::GetRecordRequest record;
    record.set_match_id(id);
    int lines = 0;
    for (const auto& part : organiser.read(&api::MatchService::Stub::GetRecord, record)) {
        lines += part.lines_size();
    }
    std::cout << "record " << lines << std::endl;
}

int main() {
    try {
        organise();
    } catch (const referee::CallError& error) {
        std::cerr << error.reason() << std::endl;
        return 1;
    } catch (const referee::SettingError& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
