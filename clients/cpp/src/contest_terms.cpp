#include "contest_terms.h"

namespace referee {

namespace {

void fill_rule(api::ClockRule& rule, const TimeControl& clock) {
    switch (clock.kind) {
        case TimeControl::Kind::untimed:
            rule.mutable_untimed();
            return;
        case TimeControl::Kind::fischer:
            rule.mutable_fischer()->set_main_ms(clock.main.count());
            rule.mutable_fischer()->set_increment_ms(clock.increment.count());
            return;
        case TimeControl::Kind::sudden_death:
            rule.mutable_sudden_death()->set_main_ms(clock.main.count());
            return;
        case TimeControl::Kind::per_move:
            rule.mutable_per_move()->set_move_ms(clock.main.count());
            return;
    }
}

// Sets the format of a tournament.
struct FormatWriter {
    void operator()(const RoundRobin& format) const {
        message.mutable_round_robin()->set_cycles(format.cycles);
    }
    void operator()(const Swiss& format) const {
        message.mutable_swiss()->set_rounds(format.rounds);
    }
    void operator()(const Elimination& format) const {
        api::Elimination& elimination = *message.mutable_elimination();
        elimination.set_double_elimination(format.double_elimination);
        elimination.set_matches_per_pairing(format.matches_per_pairing);
        elimination.set_third_place_match(format.third_place_match);
    }
    void operator()(const Gauntlet& format) const {
        api::Gauntlet& gauntlet = *message.mutable_gauntlet();
        gauntlet.mutable_challengers()->Add(format.challengers.begin(), format.challengers.end());
        gauntlet.set_cycles(format.cycles);
    }
    void operator()(const Pools& format) const {
        message.mutable_pools()->set_rounds(format.rounds);
    }
    void operator()(const Sprt& format) const {
        api::Sprt& sprt = *message.mutable_sprt();
        sprt.set_elo0(format.elo0);
        sprt.set_elo1(format.elo1);
        sprt.set_max_matches(format.max_matches);
    }

    api::TournamentTerms& message;
};

template <typename Message, typename Terms>
void fill_common_terms(Message& message, const Terms& terms) {
    if (terms.fixed_partners) message.set_partner_rule(api::PARTNER_RULE_FIXED);
    if (terms.duplicate_play) message.mutable_duplicate_play();
    message.set_max_concurrent_matches(terms.max_concurrent_matches);
}

}  // namespace

api::MatchTerms to_message(const MatchTerms& terms) {
    api::MatchTerms message;
    message.mutable_rules()->set_game(terms.game);
    message.mutable_rules()->set_preset(terms.preset);
    message.mutable_rules()->mutable_options()->insert(terms.options.begin(), terms.options.end());
    fill_rule(*message.mutable_time_control()->mutable_rule(), terms.clock);
    message.set_start_timeout_ms(terms.start_timeout.count());
    return message;
}

api::Entrant to_message(const Entrant& entrant) {
    api::Entrant message;
    message.set_name(entrant.name);
    for (const std::string& text : entrant.bots) {
        const std::size_t slash = text.find('/');
        api::BotRef& bot = *message.add_bots();
        bot.set_bot(text.substr(0, slash));
        if (slash != std::string::npos) bot.set_version(text.substr(slash + 1));
    }
    return message;
}

api::TournamentTerms to_message(const TournamentTerms& terms) {
    api::TournamentTerms message;
    *message.mutable_match_terms() = to_message(terms.match);
    std::visit(FormatWriter{message}, terms.format);
    fill_common_terms(message, terms);
    message.set_ladder(terms.ladder);
    message.set_boards(terms.boards);
    if (terms.no_show) message.set_no_show_ms(terms.no_show->count());
    return message;
}

api::LadderTerms to_message(const LadderTerms& terms) {
    api::LadderTerms message;
    for (const MatchTerms& match : terms.matches) *message.add_match_terms() = to_message(match);
    fill_common_terms(message, terms);
    message.set_max_matches_per_hour(terms.max_matches_per_hour);
    message.set_rematch_after(terms.rematch_after);
    message.set_provisional_matches(terms.provisional_matches);
    message.set_pause_after_faults(terms.pause_after_faults);
    return message;
}

api::TournamentPhase to_message(Tournament::Phase phase) {
    switch (phase) {
        case Tournament::Phase::entry:
            return api::TOURNAMENT_PHASE_ENTRY;
        case Tournament::Phase::playing:
            return api::TOURNAMENT_PHASE_PLAYING;
        case Tournament::Phase::finished:
            return api::TOURNAMENT_PHASE_FINISHED;
        case Tournament::Phase::cancelled:
            return api::TOURNAMENT_PHASE_CANCELLED;
        default:
            return api::TOURNAMENT_PHASE_UNSPECIFIED;
    }
}

api::PairingPhase to_message(Pairing::Phase phase) {
    switch (phase) {
        case Pairing::Phase::planned:
            return api::PAIRING_PHASE_PLANNED;
        case Pairing::Phase::playing:
            return api::PAIRING_PHASE_PLAYING;
        case Pairing::Phase::done:
            return api::PAIRING_PHASE_DONE;
        default:
            return api::PAIRING_PHASE_UNSPECIFIED;
    }
}

api::ExportFormat to_message(ExportFormat format) {
    switch (format) {
        case ExportFormat::csv:
            return api::EXPORT_FORMAT_CSV;
        case ExportFormat::json:
            return api::EXPORT_FORMAT_JSON;
        case ExportFormat::trf:
            return api::EXPORT_FORMAT_TRF;
    }
    return api::EXPORT_FORMAT_UNSPECIFIED;
}

}  // namespace referee
