#include "nonces.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace referee {

namespace {

const std::string REPLACED = "the referee has replaced its commitment to the seed";

}  // namespace

std::string random_nonce() {
    std::array<unsigned char, NONCE_BYTES> bytes{};
    if (RAND_bytes(bytes.data(), NONCE_BYTES) != 1)
        throw std::runtime_error("there is no randomness");
    return {bytes.begin(), bytes.end()};
}

std::string sha256(const std::string& bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), hash.data(), &size, EVP_sha256(), nullptr);
    return {hash.begin(), hash.begin() + size};
}

Nonces::Nonces(Choose choose, Logger logger)
    : choose_(std::move(choose)), logger_(std::move(logger)) {}

api::BotItem Nonces::on_request(const api::NonceRequest& request) {
    Contribution& known = keep_commitment(request.match_id(), request.commitment());
    auto kept = known.nonces.find(request.seat());
    if (kept == known.nonces.end()) {
        kept = known.nonces.emplace(request.seat(), chosen(request)).first;
    }
    api::BotItem item;
    item.mutable_nonce()->set_match_id(request.match_id());
    item.mutable_nonce()->set_seat(request.seat());
    item.mutable_nonce()->set_nonce(kept->second);
    return item;
}

void Nonces::on_match_started(const std::string& match_id, const api::SeedCommitment& announced) {
    keep_commitment(match_id, announced.commitment());
}

void Nonces::on_match_ended(const std::string& match_id, const api::SeedCommitment& published) {
    const auto found = matches_.find(match_id);
    if (found == matches_.end()) return;
    const Contribution known = std::move(found->second);
    matches_.erase(found);
    if (published.commitment().empty()) return;
    for (const std::string& problem : problems(known, published)) {
        report(match_id, problem);
    }
}

// Returns what is known about the match. The first commitment counts.
Nonces::Contribution& Nonces::keep_commitment(const std::string& match_id,
                                              const std::string& commitment) {
    Contribution& known =
        matches_.try_emplace(match_id, Contribution{commitment, {}}).first->second;
    if (known.commitment != commitment) report(match_id, REPLACED);
    return known;
}

std::string Nonces::chosen(const api::NonceRequest& request) {
    std::string problem = "it threw something that is not a std::exception";
    try {
        std::string nonce = choose_(request.match_id(), request.seat());
        if (nonce.size() <= MAX_NONCE_BYTES) return nonce;
        problem = "it has " + std::to_string(nonce.size()) + " bytes, the limit is " +
                  std::to_string(MAX_NONCE_BYTES);
    } catch (const std::exception& error) {
        problem = error.what();
    } catch (...) {  // The problem says so.
    }
    report(request.match_id(),
           "the bot failed to choose a nonce, and a random one is sent: " + problem);
    return random_nonce();
}

void Nonces::report(const std::string& match_id, const std::string& problem) const {
    logger_(LogLevel::error, "match " + match_id + ": " + problem);
}

// Returns what does not fit. The seed is checked if it is published, which duplicate play delays.
std::vector<std::string> Nonces::problems(const Contribution& known,
                                          const api::SeedCommitment& published) {
    std::vector<std::string> found;
    if (published.commitment() != known.commitment) found.push_back(REPLACED);
    if (!published.seed().empty() && sha256(published.seed()) != known.commitment) {
        found.emplace_back("the seed of the referee does not match its commitment");
    }
    std::map<unsigned, std::string> used;
    for (const api::SeatNonce& nonce : published.nonces()) used[nonce.seat()] = nonce.nonce();
    for (const auto& [seat, nonce] : known.nonces) {
        if (used[seat] == nonce) continue;
        const std::string of_seat = "nonce of seat " + std::to_string(seat);
        found.push_back(used[seat].empty() ? "the seed was made without the " + of_seat +
                                                 ": it was late, or the referee ignored it"
                                           : "the seed was made with another " + of_seat +
                                                 " than the one that was sent");
    }
    return found;
}

}  // namespace referee
