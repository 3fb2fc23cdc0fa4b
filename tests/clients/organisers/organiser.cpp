// The program registers a bot, lets it play a match against itself, watches it, and prints what it has seen as lines.
#include "referee/organiser.h"

#include <algorithm>
#include <iostream>
#include <thread>

#include "referee/play.h"

using namespace std::chrono_literals;

int main() {
    std::cout << std::boolalpha;
    referee::Options options;
    options.read_environment();
    referee::Organiser organiser(options);
    referee::Options bot_options = options;
    bot_options.token = organiser.register_bot("robin", "plays whatever comes first");
    try {
        organiser.register_bot("robin", "again");
    } catch (const referee::CallError& error) {
        std::cout << "error " << error.reason() << "\n";
    }
    std::jthread bot([&](const std::stop_token& stop) {
        referee::play([](const referee::Turn& turn) { return turn.legal_moves.at(0); }, bot_options, stop);
    });
    referee::MatchTerms terms;
    terms.game = "alquerque";
    terms.clock = referee::TimeControl::fischer(1h, 1s);
    terms.start_timeout = 10min;
    terms.title = "test";
    const referee::Match match = organiser.create_match(terms, {"robin", "robin"});
    std::cout << "match " << match.game << " " << match.title << " " << match.bots[0] << " " << match.bots[1] << "\n";
    std::ptrdiff_t moves = 0;
    std::uint64_t last = 0;
    organiser.watch(match.id, [&](const referee::Entry& entry) {
        if (entry.number != ++last) std::cout << "entry " << entry.number << " instead of " << last << "\n";
        moves += entry.move.has_value();
        return true;
    });
    std::cout << "moves " << (moves > 0) << "\n";
    const referee::Result result = organiser.result(match.id).value();
    std::cout << "result " << (result.kind == referee::Result::Kind::played) << " " << result.scores.size() << "\n";
    const std::string record = organiser.record(match.id);
    std::cout << "record " << (std::count(record.begin(), record.end(), '\n') >= moves) << "\n";
    std::cout << "over " << (organiser.match(match.id).result.value().reason == result.reason) << "\n";
    bot.request_stop();
    bot.join();
    std::cout << "stopped\n";
}
