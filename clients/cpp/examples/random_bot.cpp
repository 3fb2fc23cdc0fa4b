// Plays a random legal move, in every game.
#include <random>

#include "referee/program.h"

std::string choose(const referee::Turn& turn) {
    // Replace this by your own choice; turn.position is the position.
    thread_local std::mt19937 generator{std::random_device{}()};
    return turn.legal_moves.at(
        std::uniform_int_distribution<std::size_t>(0, turn.legal_moves.size() - 1)(generator));
}

int main() {
    return referee::run_program(choose);
}
