// Converts answers of the bot to messages of the contract.
#pragma once

#include "referee/bot.h"
#include "referee/options.h"
#include "referee_api/v1/play.pb.h"

namespace referee {

namespace api = referee_api::v1;

// Returns the message without an item id. A move that cannot be sent is reported, and replaced by a
// similar text that the server rejects: sending it unchanged would break the stream, and with it
// all other matches. The similar text costs one attempt.
api::BotItem to_item(const Answer& answer, const Turn& turn, const Logger& logger);

// Calls `choose`, the code of the bot. Returns its answer, or its resignation if it fails.
api::BotItem choose_answer(const std::function<Answer()>& choose, const Turn& turn,
                           const std::stop_token& cancelled, const Logger& logger);

}  // namespace referee
