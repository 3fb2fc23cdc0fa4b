#include "referee/program.h"

std::string choose(const referee::Turn& turn) {
    if (turn.game != "trox") return turn.legal_moves.at(0);
    return turn.rejection ? "\xff\xfe" : std::string(2'000'000, 'x');
}

int main() {
    return referee::run_program(choose);
}
