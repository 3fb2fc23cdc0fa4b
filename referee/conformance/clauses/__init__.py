"""The clauses, in the order in which they are checked; those that end the program come last."""

from referee.conformance.clause import Clause
from referee.conformance.clauses import compatibility_clauses, idempotency_clauses, reconnect_clauses, turn_clauses

MODULES = (turn_clauses, idempotency_clauses, compatibility_clauses, reconnect_clauses)
CLAUSES = tuple(Clause(check) for module in MODULES for check in module.CLAUSES)
