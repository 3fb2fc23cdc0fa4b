// Organises a match, which is the task of the conformance kit: creates and watches it, reads its
// result and record.
#include <algorithm>
#include <iostream>

#include "referee/organiser.h"

using namespace std::chrono_literals;

const char* kind_of(const referee::Result& result) {
    switch (result.kind) {
        case referee::Result::Kind::played:
            return "played";
        case referee::Result::Kind::forfeited:
            return "forfeited";
        default:
            return "voided";
    }
}

void organise() {
    referee::Options options;
    options.read_environment();
    referee::Organiser organiser(options);
    referee::MatchTerms terms;
    terms.game = "alquerque";
    terms.clock = referee::TimeControl::sudden_death(60s);
    terms.title = "conformance";
    const std::string id = organiser.create_match(terms, {"anna", "bert"}).id;
    organiser.watch(id, [](const referee::Entry& entry) {
        std::cout << "entry " << entry.number << std::endl;
        return true;
    });
    const auto result = organiser.match(id).result;
    if (result) std::cout << "result " << kind_of(*result) << std::endl;
    const std::string record = organiser.record(id);
    std::cout << "record " << std::count(record.begin(), record.end(), '\n') << std::endl;
}

int main() {
    try {
        organise();
    } catch (const referee::CallError& error) {
        std::cerr << error.reason() << std::endl;
        return 1;
    } catch (const referee::SettingError& error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
