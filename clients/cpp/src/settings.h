// Checks of the options.
#pragma once

#include "referee/options.h"

namespace referee {

// Throws SettingError if an option is missing or invalid.
void check(const Options& options);

// Returns whether the connection uses TLS: not for this machine or if plaintext is permitted, but
// always with root certificates.
bool uses_tls(const Options& options);

}  // namespace referee
