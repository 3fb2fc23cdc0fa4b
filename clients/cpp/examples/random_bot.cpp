// Plays a random one of the legal moves: a bot for every game there is.
#include <random>

#include "referee/bot.h"

class RandomBot : public referee::Bot {
  public:
    std::string choose(const referee::Asked& asked) override {
        const auto& moves = asked.turn.legal_moves();  // Your idea goes here; asked.turn.position()
        std::random_device chance;                     // says how it stands.
        return moves.at(std::uniform_int_distribution<int>(0, moves.size() - 1)(chance));
    }

    referee::api::TurnWishes wishes() const override {
        referee::api::TurnWishes wishes;
        wishes.set_legal_moves_at_most(5000);
        return wishes;
    }
};

int main() {
    RandomBot bot;
    return referee::run(bot);
}
