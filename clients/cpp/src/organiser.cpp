#include "referee/organiser.h"

#include "calls.h"
#include "contest_conversion.h"
#include "contest_terms.h"
#include "conversion.h"
#include "referee/ladders.h"
#include "referee/tournaments.h"
#include "settings.h"

namespace referee {

using Matches = api::MatchService::Stub;

Organiser::Organiser(const Options& options) {
    check(options);
    calls_ = std::make_shared<Calls>(options);
}

Organiser::~Organiser() = default;
Organiser::Organiser(Organiser&&) noexcept = default;
Organiser& Organiser::operator=(Organiser&&) noexcept = default;

std::string Organiser::register_bot(const std::string& name, const std::string& description) {
    api::RegisterBotRequest request;
    request.set_request_id(random_request_id());
    request.set_name(name);
    request.set_description(description);
    std::string token =
        calls_->call(*calls_->bots, &api::BotService::Stub::RegisterBot, request).secret();
    if (!token.empty()) return token;
    // The call was repeated, and the response that had the token was lost.
    api::CreateBotTokenRequest another;
    another.set_bot(name);
    return calls_->call(*calls_->bots, &api::BotService::Stub::CreateBotToken, another).secret();
}

Match Organiser::create_match(const MatchTerms& terms, const std::vector<std::string>& bots) {
    api::CreateMatchRequest request;
    request.set_request_id(random_request_id());
    request.set_title(terms.title);
    *request.mutable_terms() = to_message(terms);
    for (const std::string& bot : bots) request.add_seats()->set_bot(bot);
    return to_match(calls_->call(*calls_->matches, &Matches::CreateMatch, request).match());
}

Match Organiser::match(const std::string& match_id) {
    api::GetMatchRequest request;
    request.set_match_id(match_id);
    return to_match(calls_->call(*calls_->matches, &Matches::GetMatch, request).match());
}

void Organiser::abort_match(const std::string& match_id, const std::string& why) {
    api::AbortMatchRequest request;
    request.set_request_id(random_request_id());
    request.set_match_id(match_id);
    request.set_message(why);
    calls_->call(*calls_->matches, &Matches::AbortMatch, request);
}

void Organiser::watch(const std::string& match_id,
                      const std::function<bool(const Entry&)>& on_entry, std::uint64_t after,
                      const std::stop_token& stop) {
    api::WatchMatchRequest request;
    request.set_match_id(match_id);
    const auto handle = [&](const api::Entry& entry) { return on_entry(to_entry(entry)); };
    calls_->watch(*calls_->matches, &Matches::WatchMatch, request, after, handle, stop);
}

std::optional<Result> Organiser::result(const std::string& match_id, const std::stop_token& stop) {
    std::optional<Result> result;
    const auto keep = [&](const Entry& entry) {
        result = entry.result;
        return !result;
    };
    watch(match_id, keep, 0, stop);
    return result;
}

std::string Organiser::record(const std::string& match_id) {
    api::GetRecordRequest request;
    request.set_match_id(match_id);
    std::string record;
    const auto handle = [&](const api::GetRecordResponse& response) {
        for (const std::string& line : response.lines()) record += line + "\n";
        return true;
    };
    calls_->read_whole(*calls_->matches, &Matches::GetRecord, request, handle,
                       [&record] { record.clear(); });
    return record;
}

Tournaments Organiser::tournaments() const {
    return Tournaments(calls_);
}

Ladders Organiser::ladders() const {
    return Ladders(calls_);
}

}  // namespace referee
