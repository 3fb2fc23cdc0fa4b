// Shows that the installed client is linked: it knows that an address is missing.
#include "referee/play.h"

int main() {
    try {
        referee::play([](const referee::Turn& turn) { return turn.legal_moves.at(0); }, {}, {});
    } catch (const referee::SettingError& error) {
        return error.variable() == "BOT_REFEREE" ? 0 : 1;
    }
    return 1;
}
