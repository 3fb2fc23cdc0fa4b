#include "referee/organiser.h"

#include <grpcpp/client_context.h>

#include <condition_variable>
#include <mutex>
#include <random>

#include "channel.h"
#include "conversion.h"
#include "referee_api/v1/bot_service.grpc.pb.h"
#include "referee_api/v1/match_service.grpc.pb.h"
#include "retries.h"
#include "settings.h"

namespace referee {

namespace {

// After this time, a server that does not answer is unavailable.
const std::chrono::seconds CALL_TIMEOUT{60};

// The server answers a repeated request without executing it again.
std::string random_request_id() {
    static const char digits[] = "0123456789abcdef";
    std::string id;
    for (const unsigned char byte : random_nonce()) {
        id += digits[byte >> 4];
        id += digits[byte & 15];
    }
    return id;
}

void throw_unless_ok(const grpc::Status& status) {
    if (!status.ok()) throw CallError(to_rejection(status));
}

// Returns whether the call may be made again. A watcher that is too slow gets RESOURCE_EXHAUSTED.
bool is_interruption(const grpc::Status& status) {
    switch (status.error_code()) {
        case grpc::UNAVAILABLE:
        case grpc::UNKNOWN:
        case grpc::INTERNAL:
        case grpc::RESOURCE_EXHAUSTED:
            return true;
        default:
            return false;
    }
}

void fill_rule(api::ClockRule& rule, const TimeControl& clock) {
    switch (clock.kind) {
        case TimeControl::Kind::untimed:
            rule.mutable_untimed();
            return;
        case TimeControl::Kind::fischer:
            rule.mutable_fischer()->set_main_ms(clock.main.count());
            rule.mutable_fischer()->set_increment_ms(clock.increment.count());
            return;
        case TimeControl::Kind::sudden_death:
            rule.mutable_sudden_death()->set_main_ms(clock.main.count());
            return;
        case TimeControl::Kind::per_move:
            rule.mutable_per_move()->set_move_ms(clock.main.count());
            return;
    }
}

Entry to_entry(const api::Entry& message) {
    Entry entry;
    entry.number = message.number();
    const auto since_epoch = std::chrono::seconds(message.create_time().seconds()) +
                             std::chrono::nanoseconds(message.create_time().nanos());
    entry.time = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
    const auto* event = message.GetReflection()->GetOneofFieldDescriptor(
        message, message.GetDescriptor()->FindOneofByName("event"));
    if (event) entry.kind = event->name();
    if (message.has_move_played()) {
        const api::SeatMove& played = message.move_played().played();
        entry.move = PlayedMove{played.seat(), played.move()};
    }
    if (message.has_play_ended()) entry.result = to_result(message.play_ended().result());
    return entry;
}

// Waits, unless a stop is requested.
void pause(std::chrono::milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, duration, [] { return false; });
}

Retries make_retries(const std::stop_token& stop) {
    const auto wait = [stop](std::chrono::milliseconds duration) { pause(duration, stop); };
    const auto random = [generator = std::mt19937(std::random_device{}())]() mutable {
        return std::uniform_real_distribution<>(0, 1)(generator);
    };
    return Retries(wait, random);
}

}  // namespace

class Organiser::Calls {
  public:
    explicit Calls(const Options& options)
        : authorization_(authorization_of(options)),
          channel_(create_channel(options)),
          bots(api::BotService::NewStub(channel_)),
          matches(api::MatchService::NewStub(channel_)) {}

    void prepare(grpc::ClientContext& context) const {
        context.AddMetadata("authorization", authorization_);
    }

    // Makes a call with one response, again if it fails for a moment. The request, and so its
    // request id, stays the same.
    template <typename Response, typename Stub, typename Request>
    Response call(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request) const {
        Response response;
        throw_unless_ok(make_retries({}).repeat([&] {
            grpc::ClientContext context;
            prepare(context);
            context.set_deadline(std::chrono::system_clock::now() + CALL_TIMEOUT);
            return (stub.*method)(&context, request, &response);
        }));
        return response;
    }

