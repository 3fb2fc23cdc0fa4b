// Converts messages of the contract to what organisers and watchers receive.
#pragma once

#include "referee/ladders.h"
#include "referee/tournaments.h"
#include "referee_api/v1/contest.pb.h"
#include "referee_api/v1/entry.pb.h"
#include "referee_api/v1/ladder.pb.h"
#include "referee_api/v1/tournament.pb.h"

namespace referee {

namespace api = referee_api::v1;

Entry to_entry(const api::Entry& message);
Entrant to_entrant(const api::Entrant& message);
Pairing to_pairing(const api::Pairing& message);
Tournament to_tournament(const api::Tournament& message);
TournamentStanding to_tournament_standing(const api::TournamentStanding& message);
TournamentEntry to_entry(const api::TournamentEntry& message);
Ladder to_ladder(const api::Ladder& message);
LadderStanding to_ladder_standing(const api::LadderStanding& message);
LadderEntry to_entry(const api::LadderEntry& message);

// Returns the values for messages.
template <typename Messages, typename Message, typename Value>
std::vector<Value> to_values(const Messages& messages, Value (*convert)(const Message&)) {
    std::vector<Value> values;
    for (const Message& message : messages) values.push_back(convert(message));
    return values;
}

}  // namespace referee
