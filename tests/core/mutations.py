"""Mistakes that somebody could make in `referee/core`, each of which the quick tests must notice.

A mutation is a file, a text that stands in it exactly once, what would stand there instead, and the
test modules that notice.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    mistake: str
    file: str
    text: str
    instead: str
    noticed_by: str
    """Names of modules of `tests/core`, without `test_`."""


MUTATIONS = [
    # Clocks
    Mutation(
        "the increment is forgotten",
        "clock.py",
        "return Clock(clock.left_us - thought_us + self.increment_us)",
        "return Clock(clock.left_us - thought_us)",
        "clock",
    ),
    Mutation(
        "Bronstein gives the whole delay back for a short thought",
        "clock.py",
        '''after it, up to a delay."""

    delay_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - max(0, thought_us - self.delay_us))''',
        '''after it, up to a delay."""

    delay_us: Micros = 0

    def after(self, clock: Clock, thought_us: Micros) -> Clock:
        return Clock(clock.left_us - thought_us + self.delay_us)''',
        "clock",
    ),
    Mutation(
        "the US delay does not save from the flag",
        "clock.py",
        "return clock.left_us + self.delay_us",
        "return clock.left_us",
        "clock",
    ),
    Mutation(
        "free time comes only while there is a bank",
        "clock.py",
        "return clock.left_us + self.move_us",
        "return clock.left_us and clock.left_us + self.move_us",
        "clock",
    ),
    Mutation(
        "a Japanese period used to the tick is lost",
        "clock.py",
        "clock.periods - (beyond - 1) // self.period_us",
        "clock.periods - beyond // self.period_us",
        "clock",
    ),
    Mutation(
        "the last Japanese period does not count",
        "clock.py",
        "return clock.left_us + clock.periods * self.period_us",
        "return clock.left_us + (clock.periods - 1) * self.period_us",
        "clock",
    ),
    Mutation(
        "the next Canadian period makes a late move timely",
        "clock.py",
        "return clock.left_us + (0 if clock.moves else self.period_us)",
        "return clock.left_us + (0 if clock.moves > 1 else self.period_us)",
        "clock",
    ),
    Mutation(
        "the first Canadian move is not counted",
        "clock.py",
        "still = (clock.moves or self.moves) - 1",
        "still = (clock.moves or self.moves + 1) - 1",
        "clock",
    ),
    Mutation(
        "what is left of a Canadian period is kept",
        "clock.py",
        "if still else Clock(self.period_us, 0, self.moves)",
        "if still else Clock(self.limit_us(clock) - thought_us + self.period_us, 0, self.moves)",
        "clock",
    ),
    Mutation(
        "after the last period the first comes again",
        "clock.py",
        "min(clock.periods + 1, len(self.listed) - 1)",
        "(clock.periods + 1) % len(self.listed)",
        "clock",
    ),
    Mutation(
        "what is left of a period is lost",
        "clock.py",
        "return Clock(left + self.listed[following].added_us,",
        "return Clock(self.listed[following].added_us,",
        "clock",
    ),
    Mutation(
        "days are saved without end",
        "clock.py",
        "min(self.most_us, clock.left_us - thought_us + self.move_us)",
        "clock.left_us - thought_us + self.move_us",
        "clock",
    ),
    Mutation(
        "a clock of a thousand years",
        "clock.py",
        "LONGEST if timed else COUNTED_AT_MOST):",
        "LONGEST * 2 if timed else COUNTED_AT_MOST):",
        "clock",
    ),
    Mutation("a clock of nothing", "clock.py", "if getattr(self, name) < 1:", "if getattr(self, name) < 0:", "clock"),
    # Rows
    Mutation("the flag falls a tick too early", "row.py", "charged > limit", "charged >= limit", "row"),
    Mutation(
        "the stall is not given back",
        "row.py",
        "measured.arrived_us - asked_us - measured.stall_us",
        "measured.arrived_us - asked_us",
        "row",
    ),
    Mutation(
        "the network's time is given back without a cap",
        "row.py",
        "min(measured.network_us, credit_us, thinking)",
        "min(measured.network_us, thinking)",
        "row",
    ),
    Mutation(
        "more of the network's time is given back than was thought",
        "row.py",
        "min(measured.network_us, credit_us, thinking)",
        "min(measured.network_us, credit_us)",
        "row",
    ),
    Mutation(
        "an answer before its question gains time",
        "row.py",
        "max(0, measured.arrived_us - asked_us - measured.stall_us)",
        "measured.arrived_us - asked_us - measured.stall_us",
        "row",
    ),
    Mutation(
        "who is late owes time",
        "row.py",
        "limit if limit is not None and late else charged",
        "charged",
        "row",
    ),
    Mutation(
        "the timer rings while there is still time",
        "row.py",
        "asked_us + limit + credit_us + 1",
        "asked_us + limit + credit_us",
        "row",
    ),
    Mutation(
        "the timer forgets the network", "row.py", "asked_us + limit + credit_us + 1", "asked_us + limit + 1", "row"
    ),
    Mutation("everybody gets all the sand", "row.py", "return charged_us // others", "return charged_us", "row"),
    # The fold
    Mutation(
        "credit is never used up",
        "match.py",
        "match.credit_us[seat] - row.network_credit_us",
        "match.credit_us[seat]",
        "row",
    ),
    Mutation(
        "the wrong seat is charged",
        "match.py",
        "clocks = put(match.clocks, seat, row.after)",
        "clocks = put(match.clocks, seat - 1, row.after)",
        "row",
    ),
    Mutation(
        "partners get sand from each other",
        "match.py",
        "if other not in mine]",
        "if other != seat]",
        "row",
    ),
    Mutation(
        "a flag that falls costs no time",
        "match.py",
        'return {**_charged(match, event.seat, event.row), "verdicts"',
        'return {"verdicts"',
        "moving",
    ),
    Mutation(
        "a seat's next turn goes on with its last",
        "match.py",
        "_asked(put(match.turns, seat, None), position, ply, event.at_us)",
        "_asked(match.turns, position, ply, event.at_us)",
        "moving",
    ),
    Mutation(
        "another seat's move gives a seat its time anew",
        "match.py",
        "(turn or Turn(seat, ply, at_us))",
        "Turn(seat, ply, at_us)",
        "moving",
    ),
    Mutation("attempts are not counted", "match.py", "attempt=turn.attempt + 1", "attempt=turn.attempt", "moving"),
    Mutation(
        "an attempt gives the time anew",
        "match.py",
        "again = replace(turn, attempt=turn.attempt + 1)",
        "again = replace(turn, attempt=turn.attempt + 1, asked_us=event.at_us)",
        "moving",
    ),
    Mutation(
        "a policy's move passes for the bot's answer",
        "match.py",
        "if event.source is Source.BOT:",
        "if event.token:",
        "moving",
    ),
    Mutation("to move declines nothing", "match.py", "match.offers.intersection(side)", "match.offers", "closing"),
    Mutation(
        "to move takes one's own offer back",
        "match.py",
        "match.offers.intersection(side)",
        "frozenset()",
        "closing",
    ),
    Mutation("a declined offer stands", "match.py", 'return {"offers": frozenset()}', "return {}", "closing"),
    Mutation(
        "the offer of a seat that resigned stands",
        "match.py",
        '{"resigned": (*match.resigned, event.seat), "offers": match.offers - {event.seat}}',
        '{"resigned": (*match.resigned, event.seat)}',
        "closing",
    ),
    Mutation(
        "the offer of a seat that forfeited stands",
        "match.py",
        '{"forfeits": (*match.forfeits, forfeit), "offers": match.offers - {event.seat}}',
        '{"forfeits": (*match.forfeits, forfeit)}',
        "closing",
    ),
    Mutation(
        "moves are not counted", "match.py", "match.moves_made[seat] + 1", "match.moves_made[seat]", "match closing"
    ),
    Mutation(
        "who came back is still gone",
        "match.py",
        'return {"gone_us": put(match.gone_us, event.seat, None)}',
        "return {}",
        "seating",
    ),
    Mutation(
        "moves are owed after the end",
        "match.py",
        '"turns": (None,) * len(match.turns),',
        '"turns": match.turns,',
        "match ending",
    ),
    Mutation("nonces change nothing", "match.py", 'nonce or b"" for nonce', 'b"" for _', "fair seating"),
    Mutation(
        "the opening is forgotten",
        "match.py",
        "if position is None and setup.opening:",
        "if position is None and not setup.opening and setup.opening:",
        "seating",
    ),
    # The course of a decision
    Mutation(
        "credit knows no cap for a match",
        "course.py",
        "min(match.setup.credit.per_move_us, match.credit_us[seat])",
        "match.setup.credit.per_move_us",
        "row",
    ),
    Mutation(
        "credit knows no cap for a move",
        "course.py",
        "min(match.setup.credit.per_move_us, match.credit_us[seat])",
        "match.credit_us[seat]",
        "row",
    ),
    Mutation(
        "random and default moves for the late are confused",
        "course.py",
        "Source.RANDOM if late is Late.RANDOM_MOVE else Source.DEFAULT",
        "Source.DEFAULT if late is Late.RANDOM_MOVE else Source.RANDOM",
        "moving",
    ),
    Mutation(
        "random and default moves for a dropout are confused",
        "course.py",
        "Source.RANDOM if random else Source.DEFAULT",
        "Source.DEFAULT if random else Source.RANDOM",
        "ending",
    ),
    Mutation(
        "a policy's move costs no time",
        "course.py",
        "MovePlayed(self.now_us, turn.seat, turn.token, move, source, row)",
        "MovePlayed(self.now_us, turn.seat, turn.token, move, source)",
        "moving",
    ),
    Mutation(
        "nobody plays for who has just dropped out",
        "course.py",
        "            self.end(result)\n        else:\n            self.settle()",
        "            self.end(result)",
        "ending",
    ),
    Mutation(
        "a game ended by a policy's move goes on",
        "course.py",
        "late is Late.RANDOM_MOVE else Source.DEFAULT)\n            self.settle()",
        "late is Late.RANDOM_MOVE else Source.DEFAULT)",
        "moving",
    ),
    Mutation(
        "a late move is kept whatever its length",
        "course.py",
        "(shortened(answer.move), answer.request_id)",
        "(answer.move, answer.request_id)",
        "moving",
    ),
    # Endings and results
    Mutation(
        "ranks are reversed",
        "result.py",
        "sum(key > mine for key in keys)",
        "sum(key < mine for key in keys)",
        "result",
    ),
    Mutation(
        "those who dropped out rank by their standing among themselves",
        "result.py",
        "score if side not in last else 0.0",
        "score",
        "result",
    ),
    Mutation(
        "level sides score as if they were ahead of each other",
        "result.py",
        "(ranks.count(mine) - 1) / 2",
        "(ranks.count(mine) - 1)",
        "result",
    ),
    Mutation(
        "a seat's score is looked up by its number, not by its side",
        "result.py",
        "tuple(side_scores[side_of[seat]] for seat in seats)",
        "tuple(side_scores[seat % len(side_scores)] for seat in reversed(seats))",
        "result",
    ),
    Mutation("a game goes on with one side", "ending.py", "if still_in > 1 and", "if still_in > 0 and", "ending"),
    Mutation(
        "who resigned may still win by the rules",
        "ending.py",
        "if not match.out:",
        "if not match.forfeits:",
        "ending",
    ),
    Mutation(
        "a draw ranks by the standing",
        "ending.py",
        "return _closed(match, cause, (0.0,) * len(match.table.sides), reason)",
        "return _closed(match, cause, match.at_play().standing, reason)",
        "closing",
    ),
    Mutation(
        "those who dropped out must agree to a draw",
        "ending.py",
        "offering | sides_out(match) ==",
        "offering ==",
        "closing",
    ),
    Mutation(
        "a draw that all who are left want is not seen",
        "ending.py",
        "return drawn(match, Cause.DRAW_AGREED) if levelled(match) else None",
        "return None",
        "closing",
    ),
    # Answers
    Mutation(
        "a long bad answer that comes again counts again",
        "moving.py",
        "if shortened(command.move) == shortened(verdict.move):",
        "if command.move == verdict.move:",
        "moving",
    ),
    Mutation(
        "any token will do",
        "moving.py",
        "if turn is None or turn.token != command.token:",
        "if turn is None:",
        "moving",
    ),
    Mutation(
        "a timer's flag falls too early",
        "moving.py",
        "    if row.late:\n        course.flag(turn, row)\n",
        "    course.flag(turn, row)\n",
        "moving",
    ),
    Mutation(
        "legality comes before lateness",
        "moving.py",
        "    if row.late:\n        # Before",
        "    if row.late and command.move in course.match.at_play().moves(command.seat):\n        # Before",
        "moving",
    ),
    Mutation(
        "one attempt too many",
        "moving.py",
        "policies.attempts_a_turn - turn.attempt",
        "policies.attempts_a_turn - turn.attempt + 1",
        "moving",
    ),
    Mutation("the last attempt costs nothing", "moving.py", "if left > 0:", "if left >= 0:", "moving"),
    Mutation(
        "answers without a request id clash",
        "moving.py",
        "if command.request_id and command.request_id == verdict.request_id:",
        "if command.request_id == verdict.request_id:",
        "moving",
    ),
    Mutation(
        "another answer than the late one hears that its token is stale",
        "moving.py",
        "if isinstance(verdict, FlagFell):",
        "if isinstance(verdict, FlagFell) and verdict.move == command.move:",
        "moving",
    ),
    Mutation(
        "draws are offered where the game knows none",
        "moving.py",
        "if command.offers_draw and course.match.game.draws_by_agreement and position.outcome is None:",
        "if command.offers_draw and position.outcome is None:",
        "moving",
    ),
    Mutation(
        "a draw is offered in a game that is over",
        "moving.py",
        "if command.offers_draw and course.match.game.draws_by_agreement and position.outcome is None:",
        "if command.offers_draw and course.match.game.draws_by_agreement:",
        "moving",
    ),
    Mutation(
        "thinking about an illegal move is free",
        "moving.py",
        "course.play_for(turn, Source.RANDOM, row)",
        "course.play_for(turn, Source.RANDOM)",
        "moving",
    ),
    # Closing
    Mutation(
        "who has dropped out may resign",
        "closing.py",
        "    _check_in(course.match, command.seat)\n    course.drop(",
        "    course.drop(",
        "ending",
    ),
    Mutation(
        "one seat's move takes every seat's right to call off",
        "closing.py",
        "if course.match.moves_made[command.seat]:",
        "if any(course.match.moves_made):",
        "closing",
    ),
    Mutation(
        "who dropped out may call off what it lost",
        "closing.py",
        "        _check_in(course.match, command.seat)\n        if course",
        "        if course",
        "closing",
    ),
    Mutation(
        "who was declined may not accept either",
        "closing.py",
        "if not accepts and match.offered_ply",
        "if match.offered_ply",
        "closing",
    ),
    Mutation(
        "who accepts what nobody offered has offered",
        "closing.py",
        "    _check_offered(course.match, command.seat)\n    offer_draw(",
        "    offer_draw(",
        "closing",
    ),
    Mutation(
        "offers can be made without end",
        "closing.py",
        "match.offered_ply[command.seat] == match.ply",
        "match.offered_ply[command.seat] > match.ply",
        "closing",
    ),
    Mutation(
        "a draw is claimed out of turn",
        "closing.py",
        "if reason is None or course.match.turns[command.seat] is None:",
        "if reason is None:",
        "closing",
    ),
    Mutation("a person's ranks are reversed", "closing.py", "sum(rank < mine", "sum(rank > mine", "closing"),
    # Seating
    Mutation("the grace is a tick too long", "seating.py", ">= policies.grace_us", "> policies.grace_us", "seating"),
    Mutation("the grace runs while no move is owed", "seating.py", "max(gone_us, turn.asked_us)", "gone_us", "seating"),
    Mutation(
        "another version of a bot takes its seat",
        "seating.py",
        'held != replace(player, version="")',
        "held.bot != player.bot",
        "seating",
    ),
    Mutation("a nonce is a byte too short", "seating.py", "len(command.nonce) >", "len(command.nonce) >=", "seating"),
    Mutation(
        "an empty nonce can be taken back",
        "seating.py",
        "given is not None and given !=",
        "given and given !=",
        "seating",
    ),
    Mutation("the lot is drawn without the nonces", "seating.py", '[n or b"" for n in match.nonces]', "[]", "fair"),
    Mutation(
        "a game that is over at once waits for a move",
        "seating.py",
        "course.happens(PlayBegan(course.now_us, seated))\n    course.settle()",
        "course.happens(PlayBegan(course.now_us, seated))",
        "seating",
    ),
    # Fair chance
    Mutation("nonces run into each other", "fair.py", "bytes([len(nonce)]) + nonce", "nonce", "fair"),
    Mutation("all seats draw alike", "fair.py", 'f"policy {ply} {seat}"', 'f"policy {ply}"', "fair"),
    Mutation("the game knows the match's seed", "fair.py", 'chance.fork("game").seed', "chance.seed", "fair"),
    # Telling
    Mutation("the seed is told at once", "telling.py", 'seed=b"", opening=""', 'opening=""', "telling"),
    Mutation("a hidden opening is told", "telling.py", 'seed=b"", opening=""', 'seed=b""', "telling"),
    Mutation(
        "a sealed move is told",
        "telling.py",
        "return before.at_play().told(event.seat, event.move, viewer)",
        "return event.move",
        "telling",
    ),
    Mutation(
        "a refused attempt is told to all",
        "telling.py",
        "return event if event.seat == viewer else None",
        "return event",
        "telling",
    ),
    Mutation(
        "a late answer is told to others",
        "telling.py",
        "if isinstance(event, FlagFell) and event.seat != viewer:",
        "if isinstance(event, FlagFell) and event.seat == viewer:",
        "telling",
    ),
    # Deciding
    Mutation(
        "a game that refuses its own move stops the match",
        "deciding.py",
        "except MatchError:",
        "except ValueError:",
        "deciding",
    ),
    Mutation(
        "half a decision is left when a game breaks",
        "deciding.py",
        "        course = Course(match, now_us)\n        course.end(",
        "        course.end(",
        "deciding",
    ),
    Mutation(
        "a late timer is an error",
        "deciding.py",
        "Phase.OVER: frozenset({SubmitMove, FallFlag, EndGrace,",
        "Phase.OVER: frozenset({SubmitMove, EndGrace,",
        "deciding",
    ),
    Mutation(
        "seat -1 is the last one",
        "deciding.py",
        "if seat is not None and not 0 <= seat <",
        "if seat is not None and not seat <",
        "seating",
    ),
    # Setup and policy
    Mutation(
        "any seed that is long enough",
        "setup.py",
        "len(self.seed) != SEED_BYTES",
        "len(self.seed) < SEED_BYTES",
        "setup",
    ),
    Mutation(
        "hourglasses among other clocks",
        "setup.py",
        "for control in self.controls}) > 1:",
        "for control in self.controls}) > 2:",
        "setup",
    ),
    Mutation(
        "the random move comes only after three attempts",
        "policy.py",
        "if self.illegal is Illegal.REFUSE_THEN_FORFEIT else 1",
        "if self.illegal is not Illegal.FORFEIT else 1",
        "setup",
    ),
]
