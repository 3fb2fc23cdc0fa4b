#include "referee/bot.h"

class PoisonousBot : public referee::Bot {
  public:
    std::string choose(const referee::TurnRequest& request) override {
        if (request.turn.rules().game() != "trox") return request.turn.legal_moves(0);
        return request.rejection ? "\xff\xfe" : std::string(2'000'000, 'x');
    }

    referee::api::TurnOptions turn_options() const override {
        referee::api::TurnOptions options;
        options.set_max_legal_moves(1);
        return options;
    }
};

int main() {
    PoisonousBot bot;
    return referee::run(bot);
}
