// Converts the terms and filters of organisers to messages of the contract.
#pragma once

#include "referee/ladders.h"
#include "referee/tournaments.h"
#include "referee_api/v1/ladder.pb.h"
#include "referee_api/v1/tournament.pb.h"
#include "referee_api/v1/tournament_service.pb.h"

namespace referee {

namespace api = referee_api::v1;

api::MatchTerms to_message(const MatchTerms& terms);
api::Entrant to_message(const Entrant& entrant);
api::TournamentTerms to_message(const TournamentTerms& terms);
api::LadderTerms to_message(const LadderTerms& terms);
api::TournamentPhase to_message(Tournament::Phase phase);
api::PairingPhase to_message(Pairing::Phase phase);
api::ExportFormat to_message(ExportFormat format);

}  // namespace referee
