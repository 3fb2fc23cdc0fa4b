/// @file
/// Makes a program of a bot: settings from the environment, signals, standard error, exit statuses.
/// It needs a system with POSIX signals.
#pragma once

#include "referee/play.h"

namespace referee {

/// The exit statuses of a bot's program.
enum ExitStatus {
    STOPPED = 0,  // By SIGINT or SIGTERM.
    FAILED = 1,   // For example because no thread can be started.
    MISCONFIGURED = 2,
    TAKEN_OVER = 3,  // By a newer session of the same bot.
    REJECTED = 4,    // By the server, for example because of an invalid token.
};

/// Plays until the program gets SIGINT or SIGTERM, and returns its exit status. Environment
/// variables that are set replace options, see Options::read_environment. Messages go to standard
/// error unless the options have a logger. If calls of the bot do not end within a second after the
/// play, it ends the program with this status, as std::_Exit does; a second signal ends it at once.
///
/// It must be called by the main thread before any other thread exists, because it blocks signals.
int run_program(const Bots& bots, Options options = {});

}  // namespace referee
