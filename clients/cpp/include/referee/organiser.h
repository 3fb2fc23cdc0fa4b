/// @file
/// Calls of the contract, for organisers and watchers. It needs the target `referee::organiser`.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "referee/options.h"
#include "referee/turn.h"

namespace referee {

/// The server rejected a call, or could not be reached.
class CallError : public std::runtime_error {
  public:
    explicit CallError(Rejection rejection)
        : std::runtime_error(rejection.message + " (" + rejection.reason + ")"),
          rejection_(std::move(rejection)) {}

    /// An upper-case name from the contract, such as "NAME_TAKEN". Programs should use it, and
    /// never the message. If the error is not from the server itself, it is the name of a gRPC
    /// status code.
    const std::string& reason() const { return rejection_.reason; }
    /// The variables of the message by name.
    const std::map<std::string, std::string>& metadata() const { return rejection_.metadata; }

  private:
    Rejection rejection_;
};

/// Makes calls of the contract with the token and the connection of the options. Methods, requests
/// and responses are the generated ones, in referee_api/v1: `call(&MatchService::Stub::GetMatch,
/// request)`. While the server cannot be reached or asks for a pause, a call is made up to five
/// times, with the same request id, so that nothing is created twice. All methods are thread-safe,
/// and throw CallError.
class Organiser {
  public:
    template <typename Stub, typename Request, typename Response>
    using Unary = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);
    template <typename Stub, typename Request, typename Response>
    using Streaming = std::unique_ptr<grpc::ClientReader<Response>> (Stub::*)(grpc::ClientContext*,
                                                                              const Request&);

    /// Throws SettingError. It connects with its first call. Options about bots have no effect.
    explicit Organiser(const Options& options);

    /// Makes a call with one response, which may take a minute. If the request has a request id
    /// that is empty, a new id is set.
    template <typename Stub, typename Request, typename Response>
    Response call(Unary<Stub, Request, Response> method, Request request) const {
        if constexpr (requires { request.set_request_id(std::string()); }) {
            if (request.request_id().empty()) request.set_request_id(new_request_id());
        }
        Response response;
        Stub stub(channel_);
        repeat([&](grpc::ClientContext& context) {
            context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
            return (stub.*method)(&context, request, &response);
        });
        return response;
    }

    /// Reads a finite stream, such as a record, from its beginning again if it breaks.
    template <typename Stub, typename Request, typename Response>
    std::vector<Response> read(Streaming<Stub, Request, Response> method,
                               const Request& request) const {
        std::vector<Response> responses;
        Stub stub(channel_);
        repeat([&](grpc::ClientContext& context) {
            responses.clear();
            const auto stream = (stub.*method)(&context, request);
            for (Response response; stream->Read(&response);) responses.push_back(response);
            return stream->Finish();
        });
        return responses;
    }

    /// Reads the pages of a list, until `on_page` returns false.
    template <typename Stub, typename Request, typename Response, typename OnPage>
    void pages(Unary<Stub, Request, Response> method, Request request, OnPage on_page) const {
        do {
            const Response page = call(method, request);
            if (!on_page(page)) return;
            request.set_page_token(page.next_page_token());
        } while (!request.page_token().empty());
    }

    /// Calls `on_item` for the items of a match or a contest, each entry once and in order, and
    /// returns when the match or contest is over, when `on_item` has returned false, or when a stop
    /// is requested. After an interruption, the watch continues after the last entry. If the
    /// request has no `after_number`, only new entries are watched.
    template <typename Stub, typename Request, typename Response, typename OnItem>
    void watch(Streaming<Stub, Request, Response> method, Request request, OnItem on_item,
               const std::stop_token& stop = {}) const {
        Stub stub(channel_);
        bool wanted = true;
        bool progress = false;
        const auto read_items = [&](grpc::ClientContext& context) {
            const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
            const auto stream = (stub.*method)(&context, request);
            progress = false;
            for (Response response; wanted && stream->Read(&response);) {
                for (const auto& item : response.items()) {
                    if (item.has_entry()) {
                        request.set_after_number(item.entry().number());
                        progress = true;
                    }
                    wanted = wanted && on_item(item);
                }
            }
            if (!wanted) context.TryCancel();
            const grpc::Status status = stream->Finish();
            return wanted && !stop.stop_requested() ? status : grpc::Status::OK;
        };
        repeat(read_items, &progress, stop);
    }

  private:
    using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

    static std::string new_request_id();
    // Makes attempts until one succeeds or fails for good: five at most, or those of a watch, which
    // tells its progress, until a stop is requested.
    void repeat(const Attempt& attempt, const bool* progress = nullptr,
                const std::stop_token& stop = {}) const;

    std::string authorization_;
    std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace referee
