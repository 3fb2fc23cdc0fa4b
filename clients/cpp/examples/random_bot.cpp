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

    referee::api::TurnOptions turn_options() const override {
        referee::api::TurnOptions options;
        options.set_max_legal_moves(5000);
        return options;
    }
};

int main() {
    RandomBot bot;
    return referee::run(bot);
}
