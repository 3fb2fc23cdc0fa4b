// The connection of an organiser, and what its calls have in common.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "referee/contests.h"
#include "referee/organiser.h"
#include "referee_api/v1/bot_service.grpc.pb.h"
#include "referee_api/v1/ladder_service.grpc.pb.h"
#include "referee_api/v1/match_service.grpc.pb.h"
#include "referee_api/v1/tournament_service.grpc.pb.h"
#include "retries.h"

namespace referee {

namespace api = referee_api::v1;

// Returns a new idempotency key: the server answers a repeated request without executing it again.
std::string random_request_id();

class Calls {
  public:
    template <typename Stub, typename Request, typename Response>
    using Unary = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);
    template <typename Stub, typename Request, typename Response>
    using Streaming = std::unique_ptr<grpc::ClientReader<Response>> (Stub::*)(grpc::ClientContext*,
                                                                              const Request&);

    // Throws SettingError.
    explicit Calls(const Options& options);

    // Makes a call with one response, again if it fails for a moment. The request, and so its
    // request id, stays the same.
    template <typename Stub, typename Request, typename Response>
    Response call(Stub& stub, Unary<Stub, Request, Response> method, const Request& request) const {
        Response response;
        throw_unless_ok(make_retries({}).repeat([&] {
            grpc::ClientContext context;
            prepare(context);
            context.set_deadline(std::chrono::system_clock::now() + TIMEOUT);
            return (stub.*method)(&context, request, &response);
        }));
        return response;
    }

    // Makes a call with a stream of responses, until `handle` returns false or a stop is requested.
    template <typename Stub, typename Request, typename Response, typename Handle>
    grpc::Status read(Stub& stub, Streaming<Stub, Request, Response> method, const Request& request,
                      Handle handle, const std::stop_token& stop) const {
        grpc::ClientContext context;
        prepare(context);
        const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
        const auto stream = (stub.*method)(&context, request);
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

    // Reads a finite stream, from its beginning again if it breaks; `forget` is called before each
    // attempt.
    template <typename Stub, typename Request, typename Response, typename Handle, typename Forget>
    void read_whole(Stub& stub, Streaming<Stub, Request, Response> method, const Request& request,
                    Handle handle, Forget forget) const {
        throw_unless_ok(make_retries({}).repeat([&] {
            forget();
            return read(stub, method, request, handle, {});
        }));
    }

    // Returns the text that comes in parts.
    template <typename Stub, typename Request, typename Response>
    std::string text(Stub& stub, Streaming<Stub, Request, Response> method,
                     const Request& request) const {
        std::string text;
        const auto handle = [&text](const Response& response) {
            text += response.text();
            return true;
        };
        read_whole(stub, method, request, handle, [&text] { text.clear(); });
        return text;
    }

    // Calls `handle` for the entries of a log, until it returns false or a stop is requested. After
    // an interruption, it goes on with the next entry.
    template <typename Stub, typename Request, typename Response, typename Handle>
    void watch(Stub& stub, Streaming<Stub, Request, Response> method, Request request,
               std::uint64_t after, Handle handle, const std::stop_token& stop) const {
        Retries retries = make_retries(stop);
        const auto handle_items = [&](const Response& response) {
            for (const auto& item : response.items()) {
                if (!item.has_entry()) continue;
                after = item.entry().number();
                retries.reset();
                if (!handle(item.entry())) return false;
            }
            return true;
        };
        while (!stop.stop_requested()) {
            request.set_after_number(after);
            const grpc::Status status = read(stub, method, request, handle_items, stop);
            if (status.ok()) return;
            if (!is_interruption(status)) throw_unless_ok(status);
            retries.pause_after(status);
        }
    }

    // Returns the items of a list, of which `convert` returns those of a page.
    template <typename T, typename Stub, typename Request, typename Response, typename Convert>
    static Items<T> pages(std::shared_ptr<const Calls> calls, Stub& stub,
                          Unary<Stub, Request, Response> method, Request request, Convert convert) {
        request.set_page_size(PAGE_SIZE);
        return Items<T>([calls = std::move(calls), &stub, method, request,
                         convert](std::string& token) mutable {
            request.set_page_token(token);
            const Response response = calls->call(stub, method, request);
            token = response.next_page_token();
            return convert(response);
        });
    }

  private:
    // After this time, a server that does not answer is unavailable.
    static constexpr std::chrono::seconds TIMEOUT{60};
    // The most that a page has.
    static constexpr unsigned PAGE_SIZE = 1000;

    void prepare(grpc::ClientContext& context) const;
    // Returns whether a watch may go on. A watcher that is too slow gets RESOURCE_EXHAUSTED.
    static bool is_interruption(const grpc::Status& status);
    static void throw_unless_ok(const grpc::Status& status);
    // Its pauses end when a stop is requested.
    static Retries make_retries(const std::stop_token& stop);

    std::string authorization_;
    std::shared_ptr<grpc::Channel> channel_;

  public:
    std::unique_ptr<api::BotService::Stub> bots;
    std::unique_ptr<api::LadderService::Stub> ladders;
    std::unique_ptr<api::MatchService::Stub> matches;
    std::unique_ptr<api::TournamentService::Stub> tournaments;
};

}  // namespace referee
