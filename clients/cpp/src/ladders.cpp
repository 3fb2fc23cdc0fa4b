#include "referee/ladders.h"

#include "calls.h"
#include "contest_conversion.h"
#include "contest_terms.h"

namespace referee {

using LadderStub = api::LadderService::Stub;

Ladder Ladders::create(const std::string& name, const LadderTerms& terms) const {
    api::CreateLadderRequest request;
    request.set_request_id(random_request_id());
    request.set_name(name);
    request.set_title(terms.title);
    *request.mutable_terms() = to_message(terms);
    return to_ladder(calls_->call(*calls_->ladders, &LadderStub::CreateLadder, request).ladder());
}

LadderStanding Ladders::join(const std::string& name, const Entrant& entrant) const {
    api::JoinLadderRequest request;
    request.set_ladder(name);
    *request.mutable_entrant() = to_message(entrant);
    return to_ladder_standing(
        calls_->call(*calls_->ladders, &LadderStub::JoinLadder, request).standing());
}

void Ladders::leave(const std::string& name, const std::string& entrant) const {
    api::LeaveLadderRequest request;
    request.set_ladder(name);
    request.set_entrant(entrant);
    calls_->call(*calls_->ladders, &LadderStub::LeaveLadder, request);
}

Pairing Ladders::challenge(const std::string& name,
                           const std::vector<std::string>& entrants) const {
    api::ChallengeRequest request;
    request.set_request_id(random_request_id());
    request.set_ladder(name);
    request.mutable_entrants()->Add(entrants.begin(), entrants.end());
    return to_pairing(calls_->call(*calls_->ladders, &LadderStub::Challenge, request).pairing());
}

Ladder Ladders::pause(const std::string& name, const std::string& why) const {
    api::PauseLadderRequest request;
    request.set_ladder(name);
    request.set_message(why);
    return to_ladder(calls_->call(*calls_->ladders, &LadderStub::PauseLadder, request).ladder());
}

Ladder Ladders::resume(const std::string& name) const {
    api::ResumeLadderRequest request;
    request.set_ladder(name);
    return to_ladder(calls_->call(*calls_->ladders, &LadderStub::ResumeLadder, request).ladder());
}

Ladder Ladders::close(const std::string& name, const std::string& why) const {
    api::CloseLadderRequest request;
    request.set_ladder(name);
    request.set_message(why);
    return to_ladder(calls_->call(*calls_->ladders, &LadderStub::CloseLadder, request).ladder());
}

Ladder Ladders::get(const std::string& name) const {
    api::GetLadderRequest request;
    request.set_name(name);
    return to_ladder(calls_->call(*calls_->ladders, &LadderStub::GetLadder, request).ladder());
}

Items<Ladder> Ladders::list(const LadderFilter& filter) const {
    api::ListLaddersRequest request;
    request.set_game(filter.game);
    request.set_bot(filter.bot);
    request.set_include_closed(filter.include_closed);
    const auto convert = [](const api::ListLaddersResponse& page) {
        return to_values(page.ladders(), to_ladder);
    };
    return Calls::pages<Ladder>(calls_, *calls_->ladders, &LadderStub::ListLadders, request,
                                convert);
}

Items<LadderStanding> Ladders::standings(const std::string& name, unsigned season) const {
    api::ListLadderStandingsRequest request;
    request.set_ladder(name);
    request.set_season(season);
    const auto convert = [](const api::ListLadderStandingsResponse& page) {
        return to_values(page.standings(), to_ladder_standing);
    };
    return Calls::pages<LadderStanding>(calls_, *calls_->ladders, &LadderStub::ListLadderStandings,
                                        request, convert);
}

void Ladders::watch(const std::string& name,
                    const std::function<bool(const LadderEntry&)>& on_entry, std::uint64_t after,
                    const std::stop_token& stop) const {
    api::WatchLadderRequest request;
    request.set_ladder(name);
    const auto handle = [&](const api::LadderEntry& entry) { return on_entry(to_entry(entry)); };
    calls_->watch(*calls_->ladders, &LadderStub::WatchLadder, request, after, handle, stop);
}

std::string Ladders::record(const std::string& name) const {
    api::GetLadderRecordRequest request;
    request.set_ladder(name);
    return calls_->text(*calls_->ladders, &LadderStub::GetLadderRecord, request);
}

}  // namespace referee
