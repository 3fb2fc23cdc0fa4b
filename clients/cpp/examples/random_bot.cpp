// Plays a random legal move, in every game.
#include <random>

#include "referee/bot.h"

class RandomBot : public referee::Bot {
  public:
    std::string choose(const referee::TurnRequest& request) override {
        // Replace this by your own choice; request.turn.position() is the position.
        const auto& moves = request.turn.legal_moves();
        std::random_device generator;
        return moves.at(std::uniform_int_distribution<int>(0, moves.size() - 1)(generator));
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
