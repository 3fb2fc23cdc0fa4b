// Reads the test vectors of the client specification, which are in the repository but not in a
// packed client.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "referee/options.h"
#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;
using nlohmann::json;

// Returns the content of a file of vectors.
inline json load_file(const std::string& name) {
    std::ifstream file(std::string(REFEREE_VECTORS) + "/" + name + ".json");
    if (!file)
        throw std::runtime_error("the test vectors are in clients/vectors of the repository");
    return json::parse(file);
}

inline json load_vectors(const std::string& name) {
    return load_file(name)["vectors"];
}

inline std::string unhex(const std::string& text) {
    std::string bytes;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        bytes += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
    }
    return bytes;
}

// Options of a player without a connection, whose messages are kept.
struct TestOptions : Options {
    explicit TestOptions(std::vector<std::string>& messages) {
        address = "localhost:7700";
        token = "secret";
        nonce = [](const std::string&, unsigned) { return random_nonce(); };
        logger = [&messages](LogLevel, const std::string& text) { messages.push_back(text); };
        executor = [](const std::function<void()>& task) { task(); };
    }
};

// Returns the item of the contract. `item_ids` has the item ids of answers by their turns.
api::RefereeItem to_referee_item(const json& item,
                                 const std::map<json, std::uint64_t>& item_ids = {});

}  // namespace referee
