/// @file
/// Connects bots to a server.
#pragma once

#include <stop_token>

#include "referee/bot.h"
#include "referee/options.h"
#include "referee/turn.h"

namespace referee {

/// Plays until `stop` is requested, and reconnects after a session has ended. Pings are answered
/// while the bot computes, and no turn is lost or answered twice by a lost connection.
///
/// It throws SettingError if an option is missing or invalid, TakenOverError if a newer session of
/// the same bot has taken over its seats, and RejectedError if the server rejects the bot. It
/// returns or throws only when all calls of the bot have ended, whose stop tokens it sets.
///
/// It handles no signals, reads no environment, writes nothing, and never ends the process.
void play(const Bots& bots, Options options, const std::stop_token& stop = {});

}  // namespace referee
