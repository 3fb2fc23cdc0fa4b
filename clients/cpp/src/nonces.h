// The bot's nonces, and the check at the end of each match that the referee used them.
//
// Before a match the referee commits to its seed, and at the end it publishes the seed and the
// nonces from which all draws follow. If they do not fit, somebody has chosen the draws, which
// nobody but the bot can notice.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "referee/options.h"
#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

inline constexpr std::size_t NONCE_BYTES = 32;
inline constexpr std::size_t MAX_NONCE_BYTES = 64;

// Returns the SHA-256 of these bytes.
std::string sha256(const std::string& bytes);

class Nonces {
  public:
    using Choose = std::function<std::string(const std::string& match_id, unsigned seat)>;

    Nonces(Choose choose, Logger logger);

    // Returns the nonce. A repeated request gets the same one, since the referee may have it
    // already.
    api::BotItem on_request(const api::NonceRequest& request);

    void on_match_started(const std::string& match_id, const api::SeedCommitment& announced);

    // Checks the seed once for each match: a bot in several seats is told of the end for each of
    // them.
    void on_match_ended(const std::string& match_id, const api::SeedCommitment& published);

  private:
    // What is known about the seed of one match before its end.
    struct Contribution {
        std::string commitment;
        // The nonces of this bot, by the seat of the request.
        std::map<unsigned, std::string> nonces;
    };

    Contribution& keep_commitment(const std::string& match_id, const std::string& commitment);
    std::string chosen(const api::NonceRequest& request);
    static std::vector<std::string> problems(const Contribution& known,
                                             const api::SeedCommitment& published);

    void report(const std::string& match_id, const std::string& problem) const;

    Choose choose_;
    Logger logger_;
    std::map<std::string, Contribution> matches_;
};

}  // namespace referee
