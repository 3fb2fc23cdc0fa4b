"""The clauses for bots, in the order in which they are checked, and those for organisers.

Clauses that end the program of a bot come last.
"""

from referee.conformance.clause import Clause
from referee.conformance.clauses import (
    compatibility_clauses,
    idempotency_clauses,
    organiser_clauses,
    reconnect_clauses,
    turn_clauses,
)

MODULES = (turn_clauses, idempotency_clauses, compatibility_clauses, reconnect_clauses)
CLAUSES = tuple(Clause(check) for module in MODULES for check in module.CLAUSES)
ORGANISER_CLAUSES = tuple(Clause(check) for check in organiser_clauses.CLAUSES)