    // Makes a call with a stream of responses, until `handle` returns false or a stop is requested.
    template <typename Response, typename Open, typename Handle>
    grpc::Status read(Open open, Handle handle, const std::stop_token& stop) const {
        grpc::ClientContext context;
        prepare(context);
        const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
        const auto stream = open(context);
        bool wanted = true;
        for (Response response; stream->Read(&response);) {
            if (wanted && !handle(response)) {
                wanted = false;
                context.TryCancel();
            }
        }
        const grpc::Status status = stream->Finish();
        return wanted && !stop.stop_requested() ? status : grpc::Status::OK;
    }

  private:
    std::string authorization_;
    std::shared_ptr<grpc::Channel> channel_;

  public:
    std::unique_ptr<api::BotService::Stub> bots;
    std::unique_ptr<api::MatchService::Stub> matches;
};

Organiser::Organiser(const Options& options) {
    check(options);
    calls_ = std::make_unique<Calls>(options);
}

Organiser::~Organiser() = default;
Organiser::Organiser(Organiser&&) noexcept = default;
Organiser& Organiser::operator=(Organiser&&) noexcept = default;

std::string Organiser::register_bot(const std::string& name, const std::string& description) {
    api::RegisterBotRequest request;
    request.set_request_id(random_request_id());
    request.set_name(name);
    request.set_description(description);
    const std::string token =
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
    api::MatchTerms& message = *request.mutable_terms();
    message.mutable_rules()->set_game(terms.game);
    message.mutable_rules()->set_preset(terms.preset);
    message.mutable_rules()->mutable_options()->insert(terms.options.begin(), terms.options.end());
    fill_rule(*message.mutable_time_control()->mutable_rule(), terms.clock);
    message.set_start_timeout_ms(terms.start_timeout.count());
    for (const std::string& bot : bots) request.add_seats()->set_bot(bot);
    return to_match(
        calls_->call(*calls_->matches, &api::MatchService::Stub::CreateMatch, request).match());
}

Match Organiser::match(const std::string& match_id) {
    api::GetMatchRequest request;
    request.set_match_id(match_id);
    return to_match(
        calls_->call(*calls_->matches, &api::MatchService::Stub::GetMatch, request).match());
}

void Organiser::abort_match(const std::string& match_id, const std::string& why) {
    api::AbortMatchRequest request;
    request.set_request_id(random_request_id());
    request.set_match_id(match_id);
    request.set_message(why);
    calls_->call(*calls_->matches, &api::MatchService::Stub::AbortMatch, request);
}

void Organiser::watch(const std::string& match_id,
                      const std::function<bool(const Entry&)>& on_entry, std::uint64_t after,
                      const std::stop_token& stop) {
    api::WatchMatchRequest request;
    request.set_match_id(match_id);
    request.set_after_number(after);
    Retries retries = make_retries(stop);
    while (!stop.stop_requested()) {
        const auto open = [&](grpc::ClientContext& context) {
            return calls_->matches->WatchMatch(&context, request);
        };
        const auto handle = [&](const api::WatchMatchResponse& response) {
            for (const api::WatchMatchItem& item : response.items()) {
                if (!item.has_entry()) continue;
                request.set_after_number(item.entry().number());
                retries.reset();
                if (!on_entry(to_entry(item.entry()))) return false;
            }
            return true;
        };
        const grpc::Status status = calls_->read<api::WatchMatchResponse>(open, handle, stop);
        if (status.ok()) return;
        if (!is_interruption(status)) throw_unless_ok(status);
        retries.pause_after(status);
    }
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
    const auto open = [&](grpc::ClientContext& context) {
        return calls_->matches->GetRecord(&context, request);
    };
    const auto handle = [&](const api::GetRecordResponse& response) {
        for (const std::string& line : response.lines()) record += line + "\n";
        return true;
    };
    throw_unless_ok(make_retries({}).repeat([&] {
        record.clear();
        return calls_->read<api::GetRecordResponse>(open, handle, {});
    }));
    return record;
}

}  // namespace referee
