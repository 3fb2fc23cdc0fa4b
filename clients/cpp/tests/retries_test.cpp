// Repetition of calls that fail for a moment.
#include "retries.h"

#include <gtest/gtest.h>

#include <vector>

#include "error_details.pb.h"

namespace referee {

namespace {

using std::chrono::milliseconds;

const grpc::Status LOST(grpc::UNAVAILABLE, "no route to host");

grpc::Status failure(grpc::StatusCode code, const std::string& retry_after_ms) {
    referee_error::ErrorInfo info;
    info.set_reason("SOME_REASON");
    (*info.mutable_metadata())["retry_after_ms"] = retry_after_ms;
    referee_error::Status details;
    referee_error::Detail& detail = *details.add_details();
    detail.set_type_url("type.googleapis.com/google.rpc.ErrorInfo");
    detail.set_value(info.SerializeAsString());
    return {code, "not now", details.SerializeAsString()};
}

struct Outcome {
    grpc::StatusCode code;
    std::vector<milliseconds> pauses;
};

// Makes attempts that fail with these statuses first.
Outcome repeat(const std::vector<grpc::Status>& failures) {
    Outcome outcome;
    Retries retries([&](milliseconds pause) { outcome.pauses.push_back(pause); },
                    [] { return 0.5; });
    std::size_t attempts = 0;
    const auto attempt = [&] {
        return attempts < failures.size() ? failures[attempts++] : grpc::Status::OK;
    };
    outcome.code = retries.repeat(attempt).error_code();
    return outcome;
}

}  // namespace

TEST(Retries, ThePauseIsWhatTheServerAsksFor) {
    const Outcome outcome =
        repeat({failure(grpc::UNAVAILABLE, "1500"), failure(grpc::RESOURCE_EXHAUSTED, "20000")});
    EXPECT_EQ(outcome.code, grpc::OK);
    EXPECT_EQ(outcome.pauses, (std::vector{milliseconds(1'500), milliseconds(20'000)}));
}

TEST(Retries, ATimeThatIsNoNumberOfMillisecondsIsASecond) {
    const Outcome outcome =
        repeat({failure(grpc::UNAVAILABLE, "soon"), failure(grpc::UNAVAILABLE, "60001")});
    EXPECT_EQ(outcome.pauses, (std::vector{milliseconds(1'000), milliseconds(1'000)}));
}

TEST(Retries, IfTheServerAsksForNonePausesBecomeLonger) {
    const Outcome outcome = repeat({LOST, failure(grpc::UNAVAILABLE, "0"), LOST});
    EXPECT_EQ(outcome.code, grpc::OK);
    EXPECT_EQ(outcome.pauses,
              (std::vector{milliseconds(500), milliseconds(1'000), milliseconds(2'000)}));
}

TEST(Retries, ARejectionIsFinal) {
    const Outcome outcome = repeat({{grpc::NOT_FOUND, "there is no such match"}});
    EXPECT_EQ(outcome.code, grpc::NOT_FOUND);
    EXPECT_TRUE(outcome.pauses.empty());
}

TEST(Retries, TheFifthFailureIsFinal) {
    const Outcome outcome = repeat(std::vector(5, failure(grpc::UNAVAILABLE, "7")));
    EXPECT_EQ(outcome.code, grpc::UNAVAILABLE);
    EXPECT_EQ(outcome.pauses, std::vector(4, milliseconds(7)));
}

}  // namespace referee
