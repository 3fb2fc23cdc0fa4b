// Repetition of what fails for a moment.
#pragma once

#include <grpcpp/support/status.h>

#include <chrono>
#include <functional>
#include <optional>

#include "backoff.h"
#include "referee/turn.h"

namespace referee {

// Returns the time after which a retry may succeed, or nothing if it is not known that one will.
std::optional<std::chrono::milliseconds> retry_after(const Rejection& rejection);

// The pauses after failures.
class Retries {
  public:
    using Pause = std::function<void(std::chrono::milliseconds)>;

    // Waits by the given function, and takes numbers from 0 to 1 from the other one.
    Retries(Pause pause, std::function<double()> random);

    // Makes attempts, five at most, until one succeeds or fails for good. Returns its status.
    grpc::Status repeat(const std::function<grpc::Status()>& attempt);

    // Waits as long as the server asks for, or else as the backoff says.
    void pause_after(const grpc::Status& failure);

    // Must be called when an attempt has made progress.
    void reset() { backoff_ = {}; }

  private:
    Pause pause_;
    std::function<double()> random_;
    Backoff backoff_;
};

}  // namespace referee
